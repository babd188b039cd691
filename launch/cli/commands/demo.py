"""Check the bundled sample answers, without a cloud."""

from typing import Annotated

from groundwatch.launch.cli.commands import Command
from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings


class DemoSettings(Settings, frozen=True, kw_only=True):
    """The settings of `demo`.

    demo_output: Output folder.
    """

    demo_output: Annotated[kinds.OutputFolder, Note(flag="output")] = "out/demo"


COMMAND = Command(
    settings=DemoSettings,
    run="groundwatch.launch.backfill.start_job:demo",
    examples=("", "--output out/first"),
)
