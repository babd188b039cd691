"""What no single answer shows: rates that rise, engines that fall silent."""

from collections.abc import Iterable, Mapping, Sequence

from launch.watch.journal import Journal
from schemas import Record
from schemas.alert import Alert
from schemas.quantities import DAY_US, MINUTE_US, SECOND_US
from transforms.measure_rates import EngineCounts
from transforms.rules.burn_rate import OpenIncident, RateRule
from transforms.rules.no_data import EngineActivity, NoDataRule, detect_no_data, record_arrivals
from transforms.rules.rate_counts import BUCKET_US, RateCounts, bucket_start
from transforms.rules.rate_incidents import evaluate_rates, first_bucket_us

_LOOK_EVERY_US = 5 * SECOND_US
_CATCH_UP_US = MINUTE_US
_LATENESS_US = DAY_US
_NOTE = "watched"


class EngineWatch(Record, frozen=True, kw_only=True):
    """What has to be remembered of an engine's rates.

    Attributes:
      engine: its bare id, None for answers without one.
      judged_until_us: up to which event time, microseconds since 1970 UTC.
      episodes: those that are open.
    """

    engine: str | None
    judged_until_us: int = 0
    episodes: tuple[OpenIncident, ...] = ()


class Watched(Record, frozen=True, kw_only=True):
    """What has to be remembered over a restart, too.

    Attributes:
      engines: their rates.
      pulses: how often each of them, and the whole subscription, is heard.
    """

    engines: tuple[EngineWatch, ...] = ()
    pulses: tuple[EngineActivity, ...] = ()


class Monitor:
    """Judges the journal's counts every few seconds, and lets it announce what that shows.

    What comes late, since something was in the way, is judged by its event times alone, until
    nothing has been in the way for a minute.

    Args:
      journal: holds the counts, and what was concluded.
      rates: when an episode of rates opens and closes.
      silence: when nothing is worth an alert.
      now_us: the wall clock, microseconds since 1970 UTC.
    """

    def __init__(self, journal: Journal, rates: RateRule, silence: NoDataRule, now_us: int) -> None:
        self._journal = journal
        self._rates = rates
        self._silence = silence
        self._kept_us = rates.slow_window_us + _LATENESS_US
        self._watched = journal.note(_NOTE, Watched) or Watched()
        self._listening_since_us = now_us
        self._current_from_us = now_us
        self._due_at_us = now_us
        # Of what an earlier worker has left nothing is known.
        self._unjudged_from_us = 0
        self._forgot_before_us = 0

    @property
    def open_episodes(self) -> int:
        """How many episodes of rates are open."""
        return sum(len(engine.episodes) for engine in self._watched.engines)

    @property
    def open_silences(self) -> int:
        """How many silences are told and not over."""
        return sum(pulse.incident is not None for pulse in self._watched.pulses)

    def record_arrivals(
        self, messages: int, arrivals: Mapping[str | None, int], now_us: int
    ) -> None:
        """Record what arrived with a batch, whether or not it could be checked.

        Args:
          messages: how many there were.
          arrivals: how many answers, by engine.
          now_us: the wall clock.
        """
        came = dict(arrivals)
        came[None] = messages
        self._remember(pulses=record_arrivals(self._watched.pulses, came, now_us))

    def record_rates(self, rates: Iterable[EngineCounts]) -> None:
        """Record that counts were committed, which may be of a time that was judged before.

        Args:
          rates: what was counted of each engine's answers.
        """
        for _, counts in rates:
            end_us = counts.start_us + BUCKET_US
            self._unjudged_from_us = min(self._unjudged_from_us, end_us)

    def cannot_hear(self, now_us: int) -> None:
        """Hear that messages wait, or none can be taken for now: silence means nothing then."""
        self._listening_since_us = now_us
        self._current_from_us = now_us + _CATCH_UP_US

    def look(self, now_us: int, *, at_once: bool = False) -> Sequence[Alert]:
        """Evaluate rates and activity, if it is time, and put alerts into the journal's outbox.

        Args:
          now_us: the wall clock.
          at_once: whether not to wait.

        Returns:
          The alerts.

        Raises:
          OSError: the journal cannot be written.
        """
        # A clock that was set back keeps nobody waiting.
        if 0 < self._due_at_us - now_us <= _LOOK_EVERY_US and not at_once:
            return ()
        self._due_at_us = now_us + _LOOK_EVERY_US
        self._listening_since_us = min(self._listening_since_us, now_us)
        before = self._watched
        try:
            alerts = [*self._judge_rates(now_us), *self._judge_silence(now_us)]
            if alerts or self._watched != before:
                self._journal.raise_alerts(alerts, {_NOTE: self._watched})
        except OSError:
            # Nobody was told: the next look concludes it again.
            self._watched = before
            raise
        self._unjudged_from_us = now_us
        return alerts

    def _judge_rates(self, now_us: int) -> list[Alert]:
        is_current = not 0 < self._current_from_us - now_us <= _CATCH_UP_US
        # Of the journal only what the windows of the moments to be judged can hold.
        first_us = first_bucket_us(self._rates, min(self._unjudged_from_us, now_us))
        counts = self._journal.rates(first_us)
        engines = {engine.engine: engine for engine in self._watched.engines}
        alerts: list[Alert] = []
        for name in dict.fromkeys([*counts, *engines]):
            watch = engines.get(name) or EngineWatch(engine=name)
            moments = _moments(
                counts.get(name, ()), watch, self._rates, now_us, is_current=is_current
            )
            found, engines[name] = self._judge_engine(watch, counts.get(name, ()), moments)
            alerts += found
        if is_current:
            self._forget(engines, now_us - self._kept_us)
        self._remember(engines=tuple(engines.values()))
        return alerts

    def _judge_engine(
        self, watch: EngineWatch, counts: Sequence[RateCounts], moments: Iterable[int]
    ) -> tuple[list[Alert], EngineWatch]:
        alerts: list[Alert] = []
        for moment_us in moments:
            found, episodes = evaluate_rates(
                watch.engine, counts, self._rates, watch.episodes, moment_us
            )
            alerts += found
            watch = EngineWatch(engine=watch.engine, judged_until_us=moment_us, episodes=episodes)
        return alerts, watch

    def _forget(self, engines: dict[str | None, EngineWatch], before_us: int) -> None:
        """Forget counts to which no late answer can matter, and engines that are long silent."""
        if bucket_start(before_us) == self._forgot_before_us:
            return
        for name, watch in list(engines.items()):
            self._journal.forget_rates(name, before_us)
            if watch.judged_until_us < before_us and not watch.episodes:
                del engines[name]
        self._forgot_before_us = bucket_start(before_us)

    def _judge_silence(self, now_us: int) -> list[Alert]:
        alerts, pulses = detect_no_data(
            self._watched.pulses,
            self._silence,
            receiving_since_us=self._listening_since_us,
            now_us=now_us,
        )
        self._remember(pulses=pulses)
        return alerts

    def _remember(
        self,
        engines: tuple[EngineWatch, ...] | None = None,
        pulses: tuple[EngineActivity, ...] | None = None,
    ) -> None:
        self._watched = Watched(
            engines=self._watched.engines if engines is None else engines,
            pulses=self._watched.pulses if pulses is None else pulses,
        )


def _moments(
    counts: Sequence[RateCounts],
    watch: EngineWatch,
    rule: RateRule,
    now_us: int,
    *,
    is_current: bool,
) -> list[int]:
    """The event times at which an engine is judged: each bucket's end, and now while it talks.

    The last of them again, as long as its bucket may grow. A backlog that is worked off hours later
    is so judged as it would have been in time: now is no moment before that is done.
    """
    ends = sorted({bucket.start_us + BUCKET_US for bucket in counts})
    judged_until_us = min(watch.judged_until_us, now_us)
    moments = [end_us for end_us in ends if judged_until_us <= end_us <= now_us]
    talks = bool(ends) and now_us - ends[-1] <= rule.slow_window_us
    if is_current and (talks or watch.episodes):
        moments.append(now_us)
    return moments
