"""Estimate the calls, time and cost of a backfill.

Takes all flags of `backfill`, so that its command line can be estimated.
"""

from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.settings.job import JobSettings
from . import Command
from .backfill import InputSettings


class EstimationSettings(Settings, frozen=True, kw_only=True):
    """How a backfill is estimated.

    output: Output folder of the backfill, to write estimate.json to.
    assumed_latency_ms: Assumed latency of a call. Default: 500; of a model on this machine 100.
    """

    output: kinds.OutputFolder | None = None
    assumed_latency_ms: kinds.Milliseconds | None = None


class EstimateSettings(Settings, frozen=True, kw_only=True):
    """The settings of `estimate`: those of a backfill, without a required output, and its own."""

    input: InputSettings
    estimate: EstimationSettings
    job: Annotated[JobSettings, Note(without="output api_version fail_above")]


COMMAND = Command(
    settings=EstimateSettings,
    run="groundwatch.launch.backfill.estimate.estimate_backfill:estimate",
    examples=(
        "--input 'answers/*.jsonl.gz' --price_per_1k_chars 0.00075",
        "--input 'answers/*.jsonl.gz' --price_per_1k_chars 0.00075 --requests_per_minute 600",
    ),
)
