"""The loop of a backfill, a replay and a worker: take a batch, run and commit it, acknowledge."""

from collections.abc import Callable
from typing import Protocol

from groundwatch.launch.engine.batches import Batches, Work
from groundwatch.pipeline.sinks.outcomes import Outcome
from groundwatch.schemas.summary import RunCounts


class BatchSource(Protocol):
    """Deliver batches, and record how they end."""

    def take(self) -> Work | None:
        """Return the next batch, None if there is none now."""

    def read(self, work: Work) -> None:
        """Record that all messages of a batch are read: the next one may begin."""

    def advance(self, work: Work, outcome: Outcome) -> None:
        """Record the new position, in the transaction that commits a batch."""

    def acknowledge(self, work: Work, outcome: Outcome, counts: RunCounts) -> None:
        """Acknowledge the messages of a batch, which is committed."""

    def fail(self, work: Work, error: Exception) -> None:
        """Handle an error after which nothing of a batch is committed, or raise it."""


def process_next(source: BatchSource, batches: Callable[[], Batches]) -> bool:
    """Process one batch; return False if there is none now.

    A crash before the commit leaves the batch as it was; one after it leaves an outcome that is
    complete, and messages that are delivered again and found to be duplicates.
    """
    work = source.take()
    if work is None:
        return False
    try:
        outcome, counts = batches().run(
            work,
            read=lambda: source.read(work),
            advance=lambda outcome: source.advance(work, outcome),
        )
    except Exception as error:  # noqa: BLE001 - the source decides
        source.fail(work, error)
    else:
        source.acknowledge(work, outcome, counts)
    return True
