"""How many answers there were, and how many bad ones, by stretches of event time."""

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from itertools import groupby
from operator import attrgetter

from schemas import Record
from schemas.enriched_answer import EnrichedAnswer
from schemas.quantities import MINUTE_US
from schemas.verdict import Tag, Verdict
from schemas.wire.enums import BLOCK_REASONS, VERTEX_BLOCK_REASONS
from transforms.rules.verdicts import POLICY_FINISH_REASONS, SKIP_REASON_VERDICTS

BUCKET_US = 5 * MINUTE_US
"""Answers are counted by stretches of five minutes of event time."""

_START = attrgetter("start_us")
_KNOWN_REASONS = frozenset(
    {
        *SKIP_REASON_VERDICTS,
        *POLICY_FINISH_REASONS,
        *BLOCK_REASONS[1:],
        *VERTEX_BLOCK_REASONS[1:],
    }
)


class RateCounts(Record, frozen=True, kw_only=True):
    """How many answers of one engine fell into one bucket, and how many of each bad kind.

    Attributes:
      start_us: when the bucket begins, microseconds since 1970 UTC.
      answers: all of them.
      low_grounded, policy_skipped, failed: by verdict.
      skip_reasons: answers that have a reason among their skip reasons; those that this version
        does not know count as one, UNKNOWN_SKIP_REASON, so that there are few.
    """

    start_us: int
    answers: int
    low_grounded: int = 0
    policy_skipped: int = 0
    failed: int = 0
    skip_reasons: dict[str, int] = {}


def bucket_of(event_time_us: int) -> int:
    """The start of the bucket that a moment falls into; both are microseconds since 1970 UTC."""
    return event_time_us // BUCKET_US * BUCKET_US


def counts_of(enriched: EnrichedAnswer, start_us: int) -> RateCounts:
    """Count one answer in the bucket that starts then."""
    verdict = enriched.verdict
    return RateCounts(
        start_us=start_us,
        answers=1,
        low_grounded=int(verdict is Verdict.LOW_GROUNDED),
        policy_skipped=int(verdict is Verdict.POLICY_SKIPPED),
        failed=int(verdict is Verdict.GENERATION_FAILED),
        skip_reasons=dict.fromkeys(map(_known, enriched.skip_reasons), 1),
    )


def added(first: RateCounts, second: RateCounts) -> RateCounts:
    """Add two counts of the same bucket."""
    return RateCounts(
        start_us=first.start_us,
        answers=first.answers + second.answers,
        low_grounded=first.low_grounded + second.low_grounded,
        policy_skipped=first.policy_skipped + second.policy_skipped,
        failed=first.failed + second.failed,
        skip_reasons=dict(Counter(first.skip_reasons) + Counter(second.skip_reasons)),
    )


def in_order(counts: Iterable[RateCounts]) -> list[RateCounts]:
    """Add up the counts of each bucket, and put the buckets in the order of time."""
    by_start = groupby(sorted(counts, key=_START), key=_START)
    return [reduce(added, same_bucket) for _, same_bucket in by_start]


def _known(reason: str) -> str:
    return reason if reason in _KNOWN_REASONS else Tag.UNKNOWN_SKIP_REASON.value
