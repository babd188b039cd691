"""Processor time of the embedded checker alone, without JSON, beside a baseline's in the same run.

    python -m tests.benchmarks.checker_speed
    python -m tests.benchmarks.checker_speed --answers FILE.jsonl --baseline CHECKOUT

Three kinds of input: `cold`, in which each sentence has two words of its own; `warm`, in which
only the first sentence of the answer and of the first fact is new; and `known`, in which the
sentences of the answer are new and the facts are not. A baseline is a folder with the sources of
another version. Its replies must be the same. The versions take turns, in processes of their own.
"""

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count, cycle, islice, product
from pathlib import Path

import msgspec

from groundwatch.transforms.grounding.embedded_service import answer
from tests.benchmarks.generated_answers import answer_and_facts
from tests.benchmarks.version_worker import VersionWorker
from tests.support.checks import CHECK_PATH, check_request
from tests.support.repository import ROOT

_GENERATED = 400
_SENTENCE_END = re.compile(r"(?<=[a-z])\.(?= [A-Z]|$)")
_SYLLABLES = [a + b for a in "bcdfghjklmnpqrstvwz" for b in ("abu", "edo", "ifa", "ogu", "una")]
# 1.0.0 and 2.0.0 have the same names in this module, but no package above it.
_WORKER = """
import hashlib, sys, time
from pathlib import Path
import msgspec
from groundwatch.transforms.grounding.embedded_service import check_grounding, decode_request
for line in sys.stdin:
    requests = [decode_request(body) for body in Path(line.strip()).read_bytes().splitlines()]
    started_s = time.process_time()
    replies = [check_grounding(request) for request in requests]
    seconds = time.process_time() - started_s
    digest = hashlib.sha256(b"".join(map(msgspec.json.encode, replies))).hexdigest()
    print(seconds / len(requests), digest, flush=True)
"""

Asked = tuple[str, list[str]]
"""An answer and its facts."""


def seconds_for(bodies: Sequence[bytes]) -> float:
    """Have the embedded checker answer requests; returns the processor time that it took."""
    started = time.process_time()
    for body in bodies:
        answer("POST", CHECK_PATH, body)
    return time.process_time() - started


def _kinds() -> dict[str, Callable[[Asked], Asked]]:
    words = cycle(map(" ".join, product(_SYLLABLES, repeat=2)))
    numbers = count()

    def renew(text: str) -> str:
        return _SENTENCE_END.sub(lambda _: f" {next(words)}.", text)

    def warm(asked: Asked) -> Asked:
        own = f"This is case {next(numbers)}. "
        return own + asked[0], [own + asked[1][0], *asked[1][1:]]

    return {
        "cold": lambda asked: (renew(asked[0]), list(map(renew, asked[1]))),
        "warm": warm,
        "known": lambda asked: (renew(asked[0]), asked[1]),
    }


def _answers_in(path: Path) -> Iterator[Asked]:
    for line in path.read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        facts = [reference["chunkInfo"]["content"] for reference in found["references"]]
        yield found["answerText"], facts


def _start(version: Path) -> VersionWorker:
    package = "groundwatch." if (version / "src").is_dir() else ""
    return VersionWorker(version, _WORKER.replace("groundwatch.", package))


def _ask(worker: VersionWorker, path: Path) -> tuple[float, str]:
    """Have a worker check the requests of a file; returns microseconds an answer, and a digest."""
    seconds, digest = worker.process(path).split()
    return 1e6 * float(seconds), digest


def _measure(
    versions: Sequence[Path], rounds: Iterator[list[bytes]], count_of_rounds: int
) -> list[list[float]]:
    """Return for each round, after one that fills the caches, the time of each version."""
    workers = [_start(version.resolve()) for version in versions]
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "requests.jsonl"
        for bodies in islice(rounds, count_of_rounds + 1):
            path.write_bytes(b"\n".join(bodies))
            found = [_ask(worker, path) for worker in workers]
            if len({digest for _, digest in found}) > 1:
                raise SystemExit("the replies of the versions differ")
            taken.append([microseconds for microseconds, _ in found])
    for worker in workers:
        worker.close()
    return taken[1:]


def main(arguments: list[str] | None = None) -> None:
    """Print the medians of each kind, and how many times as fast as the baseline it is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--answers", type=Path, help="Answer resources, JSON Lines")
    parser.add_argument("--baseline", type=Path, help="a folder with another version")
    parser.add_argument("--kinds", nargs="+", default=["cold", "warm", "known"])
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args(arguments)
    generated = map(answer_and_facts, range(_GENERATED))
    answers = list(_answers_in(options.answers) if options.answers else generated)
    versions = [ROOT, *([options.baseline] if options.baseline else [])]
    for kind in options.kinds:
        change = _kinds()[kind]
        rounds = (
            [msgspec.json.encode(check_request(text, *facts)) for text, facts in map(change, given)]
            for given in cycle([answers])
        )
        taken = _measure(versions, rounds, options.rounds)
        medians = [statistics.median(times) for times in zip(*taken, strict=True)]
        sys.stdout.write(f"{kind}: {' '.join(f'{one:,.0f} us' for one in medians)}")
        ratios = [times[-1] / times[0] for times in taken]
        sys.stdout.write(f", x{statistics.median(ratios):.2f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
