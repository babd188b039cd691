"""Send the results of a folder to another tool, or write a table.

An interrupted export resumes where it stopped. A record that is sent twice has the same id.
"""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.results import ExportSettings

COMMAND = Command(
    settings=ExportSettings,
    run="groundwatch.launch.export.start:export",
    examples=(
        "out/answers --to langfuse",
        "out/answers --to phoenix --endpoint http://127.0.0.1:6006 --since 2026-03-02",
        "out/answers --to csv --output answers.csv",
    ),
)
