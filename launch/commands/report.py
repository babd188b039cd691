"""Write the HTML report of an output folder."""

from launch.commands import Command
from pipeline.settings.commands import ReportSettings

COMMAND = Command(
    settings=ReportSettings,
    run="launch.report.write_report:report",
    examples=("out/answers", "out/answers --what_if --gold labels.jsonl"),
)
