"""The episodes in which an engine's bad answers become too many: one alert at each end."""

from collections.abc import Iterable, Iterator

from schemas.alert import Alert, AlertKind, RateIncident, Severity
from transforms.rules.burn_rate import OpenEpisode, RateRule, Reading, closing, opening
from transforms.rules.rate_counts import BUCKET_US, RateCounts, bucket_of, in_order
from transforms.rules.rate_windows import VERDICT_SIGNALS, RateWindow, is_about_reason


def judge_rates(
    engine: str | None,
    counts: Iterable[RateCounts],
    rule: RateRule,
    open_episodes: Iterable[OpenEpisode],
    now_us: int,
) -> tuple[list[Alert], tuple[OpenEpisode, ...]]:
    """Find out which episodes of one engine open or close at a moment, as answers come in.

    To be asked again and again, with what it returned before: also while an engine is silent, for
    as long as one of its episodes is open. Judged at the end of each bucket that holds answers,
    it finds the episodes of `rate_alerts`.

    Args:
      engine: whose counts these are.
      counts: of the slow window's buckets at least, in any order; several for one bucket are
        added up. What lies outside of the windows, or after now, makes no difference.
      rule: when an episode opens and closes.
      open_episodes: those of this engine.
      now_us: microseconds since 1970 UTC: how far the answers' event times have come. That is the
        wall clock, unless a backlog is being worked off.

    Returns:
      The alerts, at most one for each signal, and the episodes that are open from now on.
    """
    judge = _Judge(engine, rule, open_episodes)
    for bucket in in_order(bucket for bucket in counts if bucket.start_us < now_us):
        judge.add(bucket)
    return list(judge.alerts(now_us)), tuple(judge.open.values())


def first_bucket_us(rule: RateRule, now_us: int) -> int:
    """The start of the first bucket that `judge_rates` looks at; earlier counts are not needed."""
    return bucket_of(bucket_of(now_us - 1) - rule.slow_window_us) + BUCKET_US


def rate_alerts(engine: str | None, counts: Iterable[RateCounts], rule: RateRule) -> list[Alert]:
    """Find the episodes of one engine in what is over: one alert when each opens and closes.

    Args:
      engine: whose counts these are.
      counts: of all its buckets, in any order; several for one bucket are added up.
      rule: when an episode opens and closes.

    Returns:
      The alerts of all signals, in the order of time, each at the end of the bucket that showed
      it. An episode that still burns at the last bucket stays open.
    """
    judge = _Judge(engine, rule, ())
    alerts: list[Alert] = []
    for bucket in in_order(counts):
        judge.add(bucket)
        alerts += judge.alerts(bucket.start_us + BUCKET_US)
    return alerts


class _Judge:
    """Both windows of an engine, moved on through time, and its open episodes by signal."""

    def __init__(
        self, engine: str | None, rule: RateRule, open_episodes: Iterable[OpenEpisode]
    ) -> None:
        self.open = {episode.signal: episode for episode in open_episodes}
        self._engine = engine
        self._rule = rule
        self._fast = RateWindow(rule.fast_window_us)
        self._slow = RateWindow(rule.slow_window_us)

    def add(self, counts: RateCounts) -> None:
        """Count a bucket that is later than all before."""
        self._fast.add(counts)
        self._slow.add(counts)

    def alerts(self, now_us: int) -> Iterator[Alert]:
        """Open and close what opens and closes now."""
        for window in (self._fast, self._slow):
            window.move_to(bucket_of(now_us - 1))
        reading = Reading(now_us=now_us, fast=self._fast, slow=self._slow)
        for signal in self._signals():
            if signal not in self.open:
                yield from self._opened(signal, reading)
            elif state := closing(self.open[signal], reading, self._rule):
                yield _alert(self._engine, state, self.open.pop(signal), reading)

    def _opened(self, signal: str, reading: Reading) -> Iterator[Alert]:
        episode = opening(signal, reading, self._rule)
        if episode is not None:
            self.open[signal] = episode
            yield _alert(self._engine, "open", episode, reading)

    def _signals(self) -> Iterable[str]:
        reasons = self._fast.reasons(at_least=self._rule.min_reason_answers)
        return dict.fromkeys([*VERDICT_SIGNALS, *sorted({*reasons, *self.open})])


def _alert(engine: str | None, state: str, episode: OpenEpisode, reading: Reading) -> Alert:
    share = reading.fast.share(episode.signal)
    return Alert(
        kind=AlertKind.RATE,
        engine=engine,
        event_time_us=reading.now_us,
        severity=_severity(state, episode.signal),
        rate=RateIncident(
            signal=episode.signal,
            state=state,
            share=share,
            burn_rate=share / episode.budget,
            answers=reading.fast.answers,
            opened_at_us=episode.opened_at_us,
        ),
    )


def _severity(state: str, signal: str) -> Severity:
    if state != "open":
        return Severity.INFO
    return Severity.WARNING if is_about_reason(signal) else Severity.CRITICAL
