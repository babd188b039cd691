"""Run batches through the pipeline, and make each durable as a whole or not at all."""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from launch.local.local_pipeline import LocalPipeline, cause_of
from launch.watch.durable.batch_folders import BatchFolders
from launch.watch.durable.journal import Journal
from launch.watch.durable.ledger import hour_of_batch
from launch.watch.durable.published_ids import unreadable_id
from pipeline.sinks.batch_results import BatchResults
from pipeline.sources.read_archives import MessageRange
from schemas.alert import Alert
from schemas.failure import Failure
from schemas.message import Message
from schemas.quantities import HOUR_US
from schemas.summary import RunCounts
from transforms.persistence.seen_ids import SeenIds
from transforms.runtime import clock


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

        The checks of deferred answers go on in the background. After an error nothing is kept: it
        is `RunStopped`, an OSError, `Unaccounted`, or a bug.
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
            if failure.record_id or self._seen.claim(unreadable_id(failure.message))
        )
        repeated = len(batch.failures) - len(new)
        batch = replace(batch, failures=new)
        if counts.read:
            self._commit(number, batch, counts, repeated)
        return batch, counts

    def fail(self, failure: Failure, alerts: Sequence[Alert] = ()) -> None:
        """Commit a failure; it is a duplicate if its message, or answer, has failed before."""
        number, _ = self._begin()
        is_new = self._seen.claim(failure.record_id or unreadable_id(failure.message))
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
