"""Choose thresholds for a precision or recall, by labels.

One threshold decides, of the lowest claim or of the support score; the other is 0.
"""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import CalibrateSettings

COMMAND = Command(
    settings=CalibrateSettings,
    run="groundwatch.launch.evaluate.calibrate_thresholds:calibrate_thresholds",
    examples=(
        "--answers answers.jsonl --gold labels.jsonl --precision 0.8",
        "--answers answers.jsonl --gold labels.jsonl --recall 0.9 --output thresholds.yaml",
    ),
)
