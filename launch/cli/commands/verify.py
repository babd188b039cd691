"""Compare an output folder with its counts; print the ledgers.

Reads the rows and record ids of all files. Finds the ledgers of workers below DIR and
in each --work_folder: for each hour, how many messages were read, and where they
ended. The exit status is 1 when there is a difference.
"""

from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from . import Command


class VerifySettings(Settings, frozen=True, kw_only=True):
    """The settings of `verify`.

    folder: An output folder, local or gs://.
    work_folders: Work folders of workers that are not below DIR.
    """

    folder: Annotated[kinds.Location, Note(positional="DIR")]
    work_folders: Annotated[tuple[kinds.LocalFolder, ...], Note(flag="work_folder")] = ()


COMMAND = Command(
    settings=VerifySettings,
    run="groundwatch.launch.results.verify.verify_folder:verify",
    examples=("out/answers", "gs://b/live --work_folder /var/lib/groundwatch"),
)
