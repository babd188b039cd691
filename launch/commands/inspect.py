"""Show how the first messages of a file are read.

For a message that is not understood it prints the reason, and a --map that may read it. Nothing is
written, and nothing leaves this machine.
"""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import InspectSettings

COMMAND = Command(
    settings=InspectSettings,
    run="groundwatch.launch.answers.inspect:inspect",
    examples=(
        "answers.jsonl",
        "gs://b/traces.parquet --input_format langfuse",
        "rows.csv --map 'answer=$.reply' 'facts=$.documents[*].text' --messages 1",
    ),
)
