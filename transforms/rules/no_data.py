"""Detect engines that stopped sending answers, and a subscription without messages."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from schemas import Record
from schemas.alert import Alert, AlertKind, NoDataIncident, Severity
from schemas.quantities import HOUR_US, MINUTE_US
from transforms.rules.rate_counts import bucket_start

_MAX_ENGINES = 1_000  # more engines are not tracked: a producer may name an engine for each answer


class NoDataRule(Record, frozen=True, kw_only=True):
    """When missing answers are worth an alert.

    Attributes:
      after_us: microseconds without an answer after which an incident opens.
      min_answers: traffic with fewer answers in the hour before is not steady. With this many at
        random, half an hour passes without one about once in ten years; a shorter time needs more.
      min_buckets: steady traffic has answers in this many of that hour's twelve buckets.
    """

    after_us: int = 30 * MINUTE_US
    min_answers: int = 30
    min_buckets: int = 6


class ArrivalBucket(Record, frozen=True, kw_only=True):
    """The answers that arrived in five minutes of the wall clock."""

    start_us: int
    answers: int


# A journal stores these names; those of version 1 stay readable.
class EngineActivity(Record, frozen=True, kw_only=True, rename={"incident": "silence"}):
    """The recent arrivals of an engine, or of the whole subscription.

    Attributes:
      engine: its bare id; None for the whole subscription.
      last_us: the time of the last arrival, microseconds since 1970 UTC, by the wall clock.
      recent: the arrivals of the hour before `last_us`, in the order of time; while an incident is
        open, only those after it opened.
      incident: the open incident, or None.
    """

    engine: str | None
    last_us: int
    recent: tuple[ArrivalBucket, ...] = ()
    incident: NoDataIncident | None = None


def record_arrivals(
    activities: Iterable[EngineActivity], arrivals: Mapping[str | None, int], now_us: int
) -> tuple[EngineActivity, ...]:
    """Record the number of answers of each engine at the time of their arrival.

    Under None is the number of all messages of the subscription; answers without an engine count
    only there. `now_us` is the wall clock, microseconds since 1970 UTC.
    """
    by_engine = {activity.engine: activity for activity in activities}
    for engine, answers in arrivals.items():
        if answers and (engine in by_engine or len(by_engine) <= _MAX_ENGINES):
            before = by_engine.get(engine) or EngineActivity(engine=engine, last_us=now_us)
            by_engine[engine] = _add_arrivals(before, answers, now_us)
    return tuple(by_engine.values())


def detect_no_data(
    activities: Iterable[EngineActivity],
    rule: NoDataRule,
    *,
    receiving_since_us: int,
    now_us: int,
) -> tuple[list[Alert], tuple[EngineActivity, ...]]:
    """Return alerts for engines that stopped sending answers, and for those that resumed.

    Args:
      activities: the activity of each engine and of the subscription.
      rule: when missing answers are worth an alert.
      receiving_since_us: since when messages are received without delay: the start of this process,
        or the last time at which messages waited or Pub/Sub did not respond.
      now_us: the wall clock, microseconds since 1970 UTC.

    Returns:
      The alerts, at most one for each activity, and the new activity. An engine is dropped after an
      hour without answers if it had no steady traffic before.
    """
    alerts: list[Alert] = []
    kept: list[EngineActivity] = []
    for before in activities:
        idle_us = now_us - max(before.last_us, receiving_since_us)
        after, alert = _evaluate(before, rule, idle_us, now_us)
        alerts += [alert] if alert else []
        if not _is_expired(after, rule, now_us):
            kept.append(after)
    return alerts, tuple(kept)


def _add_arrivals(activity: EngineActivity, answers: int, now_us: int) -> EngineActivity:
    start_us = bucket_start(now_us)
    recent = [bucket for bucket in activity.recent if bucket.start_us > start_us - HOUR_US]
    # After the clock was set back, arrivals count in the last bucket.
    if recent and recent[-1].start_us >= start_us:
        latest = recent.pop()
        start_us, answers = latest.start_us, latest.answers + answers
    recent.append(ArrivalBucket(start_us=start_us, answers=answers))
    return replace(activity, last_us=now_us, recent=tuple(recent))


def _evaluate(
    activity: EngineActivity, rule: NoDataRule, idle_us: int, now_us: int
) -> tuple[EngineActivity, Alert | None]:
    engine = activity.engine
    if activity.incident and activity.recent:
        closed = replace(activity.incident, state="closed")
        return replace(activity, incident=None), _alert(engine, closed, Severity.INFO, now_us)
    if activity.incident or idle_us < rule.after_us or not _was_steady(activity, rule):
        return activity, None
    incident = NoDataIncident(
        state="open",
        answers_before=_count_answers(activity),
        last_answer_at_us=activity.last_us,
        opened_at_us=now_us,
    )
    severity = Severity.CRITICAL if engine is None else Severity.WARNING
    opened = replace(activity, recent=(), incident=incident)
    return opened, _alert(engine, incident, severity, now_us)


def _alert(engine: str | None, incident: NoDataIncident, severity: Severity, now_us: int) -> Alert:
    return Alert(
        kind=AlertKind.NO_DATA,
        engine=engine,
        event_time_us=now_us,
        severity=severity,
        no_data=incident,
    )


def _was_steady(activity: EngineActivity, rule: NoDataRule) -> bool:
    return _count_answers(activity) >= rule.min_answers and len(activity.recent) >= rule.min_buckets


def _count_answers(activity: EngineActivity) -> int:
    return sum(bucket.answers for bucket in activity.recent)


def _is_expired(activity: EngineActivity, rule: NoDataRule, now_us: int) -> bool:
    is_old = now_us - activity.last_us > HOUR_US
    return is_old and activity.incident is None and not _was_steady(activity, rule)
