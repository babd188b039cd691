"""Batches: run through the pipeline and made durable, each whole or not at all."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from launch.local.beam_errors import cause_of
from launch.local.local_pipeline import LocalPipeline
from launch.watch.durable.batch_folders import BatchFolders
from launch.watch.durable.journal import BatchDone, Journal
from launch.watch.durable.ledger import hour_of_batch
from launch.watch.durable.published_ids import unreadable_id
from pipeline.sinks.batch_results import BatchResults, DeferredAnswer
from pipeline.sources.read_archives import MessageRange
from schemas import Record
from schemas.alert import Alert
from schemas.failure import Failure
from schemas.message import Message
from schemas.quantities import HOUR_US
from schemas.summary import RunCounts
from transforms.measure_rates import EngineCounts
from transforms.persistence.seen_ids import SeenIds
from transforms.runtime import clock


class Unaccounted(Exception):
    """Messages ended nowhere, or twice."""


class Outcome(Record, frozen=True, kw_only=True):
    """What came of a batch, beside what is durable.

    Attributes:
      left: answers whose checks go on in the background; nothing of them is kept.
      failed_ids: record ids of the answers that failed.
      checked: how many answers were checked.
      latency_s: how long that took for one of them, on average.
      rates: what was counted of each engine's answers.
      alerts: those that were raised.
    """

    left: tuple[DeferredAnswer, ...]
    failed_ids: frozenset[str]
    checked: int
    latency_s: float
    rates: tuple[EngineCounts, ...]
    alerts: tuple[Alert, ...]

    def arrivals(self, held: Iterable[DeferredAnswer]) -> Counter[str | None]:
        """Count the answers that arrived with the batch, by engine.

        Args:
          held: answers of the batch that arrived with an earlier one.
        """
        arrived: Counter[str | None] = Counter()
        for engine, counts in self.rates:
            arrived[engine] += counts.answers
        arrived.update(answer.engine for answer in self.left)
        arrived.subtract(
            answer.engine for answer in held if answer.record_id not in self.failed_ids
        )
        return +arrived


class Batches:
    """Runs batches; what a method has returned for is in the journal, or in files that it knows.

    Args:
      pipeline: the main page.
      journal: what must not be forgotten.
      folders: take the parts.
      seen: the record ids of the last hours.
    """

    def __init__(
        self, pipeline: LocalPipeline, journal: Journal, folders: BatchFolders, seen: SeenIds
    ) -> None:
        self._pipeline = pipeline
        self._journal = journal
        self._folders = folders
        self._seen = seen
        # A batch that a killed worker had begun may have claimed ids.
        self._is_begun = True

    def run(self, messages: Sequence[Message]) -> Outcome:
        """Run messages through the pipeline, and make the outcome durable.

        Args:
          messages: at least one.

        Raises:
          RunStopped: no answer can be checked until a person has changed something.
          OSError: a file cannot be written.
          Unaccounted: the messages do not end in one place each.
          Exception: a defect. Nothing is kept of the batch then, as with all others.
        """
        number, folder = self._begin()
        deliveries = [MessageRange(place="the subscription", messages=messages)]
        try:
            batch, counts = self._pipeline.run(deliveries, folder)
        except Exception as error:  # noqa: BLE001 - Beam wraps what a step raises
            raise cause_of(error) from None
        self._seen.release(answer.record_id for answer in batch.deferred)
        failures, repeated = self._without_repeated(batch.failures)
        batch = replace(batch, failures=tuple(failures))
        if counts.read:
            self._commit(number, batch, _with_failures(counts, batch.failures, repeated))
        return Outcome(
            left=batch.deferred,
            failed_ids=frozenset(failure.record_id or "" for failure in batch.failures),
            checked=counts.checked,
            latency_s=counts.latency_ms / max(counts.checked, 1) / 1_000,
            rates=batch.rates,
            alerts=batch.alerts,
        )

    def fail(self, failure: Failure, alerts: Sequence[Alert] = ()) -> None:
        """Let a message end as a failure.

        Args:
          failure: the message's; none is kept where it, or its answer, has failed before.
          alerts: raised by it.

        Raises:
          OSError: it cannot be written.
        """
        number, _ = self._begin()
        is_new = self._seen.claim(failure.record_id or unreadable_id(failure.message))
        batch = BatchResults(alerts=tuple(alerts), failures=(failure,) if is_new else ())
        repeated = 1 - len(batch.failures)
        self._commit(number, batch, _with_failures(RunCounts(read=1), batch.failures, repeated))

    def delete_old_ids(self, seen_for_h: float) -> None:
        """Forget the record ids that are older than they need to be.

        Args:
          seen_for_h: for how many hours they are remembered at least.
        """
        oldest_us = clock.now_us() - round((seen_for_h + 1) * HOUR_US)
        young = [account for account in self._journal.ledger() if account.hour_us >= oldest_us]
        if young:
            # Not always the first's: a clock may have been set back.
            self._seen.delete_before(min(account.first_batch for account in young))

    def _begin(self) -> tuple[int, str]:
        number = self._journal.next_number()
        folder = self._folders.begin(number)
        self._seen.begin(number, again=self._is_begun)
        self._is_begun = True
        return number, folder

    def _commit(self, number: int, batch: BatchResults, counts: RunCounts) -> None:
        now_us = clock.now_us()
        enriched = sum(part.rows for part in batch.parts if part.kind == "enriched")
        account = hour_of_batch(number, counts, enriched, len(batch.failures), now_us)
        if account.gap:
            raise Unaccounted(f"{account.gap} of {account.read} messages ended nowhere")
        self._seen.checkpoint()
        self._folders.keep(number, batch.parts)
        done = BatchDone(
            number=number,
            parts=batch.parts,
            counts=counts,
            account=account,
            rates=batch.rates,
            alerts=batch.alerts,
            failures=batch.failures,
            committed_at_us=now_us,
        )
        self._journal.commit(done)
        self._is_begun = False

    def _without_repeated(self, failures: Sequence[Failure]) -> tuple[list[Failure], int]:
        """Leave out messages that were no answers when they were delivered before."""
        fresh = [
            failure
            for failure in failures
            if failure.record_id or self._seen.claim(unreadable_id(failure.message))
        ]
        return fresh, len(failures) - len(fresh)


def _with_failures(counts: RunCounts, failures: Sequence[Failure], repeated: int) -> RunCounts:
    return replace(
        counts,
        duplicates=counts.duplicates + repeated,
        failures_by_error=dict(Counter(failure.error_class for failure in failures)),
        retryable_failures=sum(failure.retryable for failure in failures),
    )
