"""Evaluate the rates of an engine over time; alert when an incident opens and when it closes."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from schemas import Record
from schemas.alert import Alert, AlertKind, RateIncident, Severity
from transforms.rules.burn_rate import OpenIncident, RateRule, Windows, closing_state, open_incident
from transforms.rules.rate_counts import (
    BUCKET_US,
    VERDICT_SIGNALS,
    RateCounts,
    bucket_start,
    is_reason_signal,
    merge_buckets,
)


class RateState(Record, frozen=True, kw_only=True):
    """What a stream keeps of an engine's rates between two evaluations.

    Attributes:
      counts: the buckets that are still needed, in the order of time.
      open_incidents: the incidents that are open.
      evaluated_us, evaluate_at_us: the times of the last and the next evaluation, microseconds
        since 1970 UTC; 0 before the first, None if no other is needed.
    """

    counts: tuple[RateCounts, ...] = ()
    open_incidents: tuple[OpenIncident, ...] = ()
    evaluated_us: int = 0
    evaluate_at_us: int | None = None


def find_rate_alerts(
    engine: str | None, counts: Iterable[RateCounts], rule: RateRule
) -> list[Alert]:
    """Find the incidents of one engine in an archive.

    Args:
      engine: whose counts these are.
      counts: all its buckets, in any order; several of one bucket are added.
      rule: when an incident opens and closes.

    Returns:
      The alerts of all signals in the order of time, each at the end of the bucket that showed it.
      An incident that is open after the last bucket stays open.
    """
    windows = Windows(rule)
    open_incidents: dict[str, OpenIncident] = {}
    alerts: list[Alert] = []
    for bucket in merge_buckets(counts):
        windows.add(bucket)
        windows.advance(bucket.start_us + BUCKET_US)
        alerts += _evaluate(engine, windows, rule, open_incidents)
    return alerts


def find_all_rate_alerts(
    counts: Iterable[tuple[str | None, RateCounts]], rule: RateRule
) -> list[Alert]:
    """Find the incidents of all engines in an archive.

    Args:
      counts: the buckets of all engines, each with its engine, in any order.
      rule: when an incident opens and closes.

    Returns:
      The alerts, engine by engine.
    """
    by_engine: dict[str | None, list[RateCounts]] = {}
    for engine, bucket in counts:
        by_engine.setdefault(engine, []).append(bucket)
    return [
        alert
        for engine, buckets in by_engine.items()
        for alert in find_rate_alerts(engine, buckets, rule)
    ]


def evaluate_rates(
    engine: str | None,
    counts: Iterable[RateCounts],
    rule: RateRule,
    open_incidents: Iterable[OpenIncident],
    now_us: int,
) -> tuple[list[Alert], tuple[OpenIncident, ...]]:
    """Return the incidents of one engine that open or close at a time.

    Call it again with the incidents that it returned, also while an engine with an open incident
    sends no answers. Called at the end of each bucket with answers, it finds the incidents of
    `find_rate_alerts`.

    Args:
      engine: whose counts these are.
      counts: the slow window's buckets at least, in any order; several of one bucket are added.
        Buckets outside of the windows make no difference.
      rule: when an incident opens and closes.
      open_incidents: the open incidents of this engine.
      now_us: the progress of event time, microseconds since 1970 UTC: the wall clock, except while
        a backlog is processed.

    Returns:
      The alerts, at most one for each signal, and the incidents that are open now.
    """
    windows = Windows(rule)
    for bucket in merge_buckets(bucket for bucket in counts if bucket.start_us < now_us):
        windows.add(bucket)
    windows.advance(now_us)
    by_signal = {incident.signal: incident for incident in open_incidents}
    alerts = list(_evaluate(engine, windows, rule, by_signal))
    return alerts, tuple(by_signal.values())


def first_bucket_us(rule: RateRule, now_us: int) -> int:
    """Return the start of the first bucket that `evaluate_rates` needs at a time."""
    return bucket_start(bucket_start(now_us - 1) - rule.slow_window_us) + BUCKET_US


def add_to_state(state: RateState, counts: RateCounts, published_us: int) -> RateState:
    """Add a bucket to the state, and schedule the next evaluation.

    A bucket in the future, by a producer's clock, counts when its last answer was published, in
    microseconds since 1970 UTC.
    """
    start_us = min(counts.start_us, bucket_start(published_us))
    evaluate_at_us = max(start_us, state.evaluated_us) + BUCKET_US
    if state.evaluate_at_us is not None:
        evaluate_at_us = min(evaluate_at_us, state.evaluate_at_us)
    return replace(
        state,
        counts=tuple(merge_buckets([*state.counts, replace(counts, start_us=start_us)])),
        evaluate_at_us=evaluate_at_us,
    )


def evaluate_state(
    engine: str | None, state: RateState, rule: RateRule
) -> tuple[list[Alert], RateState]:
    """Evaluate an engine's rates at the scheduled time, and drop old buckets.

    Returns:
      The alerts, and the new state. Its next evaluation is at the end of the next bucket with
      answers, of the very next bucket while an incident is open, or when the last counts expire.
      Without a next evaluation, the state is empty.
    """
    now_us = state.evaluate_at_us
    if now_us is None:
        return [], state
    alerts, open_incidents = evaluate_rates(
        engine, state.counts, rule, state.open_incidents, now_us
    )
    first_us = first_bucket_us(rule, now_us + BUCKET_US)
    counts = tuple(bucket for bucket in state.counts if bucket.start_us >= first_us)
    times_us = [bucket.start_us + BUCKET_US for bucket in counts if bucket.start_us >= now_us]
    if open_incidents:
        times_us.append(now_us + BUCKET_US)
    if counts:
        # The last evaluation, after which the state is empty.
        times_us.append(counts[-1].start_us + rule.slow_window_us + BUCKET_US)
    return alerts, RateState(
        counts=counts,
        open_incidents=open_incidents,
        evaluated_us=now_us,
        evaluate_at_us=min(times_us, default=None),
    )


def _evaluate(
    engine: str | None, windows: Windows, rule: RateRule, open_incidents: dict[str, OpenIncident]
) -> Iterator[Alert]:
    """Open and close incidents, which are given by signal."""
    reasons = windows.fast.reason_signals(rule.min_reason_answers)
    for signal in dict.fromkeys([*VERDICT_SIGNALS, *sorted({*reasons, *open_incidents})]):
        if signal in open_incidents:
            if state := closing_state(open_incidents[signal], windows, rule):
                yield _alert(engine, state, open_incidents.pop(signal), windows)
        elif incident := open_incident(signal, windows, rule):
            open_incidents[signal] = incident
            yield _alert(engine, "open", incident, windows)


def _alert(engine: str | None, state: str, incident: OpenIncident, windows: Windows) -> Alert:
    share = windows.fast.share(incident.signal)
    return Alert(
        kind=AlertKind.RATE,
        engine=engine,
        event_time_us=windows.now_us,
        severity=_severity(state, incident.signal),
        rate=RateIncident(
            signal=incident.signal,
            state=state,
            share=share,
            burn_rate=share / incident.budget,
            answers=windows.fast.answers,
            opened_at_us=incident.opened_at_us,
        ),
    )


def _severity(state: str, signal: str) -> Severity:
    if state != "open":
        return Severity.INFO
    return Severity.WARNING if is_reason_signal(signal) else Severity.CRITICAL
