"""Show a record: its verdict, claims and facts.

Alerts, the report and the summary print the ids.
"""

from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from . import Command


class ShowSettings(Settings, frozen=True, kw_only=True):
    """The settings of `show`.

    record: The record id, its first characters, or the answer's name.
    folder: An output folder, local or gs://.
    work_folders: Work folders of workers that are not below DIR.
    json: Print the record as JSON.
    """

    record: Annotated[kinds.Text, Note(positional="ID")]
    folder: Annotated[kinds.Location, Note(positional="DIR")] = "out/demo"
    work_folders: Annotated[tuple[kinds.LocalFolder, ...], Note(flag="work_folder")] = ()
    json: Annotated[kinds.Switch, Note(is_argument=True)] = False


COMMAND = Command(
    settings=ShowSettings,
    run="groundwatch.launch.results.show_record:show",
    examples=("3fa94c81d2b7", "3fa94c81d2b7 out/answers --json"),
)
