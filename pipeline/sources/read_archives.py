"""ReadMessages: the records of an archive or a subscription, one message each."""

import logging
from collections.abc import Iterator, Sequence

import apache_beam as beam
from apache_beam.pvalue import DoOutputsTuple, PBegin, TaggedOutput
from apache_beam.typehints.decorators import no_annotations

from pipeline.sources.archive_files import read_file
from pipeline.sources.archives import DamagedArchive
from pipeline.sources.read_batch import Source, batch_under_way
from pipeline.sources.read_subscription import ReadSubscription
from pipeline.stream import Subscription
from schemas.failure import Failure
from schemas.message import Message
from transforms.runtime import counters
from transforms.runtime.failures import FAILURES, MESSAGES, TaggedFailure, failed_now

_log = logging.getLogger(__name__)


class ReadMessages(beam.PTransform):
    """Read archives of JSON lines (plain, gzip, zstandard) or Avro, or a subscription.

    A record counts when the checksum that covers it was verified, or none covers it.

    Input: the pipeline's root.
    Output: two PCollections. `messages` holds a Message for each record, of a subscription
      unbounded and at the time of its publication, else bounded and with no timestamp of its own;
      `failures` one Failure for each archive that is damaged, which names the place.
    Failures: DamagedArchive, never retryable. A file that cannot be opened, or that changes while
      it is read, fails the bundle.
    Delivery: each record once. A file is read from end to end by one worker, since a record's
      place in it may be its only identity.

    Args:
      paths: the archives' files, local or gs://.
      are_failures: whether they are what an earlier run left, to be replayed.
      batch: the key of this process's batches, to take the messages from there instead.
      subscription: what is read instead of either.
      salvage: whether the records before a damage count, too, with the attribute SALVAGED.
    """

    def __init__(
        self,
        paths: Sequence[str],
        batch: str | None = None,
        subscription: Subscription | None = None,
        *,
        are_failures: bool = False,
        salvage: bool = False,
    ) -> None:
        super().__init__()
        self.paths = tuple(paths)
        self.batch = batch
        self.subscription = subscription
        self.are_failures = are_failures
        self.salvage = salvage

    @no_annotations  # Beam knows several outputs by their tags only
    def expand(self, root: PBegin) -> DoOutputsTuple:
        """Apply the step."""
        if self.subscription is not None:
            return root | "ReadSubscription" >> ReadSubscription(self.subscription)
        if self.batch is None:
            paths = root | "Archives" >> beam.Create(self.paths)
            read = beam.FlatMap(_read_archive, are_failures=self.are_failures, salvage=self.salvage)
            return paths | "ReadArchive" >> read.with_outputs(FAILURES, main=MESSAGES)
        keys = root | "Batches" >> beam.Create([self.batch])
        read = beam.FlatMap(_take_batch)
        return keys | "TakeBatch" >> read.with_outputs(FAILURES, main=MESSAGES)


def _read_archive(
    path: str, *, are_failures: bool, salvage: bool
) -> Iterator[Message | TaggedFailure]:
    messages = read_file(path, are_failures=are_failures, salvage=salvage)
    return _take(Source(place=path, messages=messages))


def _take_batch(key: str) -> Iterator[Message | TaggedFailure]:
    for source in batch_under_way(key).sources:
        yield from _take(source)


def _take(source: Source) -> Iterator[Message | TaggedFailure]:
    count = source.messages_before
    try:
        for message in source.messages:
            counters.MESSAGES_READ.inc()
            count += 1
            yield message
    except DamagedArchive as error:
        _log.error("%s is damaged after %d records: %s", source.place, count, error)
        counters.MESSAGES_READ.inc()
        counters.ARCHIVES_DAMAGED.inc()
        damage = Message(payload=b"", place=f"{source.place}#after-record-{count}")
        yield TaggedOutput(FAILURES, _failure(damage, error))


def _failure(damage: Message, error: DamagedArchive) -> Failure:
    return failed_now(damage, "ReadMessages", error, retryable=False)
