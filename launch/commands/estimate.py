"""Estimate the calls, time and cost of a backfill.

Takes all flags of `backfill`, so that its command line can be estimated.
"""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import EstimateSettings

COMMAND = Command(
    settings=EstimateSettings,
    run="groundwatch.launch.estimate.estimate_backfill:estimate",
    examples=(
        "--input 'answers/*.jsonl.gz' --price_per_1k_chars 0.00075",
        "--input 'answers/*.jsonl.gz' --estimate_from 10000 --requests_per_minute 600",
    ),
)
