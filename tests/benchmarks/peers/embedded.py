"""groundwatch with the embedded checker by words: alone, and as the first checker of a pair."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

import msgspec

from tests.benchmarks.checker_speed import seconds_for
from tests.benchmarks.generated_answers import write_archive
from tests.benchmarks.peers.job import answers_in
from tests.benchmarks.peers.results import Embedded, Setting
from tests.benchmarks.slow_checker import SlowChecker
from tests.benchmarks.usage import usage_of
from tests.support.checks import check_request

_LONGEST_S = 300.0


def embedded(count: int, setting: Setting, checker: SlowChecker) -> tuple[Embedded, ...]:
    """Measure the checker without a pipeline, a backfill with it, and a backfill with a pair.

    Args:
      count: of answers, each different from all others.
      setting: the rounds, and the answers of the short run that is taken off.
      checker: the second checker of the pair.

    Raises:
      SystemExit: if a backfill fails.
    """
    few = setting.few
    with tempfile.TemporaryDirectory() as folder:
        archives = {size: Path(folder) / f"{size}.jsonl" for size in (few, count)}
        for size, archive in archives.items():
            write_archive(archive, size)

        def cpu_ms(of_archive: Callable[[Path], float]) -> float:
            further_s = of_archive(archives[count]) - of_archive(archives[few])
            return 1_000 * further_s / (count - few)

        def with_pair(archive: Path) -> float:
            return _backfill_s(archive, "--escalate", checker.address)

        checker.begin()
        rounds = [
            (cpu_ms(_check_s), cpu_ms(_backfill_s), cpu_ms(with_pair))
            for _ in range(setting.rounds)
        ]
        escalated = checker.begin().number / (setting.rounds * (count + few))
    names = (
        "the checker, JSON in and JSON out",
        "`groundwatch backfill`, archive in and Avro out",
        "`groundwatch backfill --escalate http://…`, the pair",
    )
    return tuple(
        Embedded(name=name, answers=count, cpu_ms=median(taken), calls=calls)
        for name, taken, calls in zip(
            names, zip(*rounds, strict=True), (0.0, 0.0, escalated), strict=True
        )
    )


def _check_s(archive: Path) -> float:
    requests = (
        check_request(answer.answer, *(fact.text for fact in answer.facts))
        for answer in answers_in(str(archive))
    )
    return seconds_for([msgspec.json.encode(request) for request in requests])


def _backfill_s(archive: Path, *flags: str) -> float:
    """Return the processor time of a backfill, in seconds."""
    with tempfile.TemporaryDirectory() as output:
        places = ["--input", str(archive), "--output", output]
        # Further processes of the long run alone would count as time of its answers.
        by_words = ["--scorer", "none", "--workers", "1"]
        command = [sys.executable, "-m", "groundwatch", "backfill", *places, *by_words, *flags]
        usage = usage_of(command, _LONGEST_S)
    if usage.status:
        raise SystemExit(f"groundwatch backfill {' '.join(flags)} failed: status {usage.status}")
    return usage.cpu_s
