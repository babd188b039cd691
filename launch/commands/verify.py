"""`groundwatch verify DIR`."""

from launch.commands import Command
from pipeline.settings.commands import VerifySettings

COMMAND = Command(
    help="compare the files of an output folder with its ledgers, summary and manifest",
    settings=VerifySettings,
    run="launch.verify.run:verify",
    description="Reads the rows and record ids of all files. Finds the ledgers of workers\n"
    "below DIR and in each --work_folder. The exit status is 1 when there is a difference.\n",
)
