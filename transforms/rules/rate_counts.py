"""Count answers, and bad answers by kind, in buckets and windows of event time."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import groupby
from operator import attrgetter

from groundwatch.schemas import Record
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.quantities import MINUTE_US
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.schemas.wire.enums import BLOCK_REASONS, VERTEX_BLOCK_REASONS
from .routing import POLICY_FINISH_REASONS, SKIP_REASON_VERDICTS

BUCKET_US = 5 * MINUTE_US
VERDICT_SIGNALS = ("low_grounded", "policy_skipped", "failed")
_MAX_REVISIONS = 10
_REASON_PREFIX = "skip_reason:"
_START = attrgetter("start_us")
_KNOWN_REASONS = POLICY_FINISH_REASONS.union(
    SKIP_REASON_VERDICTS, BLOCK_REASONS[1:], VERTEX_BLOCK_REASONS[1:]
)


class RateCounts(Record, frozen=True, kw_only=True):
    """The answers of one engine in a bucket, and the bad ones by kind; unknown reasons are one.

    `revisions` are checkers and revisions by which the answers were checked.
    """

    start_us: int
    answers: int
    low_grounded: int = 0
    policy_skipped: int = 0
    failed: int = 0
    skip_reasons: dict[str, int] = {}
    revisions: tuple[tuple[str, str], ...] = ()


EngineCounts = tuple[str | None, RateCounts]


def bucket_start(event_time_us: int) -> int:
    """Return the start of the bucket of a time."""
    return event_time_us // BUCKET_US * BUCKET_US


def count_answer(enriched: EnrichedAnswer, start_us: int) -> RateCounts:
    """Count one answer in the bucket that starts at a time."""
    verdict, unknown = enriched.verdict, Tag.UNKNOWN_SKIP_REASON.value
    reasons = (each if each in _KNOWN_REASONS else unknown for each in enriched.skip_reasons)
    return RateCounts(
        start_us=start_us,
        answers=1,
        low_grounded=int(verdict is Verdict.LOW_GROUNDED),
        policy_skipped=int(verdict is Verdict.POLICY_SKIPPED),
        failed=int(verdict is Verdict.GENERATION_FAILED),
        skip_reasons=dict.fromkeys(reasons, 1),
        revisions=_distinct(_revisions(enriched)),
    )


def add_counts(first: RateCounts, second: RateCounts) -> RateCounts:
    """Add two counts of the same bucket."""
    reasons = first.skip_reasons
    if second.skip_reasons:
        reasons = dict(Counter(reasons) + Counter(second.skip_reasons))
    return RateCounts(
        start_us=first.start_us,
        answers=first.answers + second.answers,
        low_grounded=first.low_grounded + second.low_grounded,
        policy_skipped=first.policy_skipped + second.policy_skipped,
        failed=first.failed + second.failed,
        skip_reasons=reasons,
        revisions=_distinct((*first.revisions, *second.revisions)),
    )


def _revisions(enriched: EnrichedAnswer) -> Iterator[tuple[str, str]]:
    if (check := enriched.check) and check.revision:
        yield check.checker, check.revision
    if (screen := enriched.screen) and screen.revision:
        yield screen.checker, screen.revision


def _distinct(revisions: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(set(revisions))[:_MAX_REVISIONS])


def merge_buckets(counts: Iterable[RateCounts]) -> list[RateCounts]:
    """Add the counts of each bucket, and sort the buckets by time."""
    by_start = groupby(sorted(counts, key=_START), key=_START)
    return [reduce(add_counts, same_bucket) for _, same_bucket in by_start]


def is_reason_signal(signal: str) -> bool:
    """Return whether a signal names a skip reason: ``skip_reason:NO_RELEVANT_CONTENT``."""
    return signal.startswith(_REASON_PREFIX)


class RateWindow:
    """A sliding window over buckets that counts answers, and bad answers by signal."""

    def __init__(self, width_us: int) -> None:
        self.answers = 0
        self.bad: Counter[str] = Counter()
        self._width_us = width_us
        self._buckets: deque[RateCounts] = deque()

    def add(self, counts: RateCounts) -> None:
        """Add a bucket that is later than all others."""
        self._buckets.append(counts)
        self._count(counts, 1)

    def advance(self, start_us: int) -> None:
        """Drop the buckets that are too old if the bucket that starts then is the last."""
        while self._buckets and self._buckets[0].start_us <= start_us - self._width_us:
            self._count(self._buckets.popleft(), -1)

    def ends_with(self, start_us: int) -> bool:
        """Return whether the last bucket with answers starts then."""
        return bool(self._buckets) and self._buckets[-1].start_us == start_us

    def share(self, signal: str) -> float:
        """Return the share of answers that count for a signal, 0..1; 0.0 without answers."""
        return self.bad[signal] / self.answers if self.answers else 0.0

    def mixed_revisions(self) -> tuple[str, ...]:
        """Return the revisions of each checker with more than one, behind its name."""
        found = {pair for bucket in self._buckets for pair in bucket.revisions}
        several = Counter(checker for checker, _ in found)
        return tuple(f"{name} {each}" for name, each in sorted(found) if several[name] > 1)

    def _count(self, counts: RateCounts, sign: int) -> None:
        self.answers += sign * counts.answers
        for signal in VERDICT_SIGNALS:
            self.bad[signal] += sign * getattr(counts, signal)
        for reason, bad in counts.skip_reasons.items():
            self.bad[_REASON_PREFIX + reason] += sign * bad
