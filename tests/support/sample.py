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


def expected_outcomes() -> dict[str, list[str]]:
    """Read what is to become of the messages: name of a file → an outcome for each."""
    return msgspec.json.decode(EXPECTED.read_bytes(), type=dict[str, list[str]])


def messages_by_file() -> dict[str, list[Message]]:
    """Read the messages of the sample: name of a file → those of its lines that are not empty."""
    return {
        Path(path).name: [
            Message(payload=payload, place=f"{path}#{number}")
            for number, payload in enumerate(Path(path).read_bytes().split(b"\n"), 1)
            if payload
        ]
        for path in sample_paths()
    }


def sample_messages() -> list[SampleMessage]:
    """Read every message with its expected outcome, in the order of the files."""
    outcomes = expected_outcomes()
    return [
        SampleMessage(message, outcome)
        for name, messages in messages_by_file().items()
        for message, outcome in zip(messages, outcomes[name], strict=True)
    ]
