"""Run batches through the pipeline, and make each durable as a whole or not at all."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from launch.local.local_pipeline import LocalPipeline, cause_of
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
    """The outcome of a batch, besides what is durable.

    Attributes:
      deferred: answers whose checks go on in the background; they are in no file.
      failed_ids: record ids of the answers that failed.
      checked: how many answers were checked.
      latency_s: the mean latency of a check.
      rates: the counts of each engine's answers.
      alerts: those that were raised.
    """

    deferred: tuple[DeferredAnswer, ...]
    failed_ids: frozenset[str]
    checked: int
    latency_s: float
    rates: tuple[EngineCounts, ...]
    alerts: tuple[Alert, ...]

    def arrivals(self, earlier: Iterable[DeferredAnswer]) -> Counter[str | None]:
        """Count the answers that arrived with the batch, by engine.

        Args:
          earlier: answers of the batch that arrived with an earlier one.
        """
        arrived: Counter[str | None] = Counter()
        for engine, counts in self.rates:
            arrived[engine] += counts.answers
        arrived.update(answer.engine for answer in self.deferred)
        arrived.subtract(
            answer.engine for answer in earlier if answer.record_id not in self.failed_ids
        )
        return +arrived


class Batches:
    """Run batches. When a method returns, the outcome is in the journal or in files that it knows.

    Args:
      pipeline: the pipeline definition.
      journal: the durable state.
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
        # An interrupted batch may have claimed ids.
        self._is_begun = True

    def run(self, messages: Sequence[Message]) -> Outcome:
        """Run messages through the pipeline, and make the outcome durable.

        Args:
          messages: at least one.

        Raises:
          RunStopped: no answer can be checked until a person has changed something.
          OSError: a file cannot be written.
          Unaccounted: the messages do not end in one place each.
          Exception: a bug. As after every error, nothing of the batch is kept.
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
            deferred=batch.deferred,
            failed_ids=frozenset(failure.record_id or "" for failure in batch.failures),
            checked=counts.checked,
            latency_s=counts.latency_ms / max(counts.checked, 1) / 1_000,
            rates=batch.rates,
            alerts=batch.alerts,
        )

    def fail(self, failure: Failure, alerts: Sequence[Alert] = ()) -> None:
        """Make a failure of a message.

        Args:
          failure: the message's; a duplicate if it, or its answer, has failed before.
          alerts: that it raises.

        Raises:
          OSError: it cannot be written.
        """
        number, _ = self._begin()
        is_new = self._seen.claim(failure.record_id or unreadable_id(failure.message))
        batch = BatchResults(alerts=tuple(alerts), failures=(failure,) if is_new else ())
        repeated = 1 - len(batch.failures)
        self._commit(number, batch, _with_failures(RunCounts(read=1), batch.failures, repeated))

    def delete_old_ids(self, seen_for_h: float) -> None:
        """Delete record ids that are too old.

        Args:
          seen_for_h: the hours for which they are kept at least.
        """
        oldest_us = clock.now_us() - round((seen_for_h + 1) * HOUR_US)
        young = [account for account in self._journal.ledger() if account.hour_us >= oldest_us]
        if young:
            # Not always the first one's: a clock may have been set back.
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
        """Drop failures of messages that failed to parse when they were delivered before."""
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
