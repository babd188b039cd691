"""When the share of bad answers is worth waking somebody: burn rates over two windows.

Source: Google SRE workbook, chapter 5, "Multiwindow, Multi-Burn-Rate Alerts",
https://sre.google/workbook/alerting-on-slos/
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import groupby
from operator import attrgetter

from schemas.alert import Alert, AlertKind, RateEpisode, Severity
from schemas.record import Record
from schemas.verdict import Verdict

BUCKET_US = 5 * 60 * 1_000_000
"""Answers are counted by stretches of five minutes of event time."""

_HOUR_US = 3600 * 1_000_000
_START = attrgetter("start_us")
SIGNALS = ("low_grounded", "policy_skipped", "failed")


class RateCounts(Record, frozen=True, kw_only=True):
    """How many answers of one engine fell into one bucket, and how many of each bad kind."""

    start_us: int
    answers: int
    low_grounded: int = 0
    policy_skipped: int = 0
    failed: int = 0


def bucket_of(event_time_us: int) -> int:
    """The start of the bucket that a moment falls into; both are microseconds since 1970 UTC."""
    return event_time_us // BUCKET_US * BUCKET_US


def counts_of(verdict: Verdict, start_us: int) -> RateCounts:
    """Count one answer."""
    return RateCounts(
        start_us=start_us,
        answers=1,
        low_grounded=int(verdict is Verdict.LOW_GROUNDED),
        policy_skipped=int(verdict is Verdict.POLICY_SKIPPED),
        failed=int(verdict is Verdict.GENERATION_FAILED),
    )


def added(first: RateCounts, second: RateCounts) -> RateCounts:
    """Add two counts of the same bucket."""
    return RateCounts(
        start_us=first.start_us,
        answers=first.answers + second.answers,
        low_grounded=first.low_grounded + second.low_grounded,
        policy_skipped=first.policy_skipped + second.policy_skipped,
        failed=first.failed + second.failed,
    )


class RateRule(Record, frozen=True, kw_only=True):
    """When an episode opens and closes.

    Attributes:
      budget: 0..1, the share of bad answers that is tolerable for ever.
      burn_rate: how many times the budget opens an episode, in both windows.
      closing_burn_rate: below how many times the budget it closes: in the fast window, or in the
        slow one while little traffic leaves the fast one with too few answers.
      fast_window_us, slow_window_us: microseconds of event time; the fast one tells that it goes
        on, the slow one that it is no accident.
      min_answers: fewer answers in a window tell nothing.
    """

    budget: float = 0.1
    burn_rate: float = 4.0
    closing_burn_rate: float = 2.0
    fast_window_us: int = _HOUR_US
    slow_window_us: int = 6 * _HOUR_US
    min_answers: int = 5


def rate_alerts(engine: str | None, buckets: Iterable[RateCounts], rule: RateRule) -> list[Alert]:
    """Find the episodes of one engine: one alert when each opens, one when it closes.

    Args:
      engine: whose counts these are.
      buckets: its counts, in any order; several for one bucket are added up.
      rule: when an episode opens and closes.

    Returns:
      The alerts of all signals, in the order of time. An episode that still burns at the last
      bucket stays open.
    """
    ordered = _ordered(buckets)
    alerts = [
        _alert(engine, episode, moment_us)
        for signal in SIGNALS
        for episode, moment_us in _episodes(signal, ordered, rule)
    ]
    return sorted(alerts, key=attrgetter("event_time_us"))


def _ordered(buckets: Iterable[RateCounts]) -> list[RateCounts]:
    by_start = groupby(sorted(buckets, key=_START), key=_START)
    return [reduce(added, counts) for _, counts in by_start]


def _episodes(
    signal: str, buckets: Sequence[RateCounts], rule: RateRule
) -> Iterator[tuple[RateEpisode, int]]:
    """Yield each opening and closing with its moment: the end of the bucket that showed it."""
    opened_at_us: int | None = None
    for reading in _readings(signal, buckets, rule):
        if opened_at_us is None and _burns(reading, rule):
            opened_at_us = reading.now_us
            yield _episode(signal, "open", reading, opened_at_us, rule), reading.now_us
        elif opened_at_us is not None and _is_over(reading, rule):
            yield _episode(signal, "closed", reading, opened_at_us, rule), reading.now_us
            opened_at_us = None


class _Reading(Record, frozen=True, kw_only=True):
    """The burn rates of both windows at the end of a bucket, and their traffic."""

    now_us: int
    answers: int
    slow_answers: int
    fast: float
    slow: float


def _burns(reading: _Reading, rule: RateRule) -> bool:
    return reading.answers >= rule.min_answers and min(reading.fast, reading.slow) >= rule.burn_rate


def _is_over(reading: _Reading, rule: RateRule) -> bool:
    if reading.answers >= rule.min_answers:
        return reading.fast < rule.closing_burn_rate
    return reading.slow_answers >= rule.min_answers and reading.slow < rule.closing_burn_rate


def _readings(signal: str, buckets: Sequence[RateCounts], rule: RateRule) -> Iterator[_Reading]:
    fast, slow = _SlidingWindow(rule.fast_window_us), _SlidingWindow(rule.slow_window_us)
    for bucket in buckets:
        bad = getattr(bucket, signal)
        for window in (fast, slow):
            window.add(bucket.start_us, bucket.answers, bad)
        yield _Reading(
            now_us=bucket.start_us + BUCKET_US,
            answers=fast.answers,
            slow_answers=slow.answers,
            fast=fast.share / rule.budget,
            slow=slow.share / rule.budget,
        )


class _SlidingWindow:
    """The sums over the last stretch of time, as buckets come in the order of time."""

    def __init__(self, width_us: int) -> None:
        self.answers = 0
        self._bad = 0
        self._width_us = width_us
        self._buckets: deque[tuple[int, int, int]] = deque()

    @property
    def share(self) -> float:
        return self._bad / self.answers

    def add(self, start_us: int, answers: int, bad: int) -> None:
        self._buckets.append((start_us, answers, bad))
        self.answers += answers
        self._bad += bad
        while self._buckets[0][0] <= start_us - self._width_us:
            _, old_answers, old_bad = self._buckets.popleft()
            self.answers -= old_answers
            self._bad -= old_bad


def _episode(
    signal: str, state: str, reading: _Reading, opened_at_us: int, rule: RateRule
) -> RateEpisode:
    return RateEpisode(
        signal=signal,
        state=state,
        share=reading.fast * rule.budget,
        burn_rate=reading.fast,
        answers=reading.answers,
        opened_at_us=opened_at_us,
    )


def _alert(engine: str | None, episode: RateEpisode, moment_us: int) -> Alert:
    return Alert(
        kind=AlertKind.RATE,
        engine=engine,
        event_time_us=moment_us,
        severity=Severity.CRITICAL if episode.state == "open" else Severity.INFO,
        rate=episode,
    )
