"""RateAlerts: alert when the share of an engine's bad answers uses up its error budget."""

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.pvalue import PCollection
from apache_beam.transforms import userstate
from apache_beam.transforms.timeutil import TimeDomain
from apache_beam.utils.timestamp import Timestamp

from groundwatch.schemas.alert import Alert
from .rules.rate_counts import EngineCounts, RateCounts
from .rules.rate_incidents import EngineRates, RateEvaluator, RateRule, add_to_state, evaluate_state
from .runtime.record_coder import RecordCoder


class RateAlerts(beam.PTransform):
    """Alert when a rate incident of an engine opens, and when it closes.

    Input: PCollection[(engine, RateCounts)].
    Output: PCollection[Alert], one when an incident opens and one when it closes.
    Failures: none.
    Delivery: each alert once; the same counts make the same alerts in every run.

    Args:
      rule: when an incident opens and closes.
      is_stream: whether to evaluate at the end of each bucket, as the watermark passes it, instead
        of all buckets of a bounded collection together.
    """

    def __init__(self, rule: RateRule, *, is_stream: bool = False) -> None:
        super().__init__()
        self.rule = rule
        self.is_stream = is_stream

    def expand(self, counts: PCollection[EngineCounts]) -> PCollection[Alert]:
        if self.is_stream:
            return counts | "DetectIncidents" >> beam.ParDo(_DetectIncidents(self.rule))
        detect = beam.FlatMap(_detect_incidents, rule=self.rule)
        return counts | "ByEngine" >> beam.GroupByKey() | "DetectIncidents" >> detect


def _detect_incidents(
    by_engine: tuple[str | None, Iterable[RateCounts]], rule: RateRule
) -> list[Alert]:
    engine, buckets = by_engine
    return RateEvaluator(engine, rule).evaluate(buckets)


# The runner keeps state and timer by these names: other ones would lose them when a job is updated.
_STATE = beam.DoFn.StateParam(
    userstate.ReadModifyWriteStateSpec("memory", RecordCoder(EngineRates))
)
_EVALUATE = userstate.TimerSpec("look", TimeDomain.WATERMARK)
_EVALUATE_TIMER = beam.DoFn.TimerParam(_EVALUATE)


class _DetectIncidents(beam.DoFn):
    """Keep an engine's counts in the runner's state; evaluate them at the end of each bucket."""

    def __init__(self, rule: RateRule) -> None:
        self._rule = rule

    def process(
        self,
        counts: EngineCounts,
        timestamp: Timestamp = beam.DoFn.TimestampParam,
        state: userstate.ReadModifyWriteRuntimeState = _STATE,
        timer: userstate.RuntimeTimer = _EVALUATE_TIMER,
    ) -> Iterator[Alert]:
        earlier = state.read() or EngineRates()
        later = add_to_state(earlier, counts[1], timestamp.micros)
        state.write(later)
        if later.evaluate_at_us is not None and later.evaluate_at_us != earlier.evaluate_at_us:
            timer.set(Timestamp(micros=later.evaluate_at_us))
        return iter(())

    @userstate.on_timer(_EVALUATE)
    def evaluate_bucket(
        self,
        engine: str | None = beam.DoFn.KeyParam,
        state: userstate.ReadModifyWriteRuntimeState = _STATE,
        timer: userstate.RuntimeTimer = _EVALUATE_TIMER,
    ) -> Iterator[Alert]:
        """Emit the alerts at the end of a bucket, and set the timer to that of the next one."""
        alerts, later = evaluate_state(engine, state.read() or EngineRates(), self._rule)
        yield from alerts
        if later.evaluate_at_us is None:
            # An engine without answers must not leave state behind.
            state.clear()
            return
        state.write(later)
        timer.set(Timestamp(micros=later.evaluate_at_us))
