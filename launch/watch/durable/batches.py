"""Run batches through the pipeline, and keep each in a folder until it is published."""

import itertools
import logging
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from launch.local.local_pipeline import LocalPipeline, cause_of
from launch.watch.durable.journal import Journal
from launch.watch.durable.ledger import hour_of_batch
from launch.watch.durable.published_ids import unreadable_id
from pipeline import storage
from pipeline.sinks.batch_results import BatchResults
from pipeline.sinks.part_files import Part
from pipeline.sources.read_archives import MessageRange
from schemas.alert import Alert
from schemas.failure import Failure
from schemas.message import Message
from schemas.quantities import HOUR_US
from schemas.summary import RunCounts
from transforms.persistence.private_files import make_folder
from transforms.persistence.seen_ids import SeenIds
from transforms.runtime import clock

_FOLDER = re.compile(r"batch-(?:([0-9a-f]+)-)?(\d{10})")
_log = logging.getLogger(__name__)


class BatchFolders:
    """Give each batch of a journal a folder; `sizes` counts bytes by output folder."""

    def __init__(self, work_folder: str, journal: Journal) -> None:
        self._work_folder = Path(work_folder)
        self._aside = self._work_folder / "set-aside"
        self._journal = journal.identity
        self.sizes: Counter[str] = Counter()
        self._clean({number for number, _ in journal.waiting_batches()})

    def begin(self, number: int) -> str:
        """Make an empty folder for a batch's parts."""
        folder = self._folder(number)
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        return str(folder)

    def keep(self, number: int, parts: Iterable[Part]) -> None:
        """Make a batch's parts durable."""
        for part in parts:
            storage.fsync(part.path)
            self.sizes[part.folder] += part.size_bytes
        storage.fsync(str(self._folder(number)))
        storage.fsync(str(self._work_folder))

    def placed(self, number: int, part: Part) -> Part:
        """Find a batch's part by its name: the work folder may have been moved."""
        return replace(part, path=str(self._folder(number) / Path(part.path).name))

    def remove(self, up_to: int) -> None:
        """Remove the folders of this journal's batches up to a number: they are published."""
        for folder, journal, number in self._found():
            if journal == self._journal and number <= up_to:
                shutil.rmtree(folder, ignore_errors=True)

    def set_aside(self, part: Part) -> str:
        """Set aside a damaged part, which may be gone; return where it is now."""
        source = Path(part.path)
        return str(self._move_aside(source) if source.exists() else source)

    def _clean(self, waiting: set[int]) -> None:
        """Remove unfinished batches; set other journals' aside: they may hold the only rows."""
        moved = 0
        for folder, journal, number in self._found():
            if journal is None and number in waiting:
                folder.rename(self._folder(number))
            elif journal != self._journal:
                self._move_aside(folder)
                moved += 1
            elif number not in waiting:
                shutil.rmtree(folder, ignore_errors=True)
        if moved:
            _log.error(
                "%d batch folders belong to another journal; they were moved to %s. Their files may"
                " contain rows that are not in the output",
                moved,
                self._aside,
            )

    def _move_aside(self, source: Path) -> Path:
        make_folder(self._aside)
        copies = (self._aside / f"{source.name}-{number}" for number in itertools.count(2))
        names = itertools.chain([self._aside / source.name], copies)
        return source.rename(next(name for name in names if not name.exists()))

    def _found(self) -> list[tuple[Path, str | None, int]]:
        return [
            (folder, match[1], int(match[2]))
            for folder in sorted(self._work_folder.glob("batch-*"))
            if (match := _FOLDER.fullmatch(folder.name))
        ]

    def _folder(self, number: int) -> Path:
        return self._work_folder / f"batch-{self._journal}-{number:010d}"


class Unaccounted(Exception):
    """Messages ended nowhere, or twice."""


class Batches:
    """Run batches; when a method returns, the outcome is durable in the journal and its files."""

    def __init__(
        self, pipeline: LocalPipeline, journal: Journal, folders: BatchFolders, seen: SeenIds
    ) -> None:
        self._pipeline = pipeline
        self._journal = journal
        self._folders = folders
        self._seen = seen
        # An interrupted batch may have claimed ids.
        self._is_begun = True

    def run(self, messages: Sequence[Message]) -> tuple[BatchResults, RunCounts]:
        """Run messages, at least one, through the pipeline, and make the outcome durable.

        After an error nothing is kept: it is `RunStopped`, an OSError, `Unaccounted`, or a bug.
        """
        number, folder = self._begin()
        deliveries = [MessageRange(place="the subscription", messages=messages)]
        try:
            batch, counts = self._pipeline.run(deliveries, folder)
        except Exception as error:  # noqa: BLE001 - Beam wraps what a step raises
            raise cause_of(error) from None
        self._seen.release(answer.record_id for answer in batch.deferred)
        # A message that cannot be parsed, and was delivered before, has failed before.
        new = tuple(
            failure
            for failure in batch.failures
            if failure.record_id or self._claim(unreadable_id(failure.message))
        )
        repeated = len(batch.failures) - len(new)
        batch = replace(batch, failures=new)
        if counts.read:
            self._commit(number, batch, counts, repeated)
        return batch, counts

    def fail(self, failure: Failure, alerts: Sequence[Alert] = ()) -> None:
        """Commit a failure; it is a duplicate if its message, or answer, has failed before."""
        number, _ = self._begin()
        is_new = self._claim(failure.record_id or unreadable_id(failure.message))
        batch = BatchResults(alerts=tuple(alerts), failures=(failure,) if is_new else ())
        self._commit(number, batch, RunCounts(read=1), repeated=int(not is_new))

    def delete_old_ids(self, seen_for_h: float) -> None:
        """Delete record ids that are older than so many hours, and a little more."""
        oldest_us = clock.now_us() - round((seen_for_h + 1) * HOUR_US)
        young = [hour.first_batch for hour in self._journal.ledger() if hour.hour_us >= oldest_us]
        if young:
            # Not always the first one's: a clock may have been set back.
            self._seen.delete_before(min(young))

    def _begin(self) -> tuple[int, str]:
        number = self._journal.next_number()
        folder = self._folders.begin(number)
        self._seen.begin(number, again=self._is_begun)
        self._is_begun = True
        return number, folder

    def _claim(self, record_id: str) -> bool:
        return self._seen.claim([record_id])[0]

    def _commit(self, number: int, batch: BatchResults, counts: RunCounts, repeated: int) -> None:
        counts = replace(
            counts,
            duplicates=counts.duplicates + repeated,
            failures_by_error=dict(Counter(failure.error_class for failure in batch.failures)),
            retryable_failures=sum(failure.retryable for failure in batch.failures),
        )
        now_us = clock.now_us()
        hour = hour_of_batch(number, batch, counts, now_us)
        if hour.gap:
            raise Unaccounted(f"{hour.gap} of {hour.read} messages ended nowhere")
        self._seen.checkpoint()
        self._folders.keep(number, batch.parts)
        self._journal.commit(hour, batch, counts, now_us)
        self._is_begun = False
