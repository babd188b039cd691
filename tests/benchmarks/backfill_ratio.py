"""Processor time and rate of a backfill, in units of a bare aiohttp script's in the same run.

    python -m tests.benchmarks.backfill_ratio
    python -m tests.benchmarks.backfill_ratio --in_flight 128 256 --latency_ms 50 500
    python -m tests.benchmarks.backfill_ratio --answers ragtruth_qa.answers.jsonl
    python -m tests.benchmarks.backfill_ratio --only "words, one process" "words, all processors"
    python -m tests.benchmarks.backfill_ratio --releases ../2.0.0/.venv/bin/groundwatch

The checker runs in a process of its own. Each contender backfills a small and a large archive in
turns; the difference of their processor times is free of start-up. By default the answers are
generated and of real size. `--answers` takes a file of Discovery Engine answers instead, which are
repeated; each gets a first sentence of its own that its first fact supports. `--releases` takes the
commands of earlier releases, which are measured in the same turns, with a server and by words.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import count, islice, product
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tests.benchmarks.generated_answers import generated_messages, write_lines
from tests.benchmarks.slow_checker import SlowChecker, slow_checker
from tests.benchmarks.usage import Usage, usage_of

_LIMIT_S = 600.0
_ADDRESS, _IN_FLIGHT = "{address}", "{in_flight}"
_THIS = (sys.executable, "-m", "groundwatch")
_ONE_PROCESS = ("--workers", "1")
_WORDS = ("--scorer", "none")
_WITH_SERVER = ("--checker", _ADDRESS, "--max_in_flight", _IN_FLIGHT)


class Contender(NamedTuple):
    """What reads an archive and writes its results.

    Attributes:
      program: the command that takes `backfill`, or none for the bare script.
      flags: of `backfill`, with places for the checker's address and the calls in flight.
      is_embedded: whether the answers a second are its own, and not the checker's calls.
    """

    program: Sequence[str]
    flags: Sequence[str] = ()
    is_embedded: bool = False


_CONTENDERS = {
    "bare script on aiohttp": Contender(()),
    "server": Contender(_THIS, (*_WITH_SERVER, *_ONE_PROCESS)),
    "words, one process": Contender(_THIS, (*_WORDS, *_ONE_PROCESS), is_embedded=True),
    "words first, server second": Contender(
        _THIS, (*_WORDS, "--escalate", *_WITH_SERVER[1:], *_ONE_PROCESS), is_embedded=True
    ),
    "words, all processors": Contender(_THIS, _WORDS, is_embedded=True),
}


def _earlier(command: str) -> dict[str, Contender]:
    # Without a model, words alone are what an earlier release checks by.
    done = subprocess.run([command, "--version"], check=True, capture_output=True, text=True)  # noqa: S603 - named by the user
    release = done.stdout.split()[-1]
    return {
        f"{release}, server": Contender((command,), (*_WITH_SERVER, *_ONE_PROCESS)),
        f"{release}, words": Contender((command,), _ONE_PROCESS, is_embedded=True),
    }


class Measured(NamedTuple):
    """What one contender took for a further answer, and how many calls a second it made."""

    cpu_ms: float
    per_s: float
    peak_mb: float


def messages_of(path: Path) -> Iterator[bytes]:
    """Repeat the answers of a file for ever, each with a first sentence of its own."""
    answers = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for number in count():
        yield msgspec.json.encode(_envelope(answers[number % len(answers)], number))


def _envelope(answer: dict[str, Any], number: int) -> dict[str, Any]:
    facts = [reference["chunkInfo"]["content"] for reference in answer["references"]]
    return {
        "id": f"{answer['name']}-{number}",
        "engine": "real",
        "time": answer["completeTime"],
        "answer": f"This is case {number}. {answer['answerText']}",
        "facts": [
            {"text": f"This is case {number}. {fact}" if not place else fact, "title": "source"}
            for place, fact in enumerate(facts)
        ],
    }


def _command(contender: Contender, job: Sequence[str], address: str, in_flight: int) -> list[str]:
    if not contender.program:
        script = [sys.executable, "-m", "tests.benchmarks.peers.run", "bare_asyncio"]
        return [*script, *job, address, str(in_flight)]
    known = {_ADDRESS: address, _IN_FLIGHT: str(in_flight)}
    flags = [known.get(flag, flag) for flag in contender.flags]
    return [*contender.program, "backfill", "--input", job[0], "--output", job[1], *flags]


def _measure(
    contender: Contender, archives: Sequence[tuple[int, Path]], checker: SlowChecker, in_flight: int
) -> Measured:
    usages: list[Usage] = []
    per_s = 0.0
    for _, archive in archives:
        with tempfile.TemporaryDirectory() as output:
            job = [str(archive), output]
            checker.begin()
            command = _command(contender, job, checker.address, in_flight)
            usages.append(usage_of(command, _LIMIT_S))
            per_s = checker.begin().steady_per_s
    if any(usage.status for usage in usages):
        raise SystemExit(f"{command} failed: exit status {[one.status for one in usages]}")
    few, many = usages
    answers = archives[1][0] - archives[0][0]
    if contender.is_embedded:
        per_s = answers / (many.seconds - few.seconds)
    return Measured(1_000 * (many.cpu_s - few.cpu_s) / answers, per_s, many.peak_mb)


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--answers", type=Path, help="Discovery Engine answers, JSON Lines")
    parser.add_argument("--sizes", type=int, nargs=2, default=[500, 6_500])
    parser.add_argument("--in_flight", type=int, nargs="+", default=[128])
    parser.add_argument("--latency_ms", type=float, nargs="+", default=[100.0])
    parser.add_argument("--jitter_ms", type=float, default=0.0, help="added to some calls")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=_CONTENDERS, default=[*_CONTENDERS][:4])
    parser.add_argument("--releases", nargs="+", default=[], help="commands `groundwatch`")
    options = parser.parse_args(arguments)
    contenders = {name: _CONTENDERS[name] for name in options.only}
    for command in options.releases:
        contenders |= _earlier(command)
    with tempfile.TemporaryDirectory() as folder:
        for latency_ms, in_flight in product(options.latency_ms, options.in_flight):
            archives = [
                (size, _archive(Path(folder), options.answers, size)) for size in options.sizes
            ]
            most_s = (latency_ms + options.jitter_ms) / 1_000
            with slow_checker(latency_ms / 1_000, most_s) as checker:
                sys.stdout.write(f"{latency_ms:g} ms, {in_flight} in flight\n")
                taken: dict[str, list[Measured]] = {name: [] for name in contenders}
                for name in [*contenders] * options.rounds:
                    taken[name].append(_measure(contenders[name], archives, checker, in_flight))
                _print(taken)


def _archive(folder: Path, answers: Path | None, size: int) -> Path:
    path = folder / f"{size}.jsonl"
    if not path.exists():
        messages = messages_of(answers) if answers else generated_messages(size)
        write_lines(path, islice(messages, size))
    return path


def _print(taken: dict[str, list[Measured]]) -> None:
    first = next(iter(taken.values()))
    for name, found in taken.items():
        # Each round is compared with the baseline's of the same round.
        ratios = [one.cpu_ms / base.cpu_ms for one, base in zip(found, first, strict=True)]
        rates = [one.per_s / base.per_s for one, base in zip(found, first, strict=True)]
        sys.stdout.write(
            f"  {name:28} {statistics.median(one.cpu_ms for one in found):6.3f} ms"
            f"  {' '.join(f'x{ratio:.2f}' for ratio in ratios)}"
            f"  {statistics.median(one.per_s for one in found):7,.0f} answers/s"
            f"  {' '.join(f'x{rate:.2f}' for rate in rates)}"
            f"  {max(one.peak_mb for one in found):5.0f} MB\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
