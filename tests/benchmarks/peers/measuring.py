"""Every contender through every test."""

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

from msgspec.structs import replace

from groundwatch.schemas import Record
from tests.benchmarks.peers.contenders import Contender, Sizes
from tests.benchmarks.peers.course import Course, Run
from tests.benchmarks.peers.results import Measured, Setting, Speed

Report = Callable[[str], object]


class _Round(Record, frozen=True, kw_only=True):
    """A short run, and a long one right after it."""

    few: Run
    many: Run

    @property
    def cpu_ms(self) -> float:
        """The processor time of an answer by which the long run is longer."""
        further = self.many.account.answers - self.few.account.answers
        return 1000 * (self.many.usage.cpu_s - self.few.usage.cpu_s) / further


def measured(
    contenders: Sequence[Contender], course: Course, setting: Setting, report: Report
) -> tuple[Measured, ...]:
    """Measure all contenders: speed, repeated messages, faults.

    Args:
      contenders: who is measured.
      course: where.
      setting: rounds, and the share of faults.
      report: is called with a line about each run.
    """
    run = partial(_run, course, report)
    found = speeds(contenders, course, setting, report)
    return tuple(
        Measured(
            key=one.key,
            speed=found[one.key],
            repeats=run(one, "repeats", one.sizes.repeats, repeating=True).account,
            faults=run(one, "faults", one.sizes.faults, fault_share=setting.fault_share).account,
        )
        for one in contenders
    )


def speeds(
    contenders: Sequence[Contender], course: Course, setting: Setting, report: Report
) -> dict[str, Speed]:
    """Measure speeds, as of `measured`.

    The rounds of one are not next to each other, so that a disturbance hits all alike.
    """
    run = partial(_run, course, report)
    rounds = [
        {
            one.key: _Round(
                few=run(one, "start", setting.few), many=run(one, "speed", one.sizes.speed)
            )
            for one in contenders
        }
        for _ in range(setting.rounds)
    ]
    return {one.key: _speed([each[one.key] for each in rounds]) for one in contenders}


def _run(
    course: Course, report: Report, contender: Contender, test: str, count: int, **how: bool | float
) -> Run:
    done = course.run(contender, count, **how)
    report(_line(contender, test, done))
    return done


def smoked(contenders: Sequence[Contender], few: int) -> tuple[Contender, ...]:
    """Give contenders so little to do that it shows whether they work, and nothing else."""
    sizes = Sizes(speed=2 * few, repeats=few, faults=few)
    return tuple(replace(one, sizes=sizes) for one in contenders)


def _speed(rounds: Sequence[_Round]) -> Speed:
    rates = tuple(one.many.calls.steady_per_s for one in rounds)
    return Speed(
        answers=rounds[0].many.account.answers,
        per_s=median(rates),
        rounds_per_s=rates,
        cpu_ms=median(one.cpu_ms for one in rounds),
        peak_mb=median(one.many.usage.peak_mb for one in rounds),
        few_s=median(one.few.usage.seconds for one in rounds),
    )


def _line(contender: Contender, test: str, run: Run) -> str:
    account = run.account
    return (
        f"{contender.name}, {test}: {account.messages:,} messages in {account.seconds:.1f} s,"
        f" {run.calls.steady_per_s:,.0f} calls/s, {account.calls:,} calls, {account.lost:,} lost,"
        f" {account.doubled:,} doubled, status {account.status}\n"
    )
