"""What contenders are compared by: the columns of the table, and the panels of the picture."""

from collections.abc import Callable

from groundwatch.schemas import Record
from tests.benchmarks.peers.results import Measured, Setting

_TIMES = "\N{MULTIPLICATION SIGN}"


class Measure(Record, frozen=True, kw_only=True):
    """One number for each contender.

    Attributes:
      title: what it is, with its unit.
      circumstances: under which it was measured, made of the setting; may be empty.
      better: which way is better: more or less.
      value: reads the number.
      shown: how a person reads it.
    """

    title: str
    circumstances: str = ""
    better: str = "less"
    value: Callable[[Measured], float]
    shown: str

    def detail(self, setting: Setting) -> str:
        """Return under which circumstances it was measured."""
        return self.circumstances.format(setting=setting)

    def text(self, measured: Measured) -> str:
        """Return the number for a person."""
        return self.shown.format(self.value(measured))

    def ratio(self, measured: Measured, baseline: Measured) -> str:
        """Return how many times the baseline's number this is; empty where that has none."""
        base = self.value(baseline)
        return f"{_TIMES}{self.value(measured) / base:.2f}" if base else ""


MEASURES = (
    Measure(title="answers/s", better="more", value=lambda one: one.speed.per_s, shown="{:,.0f}"),
    Measure(title="CPU ms an answer", value=lambda one: one.speed.cpu_ms, shown="{:.2f}"),
    Measure(title="peak memory, MB", value=lambda one: one.speed.peak_mb, shown="{:,.0f}"),
    Measure(
        title="calls a message",
        circumstances="a fifth of them repeated",
        value=lambda one: one.repeats.calls_a_message,
        shown="{:.2f}",
    ),
    Measure(
        title="answers lost, %",
        circumstances="{setting.fault_percent:g} % of the calls failing",
        value=lambda one: one.faults.lost_percent,
        shown="{:.1f}",
    ),
)
