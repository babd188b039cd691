"""Every contender through every test."""

from collections.abc import Callable, Sequence
from statistics import median

from msgspec.structs import replace

from tests.benchmarks.peers.contenders import Contender, Sizes
from tests.benchmarks.peers.course import Course, Run
from tests.benchmarks.peers.results import Measured, Setting, Speed

Tell = Callable[[str], object]


def measured(
    contenders: Sequence[Contender], course: Course, setting: Setting, tell: Tell
) -> tuple[Measured, ...]:
    """Measure all contenders.

    The rounds of one are not next to each other, so that a disturbance hits all alike.

    Args:
      contenders: who is measured.
      course: where.
      setting: rounds, and the share of faults.
      tell: is called with a line about each run.
    """

    def run(contender: Contender, test: str, count: int, **how: bool | float) -> Run:
        done = course.run(contender, count, **how)
        tell(_line(contender, test, done))
        return done

    few = {one.key: run(one, "start", setting.few) for one in contenders}
    rounds = [
        {one.key: run(one, "speed", one.sizes.speed) for one in contenders}
        for _ in range(setting.rounds)
    ]
    return tuple(
        Measured(
            key=one.key,
            speed=_speed(few[one.key], [each[one.key] for each in rounds]),
            repeats=run(one, "repeats", one.sizes.repeats, repeating=True).account,
            faults=run(one, "faults", one.sizes.faults, fault_share=setting.fault_share).account,
        )
        for one in contenders
    )


def smoked(contenders: Sequence[Contender], few: int) -> tuple[Contender, ...]:
    """Give contenders so little to do that it shows whether they work, and nothing else."""
    sizes = Sizes(speed=2 * few, repeats=few, faults=few)
    return tuple(replace(one, sizes=sizes) for one in contenders)


def _speed(few: Run, rounds: Sequence[Run]) -> Speed:
    """Take the short run off the long ones."""
    messages = rounds[0].account.messages
    further = messages - few.account.messages
    rates = tuple(one.calls.steady_per_s for one in rounds)
    return Speed(
        answers=messages,
        per_s=median(rates),
        rounds_per_s=rates,
        cpu_ms=median(1000 * (one.usage.cpu_s - few.usage.cpu_s) / further for one in rounds),
        peak_mb=median(one.usage.peak_mb for one in rounds),
        few_s=few.usage.seconds,
    )


def _line(contender: Contender, test: str, run: Run) -> str:
    account = run.account
    return (
        f"{contender.name}, {test}: {account.messages:,} messages in {account.seconds:.1f} s,"
        f" {run.calls.steady_per_s:,.0f} calls/s, {account.calls:,} calls, {account.lost:,} lost,"
        f" {account.doubled:,} doubled, status {account.status}\n"
    )
