"""List the carriers and detect which of them a message is."""

from transforms.carriers import log_entry
from transforms.carriers.carrier import Carrier

CARRIERS: tuple[Carrier, ...] = (log_entry.LOG_ENTRY,)
"""All carriers; the first that matches an object unwraps it."""

_MARKS = frozenset[str]().union(*(carrier.marks for carrier in CARRIERS))


def find_carrier(value: object) -> Carrier | None:
    """Find the carrier that parsed JSON is; None if it is no carrier."""
    if not isinstance(value, dict) or _MARKS.isdisjoint(value):
        return None
    return next(
        (
            carrier
            for carrier in CARRIERS
            if not carrier.marks.isdisjoint(value) and carrier.detects(value)
        ),
        None,
    )
