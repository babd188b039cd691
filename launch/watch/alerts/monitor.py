"""Raise alerts about rates, engines without answers and failing checkers; time all alerts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from groundwatch.launch.engine.journal import Journal
from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert, AlertKind, CheckerIncident
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import DAY_US, MINUTE_US, SECOND_US
from groundwatch.transforms.rules import rate_incidents
from groundwatch.transforms.rules.checker_outages import CheckerStatus, OutageRule, detect_outages
from groundwatch.transforms.rules.no_data import (
    EngineActivity,
    NoDataRule,
    detect_no_data,
    record_arrivals,
)
from groundwatch.transforms.rules.rate_counts import (
    BUCKET_US,
    EngineCounts,
    RateCounts,
    bucket_start,
)
from groundwatch.transforms.runtime.counters import ALERT_LATENCY_MS

_INTERVAL_US = 5 * SECOND_US
_CATCH_UP_US = MINUTE_US
# A step takes seconds. The process was stopped, the machine slept, a batch took long, or the clock
# was set: that time says nothing about the producers.
_GAP_US = MINUTE_US / 2
_NOTE = "monitor"
_US_PER_MS = 1_000


class EngineState(Record, frozen=True, kw_only=True):
    """The open rate incidents of an engine, and the event time of the last evaluation."""

    engine: str | None
    evaluated_until_us: int = 0
    incidents: tuple[rate_incidents.OpenIncident, ...] = ()


class MonitorState(Record, frozen=True, kw_only=True):
    """The state that survives a restart: the incidents, and how often answers arrive."""

    engines: tuple[EngineState, ...] = ()
    activity: tuple[EngineActivity, ...] = ()
    outages: tuple[CheckerIncident, ...] = ()


class Monitor:
    """Evaluate the journal's counts every few seconds, and put alerts into its outbox.

    Answers that arrive late because messages waited, or could not be pulled, are evaluated by their
    event times alone, until the worker has been current for a minute.
    """

    def __init__(
        self,
        journal: Journal,
        rates: rate_incidents.RateRule,
        no_data: NoDataRule,
        outages: OutageRule,
        now_us: int,
    ) -> None:
        self._journal = journal
        self._rates = rates
        self._no_data = no_data
        self._outages = outages
        self._kept_us = rates.slow_window_us + DAY_US
        self._state = journal.database.note(_NOTE, MonitorState) or MonitorState()
        self._receiving_since_us = now_us
        self._current_from_us = now_us
        self._due_at_us = self._asked_at_us = now_us
        # Nothing is known of what an earlier worker has evaluated.
        self._unevaluated_from_us = 0
        self._deleted_before_us = 0

    @property
    def open_incident_counts(self) -> dict[str, int]:
        """How many incidents of each kind are open."""
        return {
            AlertKind.RATE: sum(len(engine.incidents) for engine in self._state.engines),
            AlertKind.NO_DATA: sum(each.incident is not None for each in self._state.activity),
            AlertKind.CHECKER: len(self._state.outages),
        }

    def record_arrivals(self, messages: int, counts: Mapping[str | None, int], now_us: int) -> None:
        """Record so many messages, and answers by engine, whether or not they could be checked."""
        arrived = {**counts, None: messages}
        activity = record_arrivals(self._state.activity, arrived, now_us)
        self._state = replace(self._state, activity=activity)

    def record_rates(self, rates: Iterable[EngineCounts]) -> None:
        """Record that counts were committed, also of a time that was evaluated before."""
        ends_us = (counts.start_us + BUCKET_US for _, counts in rates)
        self._unevaluated_from_us = min([self._unevaluated_from_us, *ends_us])

    def record_backlog(self, now_us: int) -> None:
        """Record that messages wait, or cannot be pulled: missing answers mean nothing then."""
        self._receiving_since_us = now_us
        self._current_from_us = now_us + _CATCH_UP_US

    def evaluate(
        self,
        now_us: int,
        checkers: Iterable[CheckerStatus] = (),
        *,
        waiting: int = 0,
        at_once: bool = False,
    ) -> Sequence[Alert]:
        """Evaluate rates, activity and checkers, if it is time, and put alerts into the outbox.

        `waiting` messages are not done.
        """
        if abs(now_us - self._asked_at_us) > _GAP_US:
            self._receiving_since_us = now_us
        self._asked_at_us = now_us
        # A clock that was set back delays nothing.
        if 0 < self._due_at_us - now_us <= _INTERVAL_US and not at_once:
            return ()
        self._due_at_us = now_us + _INTERVAL_US
        self._receiving_since_us = min(self._receiving_since_us, now_us)
        before = self._state
        try:
            alerts = self._evaluate_rates(now_us)
            found, activity = detect_no_data(
                self._state.activity,
                self._no_data,
                receiving_since_us=self._receiving_since_us,
                now_us=now_us,
            )
            alerts += found
            found, outages = detect_outages(
                self._state.outages, checkers, self._outages, waiting=waiting, now_us=now_us
            )
            alerts += found
            self._state = replace(self._state, activity=activity, outages=outages)
            if alerts or self._state != before:
                self._journal.raise_alerts(alerts, {_NOTE: self._state})
        except OSError:
            # Nothing was published: the next evaluation finds it again.
            self._state = before
            raise
        self._unevaluated_from_us = now_us
        return alerts

    def _evaluate_rates(self, now_us: int) -> list[Alert]:
        is_current = not 0 < self._current_from_us - now_us <= _CATCH_UP_US
        first_us = rate_incidents.first_bucket_us(
            self._rates, min(self._unevaluated_from_us, now_us)
        )
        counts = self._journal.rates(first_us)
        engines = {engine.engine: engine for engine in self._state.engines}
        alerts: list[Alert] = []
        for name in dict.fromkeys([*counts, *engines]):
            state = engines.get(name) or EngineState(engine=name)
            buckets = counts.get(name, [])
            times_us = self._evaluation_times(buckets, state, now_us, is_current=is_current)
            evaluator = rate_incidents.RateEvaluator(name, self._rates, state.incidents)
            alerts += evaluator.evaluate(buckets, times_us)
            engines[name] = EngineState(
                engine=name,
                evaluated_until_us=times_us[-1] if times_us else state.evaluated_until_us,
                incidents=evaluator.open_incidents,
            )
        if is_current:
            self._delete_old(engines, now_us - self._kept_us)
        self._state = replace(self._state, engines=tuple(engines.values()))
        return alerts

    def _delete_old(self, engines: dict[str | None, EngineState], before_us: int) -> None:
        """Delete counts to which no late answer belongs, and engines that are long inactive."""
        if bucket_start(before_us) == self._deleted_before_us:
            return
        for name, state in list(engines.items()):
            self._journal.delete_rates(name, before_us)
            if state.evaluated_until_us < before_us and not state.incidents:
                del engines[name]
        self._deleted_before_us = bucket_start(before_us)

    def _evaluation_times(
        self, buckets: Sequence[RateCounts], state: EngineState, now_us: int, *, is_current: bool
    ) -> list[int]:
        """List the event times to evaluate: each bucket's end, and now if the engine is active.

        The last one is evaluated again while its bucket may grow. While a backlog is processed, now
        is left out, so that the backlog is evaluated as it would have been in time.
        """
        ends = sorted({bucket.start_us + BUCKET_US for bucket in buckets})
        evaluated_until_us = min(state.evaluated_until_us, now_us)
        times_us = [end_us for end_us in ends if evaluated_until_us <= end_us <= now_us]
        is_active = bool(ends) and now_us - ends[-1] <= self._rates.slow_window_us
        if is_current and (is_active or state.incidents):
            times_us.append(now_us)
        return times_us


class AlertLatency(Counter[int]):
    """Measure the longest possible time from a message's arrival to its alert's publication.

    It counts the alerts that are durable and not published, by the arrival of the oldest message.
    """

    def add(self, messages: Sequence[Message], alerts: int) -> None:
        times_us = [m.arrived_us for m in messages if m.arrived_us is not None]
        if alerts and times_us:
            self[min(times_us)] += alerts

    def record_published(self, now_us: int) -> None:
        """Measure all pending alerts, which are published now, in microseconds since 1970 UTC."""
        for oldest_us in self.elements():
            ALERT_LATENCY_MS.update(max(0, now_us - oldest_us) // _US_PER_MS)
        self.clear()
