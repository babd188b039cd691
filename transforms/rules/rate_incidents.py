"""Open and close rate incidents, by burn rates over two windows, and alert on them.

Source: Google SRE workbook, chapter 5, "Multiwindow, Multi-Burn-Rate Alerts",
https://sre.google/workbook/alerting-on-slos/
"""

from collections import deque
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert, AlertKind, RateIncident, Severity
from groundwatch.schemas.quantities import HOUR_US
from .rate_counts import (
    BUCKET_US,
    VERDICT_SIGNALS,
    RateCounts,
    RateWindow,
    bucket_start,
    is_reason_signal,
    merge_buckets,
)


class RateRule(Record, frozen=True, kw_only=True):
    """When an incident opens and closes, by windows of event time.

    Attributes:
      budget: 0..1, the error budget: the acceptable share of bad answers.
      burn_rate: the share over the budget that opens an incident, in both windows.
      closing_burn_rate: closes it, in the slow window if the fast one has too few answers.
      min_answers: a window with fewer answers is not evaluated.
      reason_rise: the same for a skip reason: its share in the fast window over its share before.
      max_rise_us: an incident of a skip reason closes after this time: its share is normal now.
    """

    budget: float = 0.1
    burn_rate: float = 4.0
    closing_burn_rate: float = 2.0
    fast_window_us: int = HOUR_US
    slow_window_us: int = 6 * HOUR_US
    min_answers: int = 5
    reason_rise: float = 4.0
    closing_reason_rise: float = 2.0
    min_reason_answers: int = 10
    max_rise_us: int = 24 * HOUR_US


class OpenIncident(Record, frozen=True, kw_only=True):
    """An open incident of a signal, and the error budget (0..1) with which it opened."""

    signal: str
    opened_at_us: int
    budget: float


class EngineRates(Record, frozen=True, kw_only=True):
    """What a stream keeps of an engine's rates between two evaluations."""

    counts: tuple[RateCounts, ...] = ()
    open_incidents: tuple[OpenIncident, ...] = ()
    evaluated_us: int = 0
    evaluate_at_us: int | None = None


def first_bucket_us(rule: RateRule, now_us: int) -> int:
    """Return the start of the first bucket that an evaluation needs at a time."""
    return bucket_start(bucket_start(now_us - 1) - rule.slow_window_us) + BUCKET_US


def add_to_state(state: EngineRates, counts: RateCounts, published_us: int) -> EngineRates:
    """Add a bucket to the state, and schedule the next evaluation.

    A bucket in the future, by a producer's clock, counts when its last answer was published.
    """
    start_us = min(counts.start_us, bucket_start(published_us))
    evaluate_at_us = max(start_us, state.evaluated_us) + BUCKET_US
    if state.evaluate_at_us is not None:
        evaluate_at_us = min(evaluate_at_us, state.evaluate_at_us)
    merged = tuple(merge_buckets([*state.counts, replace(counts, start_us=start_us)]))
    return replace(state, counts=merged, evaluate_at_us=evaluate_at_us)


def evaluate_state(
    engine: str | None, state: EngineRates, rule: RateRule
) -> tuple[list[Alert], EngineRates]:
    """Evaluate an engine's rates at the scheduled time, and drop old buckets.

    The next evaluation is at the end of the next bucket with answers, of the very next bucket while
    an incident is open, or when the last counts expire. Without one, the state is empty.
    """
    now_us = state.evaluate_at_us
    if now_us is None:
        return [], state
    evaluator = RateEvaluator(engine, rule, state.open_incidents)
    alerts, open_incidents = evaluator.evaluate(state.counts, [now_us]), evaluator.open_incidents
    first_us = first_bucket_us(rule, now_us + BUCKET_US)
    counts = tuple(bucket for bucket in state.counts if bucket.start_us >= first_us)
    times_us = [bucket.start_us + BUCKET_US for bucket in counts if bucket.start_us >= now_us]
    if open_incidents:
        times_us.append(now_us + BUCKET_US)
    if counts:
        # The last evaluation, after which the state is empty.
        times_us.append(counts[-1].start_us + rule.slow_window_us + BUCKET_US)
    return alerts, EngineRates(
        counts=counts,
        open_incidents=open_incidents,
        evaluated_us=now_us,
        evaluate_at_us=min(times_us, default=None),
    )


class RateEvaluator:
    """Open and close the rate incidents of one engine, as event time advances.

    Args:
      engine: whose rates they are.
      rule: when an incident opens and closes.
      open_incidents: those that an earlier evaluator left open.
    """

    def __init__(
        self, engine: str | None, rule: RateRule, open_incidents: Iterable[OpenIncident] = ()
    ) -> None:
        self._incidents = {incident.signal: incident for incident in open_incidents}
        self._engine, self._rule, self._now_us = engine, rule, 0
        self._fast = RateWindow(rule.fast_window_us)
        self._slow = RateWindow(rule.slow_window_us)

    @property
    def open_incidents(self) -> tuple[OpenIncident, ...]:
        return tuple(self._incidents.values())

    def evaluate(
        self, counts: Iterable[RateCounts], times_us: Iterable[int] | None = None
    ) -> list[Alert]:
        """Return the alerts at each time, in order and at most one a signal; call it once.

        Args:
          counts: buckets in any order, those of the slow window before the first time included;
            what begins at the last time or later is not counted.
          times_us: event times in order: the wall clock, except while a backlog is processed.
            Default: the end of each bucket with answers.
        """
        buckets = deque(merge_buckets(counts))
        if times_us is None:
            times_us = [bucket.start_us + BUCKET_US for bucket in buckets]
        alerts: list[Alert] = []
        for now_us in times_us:
            while buckets and buckets[0].start_us < now_us:
                bucket = buckets.popleft()
                self._fast.add(bucket)
                self._slow.add(bucket)
            alerts += self._alerts_at(now_us)
        return alerts

    def _alerts_at(self, now_us: int) -> Iterator[Alert]:
        """Advance to a later time, and open and close incidents."""
        self._now_us = now_us
        self._fast.advance(bucket_start(now_us - 1))
        self._slow.advance(bucket_start(now_us - 1))
        least = self._rule.min_reason_answers
        frequent = (signal for signal, bad in self._fast.bad.items() if bad >= least)
        signals = {*filter(is_reason_signal, frequent), *self._incidents}
        for signal in dict.fromkeys([*VERDICT_SIGNALS, *sorted(signals)]):
            if incident := self._incidents.get(signal):
                if state := self._closing_state(incident):
                    del self._incidents[signal]
                    yield self._alert(state, incident)
            elif (budget := self._exceeded_budget(signal)) is not None:
                opened = OpenIncident(signal=signal, opened_at_us=now_us, budget=budget)
                self._incidents[signal] = opened
                yield self._alert("open", opened)

    def _closing_state(self, incident: OpenIncident) -> str | None:
        """Return how an incident closes now, if it does, which answers in this bucket must show."""
        if not self._slow.answers:
            return "closed_unknown"
        if not self._fast.ends_with(bucket_start(self._now_us - 1)):
            return None
        rule, window, closing_rate = self._rule, self._fast, self._rule.closing_burn_rate
        is_over = False
        if is_reason_signal(incident.signal):
            closing_rate = rule.closing_reason_rise
            is_over = self._now_us - incident.opened_at_us >= rule.max_rise_us
        elif window.answers < rule.min_answers:
            window = self._slow
        is_low = window.share(incident.signal) / incident.budget < closing_rate
        return "closed" if is_over or (window.answers >= rule.min_answers and is_low) else None

    def _exceeded_budget(self, signal: str) -> float | None:
        """Return the budget that a signal exceeds, if it does.

        That of a skip reason is its earlier share, or the least that makes its rise significant.
        """
        fast, slow, rule = self._fast, self._slow, self._rule
        if not is_reason_signal(signal):
            share = min(fast.share(signal), slow.share(signal))
            is_burnt = share / rule.budget >= rule.burn_rate
            return rule.budget if is_burnt and fast.answers >= rule.min_answers else None
        if fast.bad[signal] < rule.min_reason_answers:
            return None
        # One more answer with the reason is assumed, since few earlier answers prove little.
        bad_before = slow.bad[signal] - fast.bad[signal] + 1
        share_before = bad_before / (slow.answers - fast.answers + 1)
        if fast.share(signal) < share_before * rule.reason_rise:
            return None
        return max(share_before, rule.min_reason_answers / fast.answers / rule.reason_rise)

    def _alert(self, state: str, incident: OpenIncident) -> Alert:
        share = self._fast.share(incident.signal)
        opening = Severity.WARNING if is_reason_signal(incident.signal) else Severity.CRITICAL
        return Alert(
            kind=AlertKind.RATE,
            engine=self._engine,
            event_time_us=self._now_us,
            severity=opening if state == "open" else Severity.INFO,
            rate=RateIncident(
                signal=incident.signal,
                state=state,
                share=share,
                burn_rate=share / incident.budget,
                answers=self._fast.answers,
                opened_at_us=incident.opened_at_us,
                revisions=self._fast.mixed_revisions(),
            ),
        )
