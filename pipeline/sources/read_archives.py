"""ReadArchives: read the records of archives, one message each."""

from collections.abc import Iterator, Sequence
from functools import partial

import apache_beam as beam
from apache_beam.pvalue import DoOutputsTuple, PBegin, PCollection
from apache_beam.typehints.decorators import no_annotations

from groundwatch.pipeline.settings.config import Config
from groundwatch.schemas.message import Message
from groundwatch.transforms.deduplicate import KeepFirst, in_groups, in_groups_beside
from groundwatch.transforms.runtime.failures import FAILURES, MESSAGES, TaggedFailure
from .archives import read_file
from .output_folder import read_record_ids
from .read_batch import MessageRange, count_messages


class ReadArchives(beam.PTransform):
    """Read archives of JSON lines (plain, gzip, zstandard) or Avro.

    A record counts when the checksum that covers it was verified, or none covers it.

    Input: the pipeline's root.
    Output: two PCollections, bounded: `messages` holds a Message for each record, without a
      timestamp; `failures` one Failure for each damaged archive, which names the place.
    Failures: DamagedArchive, never retryable. A file that cannot be opened, or that changes while
      it is read, fails the bundle.
    Delivery: each record once. One worker reads a file from end to end, since a record's place in
      it may be its only identity.

    Args:
      paths: of the archives.
      are_failures: whether they hold failures.
      ended: enriched files, whose answers are dropped as duplicates.
    """

    def __init__(
        self, paths: Sequence[str], *, are_failures: bool = False, ended: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self.paths = tuple(paths)
        self.ended = tuple(ended)
        self.read = beam.FlatMap(_read_archive, are_failures=are_failures)

    most_answers = None

    def grouping(self, _: Config) -> tuple[KeepFirst, None]:
        """Group the answers by record id; leave the bundles, which are large."""
        if self.ended:
            return in_groups_beside(partial(_read_ended, paths=self.ended)), None
        return in_groups, None

    @no_annotations  # Beam knows several outputs by their tags only
    def expand(self, root: PBegin) -> DoOutputsTuple:
        paths = root | "Archives" >> beam.Create(self.paths)
        return paths | "ReadArchive" >> self.read.with_outputs(FAILURES, main=MESSAGES)


def _read_ended(root: beam.Pipeline, paths: Sequence[str]) -> PCollection[str]:
    files = root | "EndedFiles" >> beam.Create(paths)
    return files | "ReadEndedIds" >> beam.FlatMap(read_record_ids)


def _read_archive(path: str, *, are_failures: bool) -> Iterator[Message | TaggedFailure]:
    return count_messages(MessageRange(path, read_file(path, are_failures=are_failures)))
