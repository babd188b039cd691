"""Write estimate.json, and compare a run with it."""

import logging

from pipeline import storage
from pipeline.sinks.destination import Destination
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


def estimate_destination(output: str) -> Destination:
    """Return the destination of an estimate; no run can have its name."""
    return Destination(root=output, run=_NAME)


def write_estimate(output: str, estimate: Estimate) -> str:
    """Write estimate.json to the output folder of the backfill; return its path.

    Raises:
      OSError: it cannot be written.
    """
    destination = estimate_destination(output)
    path = destination.path(_NAME)
    try:
        storage.write_whole(path, estimate_to_json(estimate), destination.temporary_path(_NAME))
    finally:
        storage.remove_folder(destination.temporary_folder)
    return path


def compare_with_estimate(destination: Destination, made: Amounts) -> Comparison | None:
    """Compare the amounts of a run with its estimate.

    Returns:
      None if OUT/estimate.json does not exist, was made for another run, or cannot be read.
    """
    path = destination.path(_NAME)
    try:
        if not storage.find(path):
            return None
        estimated = estimated_amounts(storage.read_whole(path))
    except (OSError, ValueError) as error:
        _log.warning("no comparison with %s: %s", path, error)
        return None
    return compare(estimated, made) if estimated.run == destination.run else None
