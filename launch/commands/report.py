"""Write the HTML report of an output folder, or compare two."""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import ReportSettings

COMMAND = Command(
    settings=ReportSettings,
    run="groundwatch.launch.report.make_report:report",
    examples=(
        "out/answers --answers 200",
        "out/answers --claim_threshold 0.5",
        "out/answers out/other-checker",
    ),
)
