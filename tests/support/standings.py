"""How a subscription fares, for tests that care about a number or two."""

from typing import Any

from launch.pubsub.held import Holding
from launch.pubsub.subscription import Standing


def a_standing(*, answers: bool = True, oldest_unacked_age_s: float = 0.0, **held: Any) -> Standing:
    """Nothing held, unless told otherwise in the words of `Holding`."""
    nothing = {
        "waiting": 0,
        "in_work": 0,
        "settled": 0,
        "size_bytes": 0,
        "overdue": 0,
        "redelivered": 0,
        "oldest_publish_time_us": None,
    }
    return Standing(
        holding=Holding(**nothing | held),
        oldest_unacked_age_s=oldest_unacked_age_s,
        answers=answers,
    )
