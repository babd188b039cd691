"""Label answers in a browser, and see how good the verdicts are.

The page is served on this machine only, under an address that nobody can guess. New files of a
worker appear as they are written. `evaluate` and `calibrate` read the labels with --gold.
"""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import ReviewSettings

COMMAND = Command(
    settings=ReviewSettings,
    run="groundwatch.launch.review.serve_review:review",
    examples=(
        "out/answers --open",
        "out/answers out/live --labels mine.jsonl theirs.jsonl --labeller ada",
    ),
)
