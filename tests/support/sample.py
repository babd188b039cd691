"""The messages of the bundled sample, and what is to become of each.

`tests/data/sample/expected.json` has a list for each file of the sample, with an entry for each of
its messages, in their order: a verdict, FAILURE or DUPLICATE. It says what the embedded checker
with the default thresholds should find.
"""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from groundwatch.launch.cli.samples import sample_paths
from groundwatch.schemas import Record
from groundwatch.schemas.message import Message
from tests.support.repository import ROOT

EXPECTED = ROOT / "tests" / "data" / "sample" / "expected.json"
FAILURE = "FAILURE"
DUPLICATE = "DUPLICATE"
BAD_RELEASE = datetime(2026, 3, 3, 14, tzinfo=UTC)
"""When, for two hours, one assistant answers badly."""
BAD_RELEASE_ENGINE = "help-app"


class SampleMessage(Record, frozen=True):
    """A message and what is to become of it: a verdict, FAILURE or DUPLICATE.

    The later one of two deliveries of an answer is the duplicate; which of the two a pipeline
    keeps does not change the counts.
    """

    message: Message
    outcome: str


def sample_messages() -> list[SampleMessage]:
    """Read every message, a line that is not empty, with its outcome, in the order of the files."""
    outcomes = msgspec.json.decode(EXPECTED.read_bytes(), type=dict[str, list[str]])
    found = []
    for path in map(Path, sample_paths()):
        lines = enumerate(path.read_bytes().split(b"\n"), 1)
        messages = [Message(payload=line, place=f"{path}#{at}") for at, line in lines if line]
        pairs = zip(messages, outcomes.pop(path.name), strict=True)
        found += [SampleMessage(message, outcome) for message, outcome in pairs]
    assert not outcomes, "an outcome belongs to no file"
    return found
