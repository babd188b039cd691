"""groundwatch against what a user would pick instead: `make bench`.

python -m tests.benchmarks.peers [--smoke] [--rounds 3] [--least_ms 100] [--most_ms 100]

Measures for about ten minutes, and writes docs/benchmarks.md, its picture and benchmarks.json. A
smoke run gives every contender a few answers, writes nothing, and fails if an answer is left
without a record.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from tests.benchmarks.peers import page
from tests.benchmarks.peers.contenders import CONTENDERS, Contender
from tests.benchmarks.peers.course import Course
from tests.benchmarks.peers.embedded import embedded
from tests.benchmarks.peers.machine import commit, this_machine, versions_of
from tests.benchmarks.peers.measuring import measured, smoked, speeds
from tests.benchmarks.peers.results import Results, Setting, Variant
from tests.benchmarks.slow_checker import FAULTS, slow_checker

_EMBEDDED_ANSWERS = 5_000
_VARIANTS = (
    Variant(title="256 calls in flight", in_flight=256, least_ms=100, most_ms=100),
    Variant(title="latencies of 20 to 180 ms", in_flight=128, least_ms=20, most_ms=180),
)


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; the status is 1 where a smoke run shows fire."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="whether it works, not how fast")
    parser.add_argument("--rounds", type=int, default=Setting().rounds)
    parser.add_argument("--least_ms", type=float, default=Setting().least_ms)
    parser.add_argument("--most_ms", type=float, default=Setting().most_ms)
    given = parser.parse_args(arguments)
    setting = Setting(
        least_ms=given.least_ms,
        most_ms=given.most_ms,
        rounds=1 if given.smoke else given.rounds,
        faults=tuple(FAULTS),
    )
    results = _results(setting, smoke=given.smoke)
    if not given.smoke:
        page.write(results)
        return 0
    failed = [one.key for one in results.measured if one.repeats.lost]
    sys.stderr.write(f"without a record for each answer: {', '.join(failed) or 'nobody'}\n")
    return int(bool(failed))


def _results(setting: Setting, *, smoke: bool) -> Results:
    contenders = smoked(CONTENDERS, setting.few) if smoke else CONTENDERS
    with tempfile.TemporaryDirectory() as folder:
        with _course(setting, folder) as course:
            found = measured(contenders, course, setting, sys.stderr.write)
            alone_and_pair = embedded(
                2 * setting.few if smoke else _EMBEDDED_ANSWERS, setting, course.checker
            )
        variants = tuple(_measured(each, contenders, setting, folder) for each in _VARIANTS)
    flags = " ".join(sys.argv[1:])
    return Results(
        command=f"python -m tests.benchmarks.peers {flags}" if flags else "make bench",
        commit=commit(),
        date=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        machine=this_machine(),
        versions=versions_of(name for one in contenders for name in one.packages),
        setting=setting,
        measured=found,
        embedded=alone_and_pair,
        variants=variants,
    )


def _measured(
    variant: Variant, contenders: Sequence[Contender], setting: Setting, folder: str
) -> Variant:
    """Measure a variant: of groundwatch and the scripts, since the peers are slower by far."""
    setting = replace(
        setting, least_ms=variant.least_ms, most_ms=variant.most_ms, capacity=variant.in_flight
    )
    chosen = [
        replace(one, name=f"{one.name}, {variant.title}", in_flight=variant.in_flight)
        for one in contenders
        if not one.is_peer
    ]
    with _course(setting, folder) as course:
        return replace(variant, speeds=speeds(chosen, course, setting, sys.stderr.write))


@contextmanager
def _course(setting: Setting, folder: str) -> Iterator[Course]:
    least_s, most_s = setting.least_ms / 1_000, setting.most_ms / 1_000
    with slow_checker(least_s, most_s, setting.capacity) as checker:
        yield Course(checker, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
