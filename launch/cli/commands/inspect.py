"""Show how the first messages of a file are read.

For a message that is not understood it prints the reason, and a --map that may read it. Nothing is
written, and nothing leaves this machine.
"""

from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.settings.job import InputFormatSettings
from . import Command


class InspectSettings(Settings, frozen=True, kw_only=True):
    """The settings of `inspect`.

    file: Path, glob or folder of the messages, local or gs://.
    messages: How many messages are shown.
    """

    file: Annotated[kinds.Location, Note(positional="FILE")]
    messages: Annotated[kinds.Count, Note(is_argument=True)] = 3
    format: InputFormatSettings


COMMAND = Command(
    settings=InspectSettings,
    run="groundwatch.launch.backfill.inspect_file:inspect",
    examples=(
        "answers.jsonl",
        "gs://b/traces.parquet --input_format langfuse",
        "rows.csv --map 'answer=$.reply' 'facts=$.documents[*].text' --messages 1",
    ),
)
