"""A batch of messages on its way through the pipeline inside one process.

Where one process runs the pipeline again and again, the graph is built once, and each run takes
what goes in from here and leaves here what it wrote.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

from schemas.alert import Alert
from schemas.answer import Answer
from schemas.failure import Failure
from schemas.message import Message
from transforms.rules.rate_counts import RateCounts

if TYPE_CHECKING:
    from pipeline.sinks.part_files import Part


class Source(NamedTuple):
    """Where messages come from, and the messages.

    Attributes:
      place: for what is wrong with it.
      messages: taken one at a time; they may end in DamagedArchive.
      messages_before: how many of the place's messages stand before these.
    """

    place: str
    messages: Iterable[Message]
    messages_before: int = 0


Kept = Literal["parts", "rates", "left", "alerts", "failures"]
"""The lists of a batch, by name."""


class Batch:
    """What goes in, and what came of it.

    Args:
      sources: what goes in, taken one message at a time.
      folder: a local folder for the files that the steps write.

    Attributes:
      parts: the finished files, not public yet.
      rates: what was counted of each engine's answers, several counts for one bucket allowed.
      left: answers that were neither checked nor failed.
      alerts, failures: where they are to be announced and not written to files.
    """

    def __init__(self, sources: Iterable[Source], folder: str) -> None:
        self.sources = sources
        self.folder = folder
        self.parts: list[Part] = []
        self.rates: list[tuple[str | None, RateCounts]] = []
        self.left: list[Answer] = []
        self.alerts: list[Alert] = []
        self.failures: list[Failure] = []


_UNDER_WAY: dict[str, Batch] = {}


@contextmanager
def under_way(key: str, batch: Batch) -> Iterator[None]:
    """Let the steps of this process find a batch, one at a time for a key."""
    _UNDER_WAY[key] = batch
    try:
        yield
    finally:
        del _UNDER_WAY[key]


def batch_under_way(key: str) -> Batch:
    """Find the batch that is on its way; for steps, which travel by pickling and cannot hold it."""
    return _UNDER_WAY[key]
