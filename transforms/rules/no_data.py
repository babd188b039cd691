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
      min_answers: traffic with fewer in the hour before is not steady. With this many at random,
        half an hour passes without one about once in ten years; a shorter time needs more.
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
    """The recent arrivals of an engine, or of the whole subscription, whose engine is None.

    Attributes:
      last_us: the time of the last arrival, microseconds since 1970 UTC, by the wall clock.
      recent: the arrivals of the hour before `last_us`, in the order of time; while an incident is
        open, only those after it opened.
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
            start_us = bucket_start(now_us)
            recent = [bucket for bucket in before.recent if bucket.start_us > start_us - HOUR_US]
            # After the clock was set back, arrivals count in the last bucket.
            latest = recent.pop() if recent and recent[-1].start_us >= start_us else None
            recent.append(
                ArrivalBucket(
                    start_us=latest.start_us if latest else start_us,
                    answers=answers + (latest.answers if latest else 0),
                )
            )
            by_engine[engine] = replace(before, last_us=now_us, recent=tuple(recent))
    return tuple(by_engine.values())


def detect_no_data(
    activities: Iterable[EngineActivity],
    rule: NoDataRule,
    *,
    receiving_since_us: int,
    now_us: int,
) -> tuple[list[Alert], tuple[EngineActivity, ...]]:
    """Return alerts for engines that stopped sending answers or resumed, and the new activity.

    Times are microseconds since 1970 UTC, by the wall clock. Messages are received without delay
    since `receiving_since_us`: the start of this process, or the last time at which messages waited
    or Pub/Sub did not respond. An engine is dropped after an hour without answers if it had no
    steady traffic before.
    """
    alerts: list[Alert] = []
    kept: list[EngineActivity] = []
    for before in activities:
        idle_us = now_us - max(before.last_us, receiving_since_us)
        after, alert = _evaluate(before, rule, idle_us, now_us)
        alerts += [alert] if alert else []
        is_recent = now_us - after.last_us <= HOUR_US
        if is_recent or after.incident or _was_steady(after, rule):
            kept.append(after)
    return alerts, tuple(kept)


def _evaluate(
    activity: EngineActivity, rule: NoDataRule, idle_us: int, now_us: int
) -> tuple[EngineActivity, Alert | None]:
    engine = activity.engine
    if activity.incident and activity.recent:
        incident, severity = replace(activity.incident, state="closed"), Severity.INFO
        after = replace(activity, incident=None)
    elif activity.incident or idle_us < rule.after_us or not _was_steady(activity, rule):
        return activity, None
    else:
        incident = NoDataIncident(
            state="open",
            answers_before=_count_answers(activity),
            last_answer_at_us=activity.last_us,
            opened_at_us=now_us,
        )
        severity = Severity.CRITICAL if engine is None else Severity.WARNING
        after = replace(activity, recent=(), incident=incident)
    return after, Alert(
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
