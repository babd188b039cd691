"""ReadMessages: the records of an archive, one message each."""

import logging
from collections.abc import Iterator, Sequence
from typing import IO

import apache_beam as beam
from apache_beam.pvalue import DoOutputsTuple, PBegin, TaggedOutput
from apache_beam.typehints.decorators import no_annotations

from pipeline import storage
from pipeline.archives import DamagedArchive, read_archive
from pipeline.failures import read_failures
from schemas.failure import Failure
from schemas.message import Message
from transforms import counters
from transforms.failing import FAILURES, TaggedFailure, failed_now

MESSAGES = "messages"
_MESSAGES_BETWEEN_LOOKS = 64
_log = logging.getLogger(__name__)


class ReadMessages(beam.PTransform):
    """Read archives of JSON lines (plain, gzip, zstandard) or Avro.

    Input: the pipeline's root.
    Output: two PCollections, bounded. `messages` holds a Message for each record, with no
      timestamp of its own; `failures` one Failure for each archive that is damaged, holding what
      is left of the record at which it was cut.
    Failures: DamagedArchive, never retryable. A file that cannot be opened fails the bundle.
    Delivery: each record once. A file is read from end to end by one worker, since a record's
      place in it may be its only identity.

    Args:
      paths: the archives' files, local or gs://.
      are_failures: whether they are what an earlier run left, to be replayed.
    """

    def __init__(self, paths: Sequence[str], *, are_failures: bool = False) -> None:
        super().__init__()
        self.paths = tuple(paths)
        self.are_failures = are_failures

    @no_annotations  # Beam knows several outputs by their tags only
    def expand(self, root: PBegin) -> DoOutputsTuple:
        """Apply the step."""
        return (
            root
            | "Archives" >> beam.Create(self.paths)
            | "ReadArchive"
            >> beam.FlatMap(_read_archive, are_failures=self.are_failures).with_outputs(
                FAILURES, main=MESSAGES
            )
        )


def _read_archive(path: str, *, are_failures: bool) -> Iterator[Message | TaggedFailure]:
    read_records = read_failures if are_failures else read_archive
    count = position = 0
    with storage.telling(f"cannot read {path}"), storage.read(path) as stream:
        try:
            for message in read_records(stream, path):
                counters.MESSAGES_READ.inc()
                count += 1
                yield message
                if count % _MESSAGES_BETWEEN_LOOKS == 0:
                    position = _count_bytes(stream, position)
            _count_bytes(stream, position)
        except DamagedArchive as error:
            _log.error("%s is damaged after %d good records: %s", path, count, error)
            counters.MESSAGES_READ.inc()
            counters.ARCHIVES_DAMAGED.inc()
            yield TaggedOutput(FAILURES, _failure(path, count, error))


def _count_bytes(stream: IO[bytes], counted: int) -> int:
    """Count how far the file has been read since; looking costs a call of the system."""
    position = stream.tell()
    counters.ARCHIVE_BYTES_READ.inc(position - counted)
    return position


def _failure(path: str, count: int, error: DamagedArchive) -> Failure:
    remains = Message(payload=error.remains, place=f"{path}#after-record-{count}")
    return failed_now(remains, "ReadMessages", error, retryable=False)
