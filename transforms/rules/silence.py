"""When an engine that had steady traffic has fallen silent, or a whole subscription has."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from schemas import Record
from schemas.alert import Alert, AlertKind, NoDataIncident, Severity
from schemas.quantities import HOUR_US, MINUTE_US
from transforms.rules.rate_counts import bucket_of

_MOST_ENGINES = 1_000
"""Of further ones no silence is noticed: a producer may name an engine for each answer."""


class SilenceRule(Record, frozen=True, kw_only=True):
    """When nothing is worth an alert.

    Attributes:
      after_us: microseconds without an answer after which a silence is told.
      min_answers: fewer answers in the hour before are no steady traffic. With so many at random,
        half an hour passes without one about once in ten years; a shorter time asks for more.
      min_stretches: in how many of that hour's twelve stretches of five minutes they came at
        least; a burst is no steady traffic either.
    """

    after_us: int = 30 * MINUTE_US
    min_answers: int = 30
    min_stretches: int = 6


class Stretch(Record, frozen=True, kw_only=True):
    """How many answers came in the five minutes that begin then, by the wall clock."""

    start_us: int
    answers: int


class Pulse(Record, frozen=True, kw_only=True):
    """What has to be remembered of an engine, or of the subscription, to notice its silence.

    Attributes:
      engine: its bare id; None for the whole subscription.
      last_us: when something came last, microseconds since 1970 UTC, by the wall clock.
      recent: what came in the hour until then, in the order of time; since a silence was told,
        only what came after it.
      silence: the one that was told and is not over, or None.
    """

    engine: str | None
    last_us: int
    recent: tuple[Stretch, ...] = ()
    silence: NoDataIncident | None = None


def hear(pulses: Iterable[Pulse], came: Mapping[str | None, int], now_us: int) -> tuple[Pulse, ...]:
    """Remember that answers came; it is their coming that counts, not their event times.

    Args:
      pulses: what is remembered so far.
      came: how many answers of each engine; under None how many messages of the subscription, all
        of them. Answers without an engine count there alone.
      now_us: the wall clock, microseconds since 1970 UTC.

    Returns:
      What is to be remembered from now on.
    """
    by_engine = {pulse.engine: pulse for pulse in pulses}
    for engine, answers in came.items():
        if answers and (engine in by_engine or len(by_engine) <= _MOST_ENGINES):
            before = by_engine.get(engine) or Pulse(engine=engine, last_us=now_us)
            by_engine[engine] = _heard(before, answers, now_us)
    return tuple(by_engine.values())


def judge_silence(
    pulses: Iterable[Pulse], rule: SilenceRule, *, listening_since_us: int, now_us: int
) -> tuple[list[Alert], tuple[Pulse, ...]]:
    """Find out who has fallen silent, and who is back.

    Args:
      pulses: what is remembered of each engine, and of the subscription.
      rule: when nothing is worth an alert.
      listening_since_us: since when everything that comes has been taken at once: the start of
        this process, or the last moment at which messages waited or Pub/Sub did not answer.
        Silence before that is no one else's.
      now_us: the wall clock, microseconds since 1970 UTC.

    Returns:
      The alerts, at most one for each pulse; and the pulses to remember. One that tells nothing
      any more is forgotten: no answer for an hour, and no steady traffic before.
    """
    alerts: list[Alert] = []
    kept: list[Pulse] = []
    for before in pulses:
        pulse = _judged(before, rule, listening_since_us, now_us)
        alerts += _told(before, pulse, now_us)
        if not _tells_nothing(pulse, rule, now_us):
            kept.append(pulse)
    return alerts, tuple(kept)


def _heard(pulse: Pulse, answers: int, now_us: int) -> Pulse:
    start_us = bucket_of(now_us)
    recent = [stretch for stretch in pulse.recent if stretch.start_us > start_us - HOUR_US]
    # A clock that was set back counts on where it was.
    if recent and recent[-1].start_us >= start_us:
        latest = recent.pop()
        start_us, answers = latest.start_us, latest.answers + answers
    recent.append(Stretch(start_us=start_us, answers=answers))
    return replace(pulse, last_us=now_us, recent=tuple(recent))


def _judged(pulse: Pulse, rule: SilenceRule, listening_since_us: int, now_us: int) -> Pulse:
    if pulse.silence:
        return replace(pulse, silence=None) if pulse.recent else pulse
    silent_us = now_us - max(pulse.last_us, listening_since_us)
    if silent_us < rule.after_us or not _was_steady(pulse, rule):
        return pulse
    silence = NoDataIncident(
        state="open",
        answers_before=_answers(pulse),
        last_answer_at_us=pulse.last_us,
        opened_at_us=now_us,
    )
    return replace(pulse, recent=(), silence=silence)


def _told(before: Pulse, after: Pulse, now_us: int) -> Iterator[Alert]:
    if after.silence and not before.silence:
        severity = Severity.CRITICAL if after.engine is None else Severity.WARNING
        yield _alert(after.engine, after.silence, severity, now_us)
    elif before.silence and not after.silence:
        over = replace(before.silence, state="closed")
        yield _alert(after.engine, over, Severity.INFO, now_us)


def _alert(engine: str | None, silence: NoDataIncident, severity: Severity, now_us: int) -> Alert:
    return Alert(
        kind=AlertKind.NO_DATA,
        engine=engine,
        event_time_us=now_us,
        severity=severity,
        no_data=silence,
    )


def _was_steady(pulse: Pulse, rule: SilenceRule) -> bool:
    return _answers(pulse) >= rule.min_answers and len(pulse.recent) >= rule.min_stretches


def _answers(pulse: Pulse) -> int:
    return sum(stretch.answers for stretch in pulse.recent)


def _tells_nothing(pulse: Pulse, rule: SilenceRule, now_us: int) -> bool:
    is_old = now_us - pulse.last_us > HOUR_US
    return is_old and pulse.silence is None and not _was_steady(pulse, rule)
