"""Detect engines that stopped sending answers, and a subscription without messages."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert, AlertKind, NoDataIncident, Severity
from groundwatch.schemas.quantities import HOUR_US, MINUTE_US
from .rate_counts import bucket_start

_MAX_ENGINES = 1_000  # more engines are not tracked: a producer may name an engine for each answer


class NoDataRule(Record, frozen=True, kw_only=True):
    """When missing answers are worth an alert: after so long without any, if traffic was steady.

    Steady traffic has `min_answers` in an hour, in `min_buckets` of its twelve buckets.
    """

    after_us: int = 30 * MINUTE_US
    # With so many at random, half an hour passes without an answer about once in ten years.
    min_answers: int = 30
    min_buckets: int = 6


class ArrivalBucket(Record, frozen=True, kw_only=True):
    """The answers that arrived in five minutes of the wall clock."""

    start_us: int
    answers: int


# A journal stores these names; those of version 1 stay readable.
class EngineActivity(Record, frozen=True, kw_only=True, rename={"incident": "silence"}):
    """The recent arrivals of an engine, or of the whole subscription, whose engine is None.

    `recent` are the arrivals of the hour before the last one, in the order of time; while an
    incident is open, only those after it opened. Times are by the wall clock.
    """

    engine: str | None
    last_us: int
    recent: tuple[ArrivalBucket, ...] = ()
    incident: NoDataIncident | None = None


def record_arrivals(
    activities: Iterable[EngineActivity], arrivals: Mapping[str | None, int], now_us: int
) -> tuple[EngineActivity, ...]:
    """Record the number of answers of each engine, and under None that of all messages."""
    by_engine = {activity.engine: activity for activity in activities}
    for engine, answers in arrivals.items():
        if answers and (engine in by_engine or len(by_engine) <= _MAX_ENGINES):
            before = by_engine.get(engine) or EngineActivity(engine=engine, last_us=now_us)
            start_us = bucket_start(now_us)
            recent = [bucket for bucket in before.recent if bucket.start_us > start_us - HOUR_US]
            # After the clock was set back, arrivals count in the last bucket.
            if recent and recent[-1].start_us >= start_us:
                recent[-1] = replace(recent[-1], answers=recent[-1].answers + answers)
            else:
                recent.append(ArrivalBucket(start_us=start_us, answers=answers))
            by_engine[engine] = replace(before, last_us=now_us, recent=tuple(recent))
    return tuple(by_engine.values())


def detect_no_data(
    activities: Iterable[EngineActivity], rule: NoDataRule, *, receiving_since_us: int, now_us: int
) -> tuple[list[Alert], tuple[EngineActivity, ...]]:
    """Return alerts for engines that stopped sending answers or resumed, and the new activity.

    Messages are received without delay since `receiving_since_us`: the start of this process, or
    the last time at which messages waited or Pub/Sub did not respond. An engine is dropped after an
    hour without answers if it had no steady traffic before.
    """
    alerts: list[Alert] = []
    kept: list[EngineActivity] = []
    for before in activities:
        idle_us = now_us - max(before.last_us, receiving_since_us)
        answers = sum(bucket.answers for bucket in before.recent)
        was_steady = answers >= rule.min_answers and len(before.recent) >= rule.min_buckets
        engine, after, incident, severity = before.engine, before, before.incident, Severity.INFO
        if incident and before.recent:
            incident, after = replace(incident, state="closed"), replace(before, incident=None)
        elif incident is None and was_steady and idle_us >= rule.after_us:
            incident = NoDataIncident(
                state="open",
                answers_before=answers,
                last_answer_at_us=before.last_us,
                opened_at_us=now_us,
            )
            after = replace(before, recent=(), incident=incident)
            severity = Severity.CRITICAL if engine is None else Severity.WARNING
        if after is not before:
            alert = Alert(
                kind=AlertKind.NO_DATA,
                engine=engine,
                event_time_us=now_us,
                severity=severity,
                no_data=incident,
            )
            alerts.append(alert)
        if now_us - after.last_us <= HOUR_US or after.incident or was_steady:
            kept.append(after)
    return alerts, tuple(kept)
