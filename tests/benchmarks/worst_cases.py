"""Print the processor time of hostile inputs at sizes n, 2n and 4n, so that growth shows.

python -m tests.benchmarks.worst_cases [--family NAME] [--stage NAME] [--most_s 20]

4n is the most that one check holds: 200 facts of 10,000 characters, an answer of 4,096 tokens.
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

from tests.support.hostile_texts import FAMILIES, STAGES, Case

_FACTS, _TOKENS = 200, 4_096
_PARTS = (4, 2, 1)


class TooSlowError(Exception):
    """A case took more processor time than it may."""


def seconds_for(stage: Callable[[Case], object], case: Case, most_s: float) -> float | None:
    """Measure the processor time of one case; None if it takes more than it may."""
    signal.setitimer(signal.ITIMER_VIRTUAL, most_s)
    started_s = time.process_time()
    try:
        stage(case)
    except TooSlowError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - started_s


def _stop(_: int, __: FrameType | None) -> None:
    raise TooSlowError


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each family and stage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--family", choices=FAMILIES, action="append", help="all by default")
    parser.add_argument("--stage", choices=STAGES, action="append", help="all by default")
    parser.add_argument("--most_s", type=float, default=20.0, help="processor seconds a case")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGVTALRM, _stop)
    sys.stdout.write(f"{'family':32} {'stage':8} {'n':>8} {'2n':>8} {'4n':>8}\n")
    for family in options.family or FAMILIES:
        for stage in options.stage or STAGES:
            cells = []
            for part in _PARTS:
                case = FAMILIES[family](_FACTS // part, _TOKENS // part)
                seconds = seconds_for(STAGES[stage], case, options.most_s)
                cells.append("too slow" if seconds is None else f"{seconds:.3f}")
                if seconds is None:
                    break
            sys.stdout.write(f"{family:32} {stage:8} " + " ".join(f"{c:>8}" for c in cells) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
