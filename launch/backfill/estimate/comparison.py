"""Compare the amounts of a run with the estimate that its output folder holds."""

import logging

from msgspec.structs import replace

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Destination
from groundwatch.schemas.cost_estimate import Amounts, Comparison, compare, estimated_amounts
from groundwatch.schemas.summary import Summary

ESTIMATE_FILE = "estimate.json"
_log = logging.getLogger(__name__)


def with_comparison(summary: Summary, destination: Destination) -> Summary:
    """Add the comparison with its estimate to the summary of a run."""
    made = Amounts(calls=summary.calls, characters=summary.characters, cost=summary.cost)
    return replace(summary, estimate=compare_with_estimate(destination, made))


def compare_with_estimate(destination: Destination, made: Amounts) -> Comparison | None:
    """Compare the amounts of a run with its estimate, if it has one that can be read."""
    path = destination.path(ESTIMATE_FILE)
    try:
        if not storage.find(path):
            return None
        estimated = estimated_amounts(storage.read_whole(path))
    except (OSError, ValueError) as error:
        _log.warning("no comparison with %s: %s", path, error)
        return None
    return compare(estimated, made) if estimated.run == destination.run else None
