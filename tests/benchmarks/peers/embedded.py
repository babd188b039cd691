"""groundwatch without any server: what the embedded checker does on one core."""

import sys
import tempfile
from pathlib import Path

import msgspec

from tests.benchmarks.checker_speed import seconds_for
from tests.benchmarks.generated_answers import write_archive
from tests.benchmarks.peers.job import Answer, answers_in
from tests.benchmarks.peers.results import Embedded
from tests.benchmarks.usage import Usage, usage_of
from tests.support.checks import check_request

_LONGEST_S = 300.0


def embedded(count: int, few: int) -> tuple[Embedded, ...]:
    """Measure the checker alone, and the whole command around it.

    Args:
      count: of answers, each different from all others.
      few: answers of the short run that is taken off the command's.
    """
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "answers.jsonl"
        write_archive(archive, count)
        bodies = [_body(answer) for answer in answers_in(str(archive))]
        alone_s = seconds_for(bodies)
        whole_s = _backfill(archive).cpu_s
        write_archive(archive, few)
        start_s = _backfill(archive).cpu_s
    return (
        Embedded(name="the checker, JSON in and JSON out", answers=count, per_s=count / alone_s),
        Embedded(
            name="`groundwatch backfill`, archive in and Avro out",
            answers=count,
            per_s=(count - few) / (whole_s - start_s),
        ),
    )


def _body(answer: Answer) -> bytes:
    return msgspec.json.encode(check_request(answer.answer, *(fact.text for fact in answer.facts)))


def _backfill(archive: Path) -> Usage:
    with tempfile.TemporaryDirectory() as output:
        places = ["--input", str(archive), "--output", output]
        return usage_of([sys.executable, "-m", "groundwatch", "backfill", *places], _LONGEST_S)
