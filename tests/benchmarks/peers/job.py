"""What a contender is given to do, and the rows it leaves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from groundwatch.schemas import Record

PROJECT = "benchmark"
GROUNDING_CONFIG = f"projects/{PROJECT}/locations/global/groundingConfigs/default_grounding_config"
CITATION_THRESHOLD = 0.6
TIMEOUT_S = 10.0
"""Of one call, for every contender that takes one; groundwatch's default."""

Row = dict[str, Any]
"""A checked answer: id, answer, support_score, and claims with start, end and, if known, score."""


class Fact(Record, frozen=True, kw_only=True):
    """A source of an answer."""

    text: str
    title: str


class Answer(Record, frozen=True, kw_only=True):
    """An answer of the archive."""

    id: str
    answer: str
    facts: tuple[Fact, ...]


class Job(Record, frozen=True, kw_only=True):
    """Check the answers of an archive, each on its own.

    Attributes:
      archive: a file of JSON lines.
      output: a folder that is there, and empty.
      checker: the address of the check server, such as http://127.0.0.1:1.
      in_flight: how many calls may be under way at once.
    """

    archive: str
    output: str
    checker: str
    in_flight: int

    @property
    def rows_path(self) -> Path:
        """Where a script writes its rows, as JSON lines."""
        return Path(self.output) / "checked.jsonl"


_decoder = msgspec.json.Decoder(Answer)
_encoder = msgspec.json.Encoder()


def answer_of(line: bytes) -> Answer:
    """Read a line of an archive."""
    return _decoder.decode(line)


def answers_in(archive: str) -> Iterator[Answer]:
    """Read an archive line by line."""
    with Path(archive).open("rb") as lines:
        yield from map(answer_of, lines)


def line_of(row: Row) -> bytes:
    """Write a row as a line of JSON."""
    return _encoder.encode(row) + b"\n"
