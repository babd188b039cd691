"""ReadBatch: read the messages that are handed to a pipeline inside this process."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import apache_beam as beam
from apache_beam.pvalue import DoOutputsTuple, PBegin, TaggedOutput
from apache_beam.typehints.decorators import no_annotations
from apache_beam.utils.shared import Shared

from groundwatch.pipeline.settings.config import Config
from groundwatch.schemas.failure import first_sentence
from groundwatch.schemas.message import Message
from groundwatch.transforms.deduplicate import KeepFirst, in_file
from groundwatch.transforms.runtime import counters
from groundwatch.transforms.runtime.failures import FAILURES, MESSAGES, TaggedFailure, failed_now
from .compression import DamagedArchive

_log = logging.getLogger(__name__)


class MessageRange(NamedTuple):
    """Messages of a place behind its `first` ones; they may end in DamagedArchive."""

    place: str
    messages: Iterable[Message]
    first: int = 0


class Batch:
    """Messages that go through a pipeline together, and the rows that its steps collect."""

    def __init__(self, ranges: Iterable[MessageRange]) -> None:
        self.ranges = ranges
        self.collected: defaultdict[str, list[Any]] = defaultdict(list)


class _Slot:
    """Hold the current batch."""

    batch: Batch | None = None


class BatchHandle:
    """Hand one batch after another to the pickled steps of a pipeline, through Beam's `Shared`."""

    def __init__(self) -> None:
        self._shared = Shared()

    @contextmanager
    def holding(self, batch: Batch) -> Iterator[None]:
        """Let the steps find a batch while a `with` block lasts."""
        slot = self._shared.acquire(_Slot)
        slot.batch = batch
        try:
            yield
        finally:
            slot.batch = None

    @property
    def batch(self) -> Batch:
        batch: Batch | None = self._shared.acquire(_Slot).batch
        if batch is None:
            raise RuntimeError("no batch: the pipeline does not run in the process that holds it")
        return batch


class ReadBatch(beam.PTransform):
    """Read the messages of the batch that the caller holds.

    Input: the pipeline's root.
    Output: two PCollections, bounded: `messages` and `failures`, as of `ReadArchives`.
    Failures: those of `ReadArchives`.
    Delivery: each message once.
    """

    def __init__(self, batches: BatchHandle) -> None:
        super().__init__()
        self.batches = batches

    # Each message may hold 10,000; the outcome of a batch is in memory, 2 kB for a failure.
    most_answers = 100_000

    def grouping(self, config: Config) -> tuple[KeepFirst, None]:
        """Remember the record ids of all batches in the database; each batch is a bundle."""
        return in_file(str(config.database)), None

    @no_annotations  # Beam knows several outputs by their tags only
    def expand(self, root: PBegin) -> DoOutputsTuple:
        take = beam.FlatMap(_take, batches=self.batches)
        start = root | "Start" >> beam.Impulse()
        return start | "TakeBatch" >> take.with_outputs(FAILURES, main=MESSAGES)


def _take(_: bytes, batches: BatchHandle) -> Iterator[Message | TaggedFailure]:
    for messages in batches.batch.ranges:
        yield from count_messages(messages)


def count_messages(source: MessageRange) -> Iterator[Message | TaggedFailure]:
    """Yield and count messages; a damage ends them with a failure that names its place."""
    count = source.first
    try:
        for message in source.messages:
            counters.MESSAGES_READ.inc()
            count += 1
            yield message
    except DamagedArchive as error:
        reason = first_sentence(str(error))
        _log.error("%s is damaged after %d records: %s", source.place, count, reason)
        counters.MESSAGES_READ.inc()
        counters.ARCHIVES_DAMAGED.inc()
        damage = Message(payload=b"", place=f"{source.place}#after-record-{count}")
        yield TaggedOutput(FAILURES, failed_now(damage, "ReadMessages", error, retryable=False))
