"""Write estimate.json, and compare a run with it."""

import logging

from launch.report.output_folder import write_file
from pipeline import storage
from pipeline.settings.config import Destination
from schemas.cost_estimate import (
    Amounts,
    Comparison,
    Estimate,
    compare,
    estimate_to_json,
    estimated_amounts,
)

_NAME = "estimate.json"
_log = logging.getLogger(__name__)


def write_estimate(output: str, estimate: Estimate) -> str:
    """Write estimate.json to the output folder of the backfill; return its path."""
    path = storage.join(output, _NAME)
    write_file(path, estimate_to_json(estimate))
    return path


def compare_with_estimate(destination: Destination, made: Amounts) -> Comparison | None:
    """Compare the amounts of a run with its estimate, if it has one that can be read."""
    path = destination.path(_NAME)
    try:
        if not storage.find(path):
            return None
        estimated = estimated_amounts(storage.read_whole(path))
    except (OSError, ValueError) as error:
        _log.warning("no comparison with %s: %s", path, error)
        return None
    return compare(estimated, made) if estimated.run == destination.run else None
