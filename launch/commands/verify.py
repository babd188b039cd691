"""Compare an output folder with its counts; print the ledgers.

Reads the rows and record ids of all files. Finds the ledgers of workers below DIR and
in each --work_folder: for each hour, how many messages were read, and where they
ended. The exit status is 1 when there is a difference.
"""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import VerifySettings

COMMAND = Command(
    settings=VerifySettings,
    run="groundwatch.launch.verify.verify_folder:verify",
    examples=("out/answers", "gs://b/live --work_folder /var/lib/groundwatch"),
)
