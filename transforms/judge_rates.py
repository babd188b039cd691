"""Judging an engine's rates while its answers come in, by what the runner remembers of it."""

from collections.abc import Iterator

import apache_beam as beam
from apache_beam.transforms.timeutil import TimeDomain
from apache_beam.transforms.userstate import (
    ReadModifyWriteRuntimeState,
    ReadModifyWriteStateSpec,
    RuntimeTimer,
    TimerSpec,
    on_timer,
)
from apache_beam.utils.timestamp import Timestamp

from schemas.alert import Alert
from transforms.measure_rates import Keyed
from transforms.record_coder import RecordCoder
from transforms.rules.burn_rate import RateRule
from transforms.rules.rate_incidents import RateState, add_to_state, evaluate_state

_MEMORY = beam.DoFn.StateParam(ReadModifyWriteStateSpec("memory", RecordCoder(RateState)))
_LOOK = TimerSpec("look", TimeDomain.WATERMARK)
_LOOK_TIMER = beam.DoFn.TimerParam(_LOOK)


class JudgeRates(beam.DoFn):
    """Looks at an engine's rates whenever five minutes of its stream are over.

    Args:
      rule: when an episode opens and closes.
    """

    def __init__(self, rule: RateRule) -> None:
        self._rule = rule

    def process(
        self,
        keyed: Keyed,
        timestamp: Timestamp = beam.DoFn.TimestampParam,
        memory: ReadModifyWriteRuntimeState = _MEMORY,
        look: RuntimeTimer = _LOOK_TIMER,
    ) -> Iterator[Alert]:
        """Remember counts, and when to look at them."""
        earlier = memory.read() or RateState()
        later = add_to_state(earlier, keyed[1], timestamp.micros)
        memory.write(later)
        if later.evaluate_at_us is not None and later.evaluate_at_us != earlier.evaluate_at_us:
            look.set(Timestamp(micros=later.evaluate_at_us))
        return iter(())

    @on_timer(_LOOK)
    def look(
        self,
        engine: str | None = beam.DoFn.KeyParam,
        memory: ReadModifyWriteRuntimeState = _MEMORY,
        look: RuntimeTimer = _LOOK_TIMER,
    ) -> Iterator[Alert]:
        """Say which episodes open or close."""
        alerts, later = evaluate_state(engine, memory.read() or RateState(), self._rule)
        yield from alerts
        if later.evaluate_at_us is None:
            # Nothing is left to look at: the state of an engine that is gone must not stay.
            memory.clear()
            return
        memory.write(later)
        look.set(Timestamp(micros=later.evaluate_at_us))
