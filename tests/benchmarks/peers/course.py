"""One job of one contender: run, measured, and read back."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import fastavro
import msgspec

from groundwatch.schemas import Record
from tests.benchmarks.generated_answers import generated_messages, repeating_messages, write_lines
from tests.benchmarks.made_replies import made_score
from tests.benchmarks.peers.contenders import Contender
from tests.benchmarks.peers.job import Job, answers_in
from tests.benchmarks.peers.results import LedgerHour
from tests.benchmarks.slow_checker import Calls, SlowChecker
from tests.benchmarks.usage import Usage, usage_of
from tests.support.outputs import records_in

_LONGEST_S = 300.0
_SAME = 5e-7
"""How near scores are that are the same: some clients read them with 32 bits."""


class Run(Record, frozen=True, kw_only=True):
    """What was measured of a job, and what became of its answers."""

    usage: Usage
    calls: Calls
    account: LedgerHour


class Course:
    """Where jobs are run.

    Args:
      checker: the check server.
      folder: for archives and output.
    """

    def __init__(self, checker: SlowChecker, folder: Path) -> None:
        self.checker = checker
        self._folder = folder

    def run(
        self, contender: Contender, count: int, *, repeating: bool = False, fault_share: float = 0.0
    ) -> Run:
        """Have a contender check so many messages.

        Args:
          contender: who checks.
          count: how many messages.
          repeating: whether some of them say what others said.
          fault_share: of the calls, those that the check server fails.
        """
        archive = self._archive(count, repeating=repeating)
        self.checker.begin(fault_share)
        with tempfile.TemporaryDirectory(dir=self._folder) as output:
            job = Job(
                archive=str(archive),
                output=output,
                checker=self.checker.address,
                in_flight=contender.in_flight,
            )
            usage = usage_of(contender.command(job), _LONGEST_S)
            calls = self.checker.begin()
            account = _account(Path(output), archive, calls, usage)
        return Run(usage=usage, calls=calls, account=account)

    def _archive(self, count: int, *, repeating: bool) -> Path:
        path = self._folder / f"{'repeating' if repeating else 'different'}-{count}.jsonl"
        if not path.exists():
            messages = repeating_messages if repeating else generated_messages
            write_lines(path, messages(count))
        return path


def _account(output: Path, archive: Path, calls: Calls, usage: Usage) -> LedgerHour:
    messages = [(answer.id, answer.answer) for answer in answers_in(str(archive))]
    expected = {name: made_score(text) for name, text in messages}
    right = Counter(
        name
        for name, score in _checked_in(output)
        if score is not None and abs(score - expected[name]) < _SAME
    )
    return LedgerHour(
        messages=len(messages),
        answers=len(expected),
        calls=calls.number,
        lost=len(expected) - len(right),
        doubled=right.total() - len(right),
        status=usage.status,
        seconds=usage.seconds,
    )


def _checked_in(output: Path) -> Iterator[tuple[str, float | None]]:
    """Read back who got which score: from a script's lines, Beam's files or groundwatch's."""
    for path in output.glob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            row = msgspec.json.decode(line)
            yield row["id"], row["support_score"]
    for path in output.glob("*.avro"):
        with path.open("rb") as stream:
            for row in fastavro.reader(stream):
                yield row["id"], row["support_score"]
    for record in records_in(output):
        yield record["answer_name"], record["support_score"]
