"""Run one batch through the pipeline, and commit its outcome."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from groundwatch.pipeline.sinks.outcomes import Outcome
from groundwatch.pipeline.sources.read_batch import MessageRange
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.message import Message
from groundwatch.schemas.summary import RunCounts
from groundwatch.transforms.grounding.check_session import CheckSession
from groundwatch.transforms.persistence.seen_ids import SeenIds
from .journal import Journal
from .local_pipeline import LocalPipeline


class Work(NamedTuple):
    """A batch of messages; `is_retry` if an earlier attempt at it may have ended without a commit.

    `finished_answers` of its messages have ended in earlier batches, and are not counted again.
    """

    number: int
    ranges: Iterable[MessageRange]
    is_retry: bool = True
    messages: Sequence[Message] = ()
    finished_answers: int = 0


class Batches(NamedTuple):
    """Run batches; when `run` returns, the outcome is durable."""

    pipeline: LocalPipeline
    journal: Journal
    seen: SeenIds
    checks: CheckSession

    def run(
        self,
        work: Work,
        *,
        read: Callable[[], None] | None = None,
        advance: Callable[[Outcome], None] = lambda _: None,
    ) -> tuple[Outcome, RunCounts]:
        """Run a batch, and commit its outcome.

        `read` is called when all messages are read and their ids are claimed, `advance` as part of
        the transaction. After an error or a crash before that nothing is committed. The error is
        `TooManyAnswers`, `RunFailed`, `RunStopped`, an OSError, or a bug. Messages of a committed
        batch that are delivered again are found to be duplicates.
        """
        self.seen.start_batch(work.number, is_retry=work.is_retry, on_all_claimed=read)
        self.checks.start_batch(work.number, is_retry=work.is_retry)
        outcome, counts = self.pipeline.run(work.ranges)
        self.checks.flush()
        outcome, counts = self._without_repeated(work, outcome, counts)
        self.journal.commit(
            work.number, outcome, counts, messages=work.messages, advance=partial(advance, outcome)
        )
        return outcome, counts

    def fail(self, number: int, failure: Failure, alerts: Sequence[Alert] = ()) -> None:
        """Commit a failure; it is a duplicate if its message, or answer, has failed before."""
        self.seen.start_batch(number, is_retry=True)
        [is_new] = self.seen.claim([failure.record_id or unreadable_id(failure.message)])
        outcome = Outcome(alerts=tuple(alerts), failures=(failure,) if is_new else ())
        counts = RunCounts(read=1, duplicates=int(not is_new))
        self.journal.commit(number, outcome, counts, messages=[failure.message])

    def _without_repeated(
        self, work: Work, outcome: Outcome, counts: RunCounts
    ) -> tuple[Outcome, RunCounts]:
        """Drop and count failures of messages that cannot be read, and have failed before."""
        unread = [each for each in outcome.failures if each.record_id is None]
        ids = [unreadable_id(failure.message) for failure in unread]
        are_new = self.seen.claim(ids, work.number)
        repeated = {id(each) for each, is_new in zip(unread, are_new, strict=True) if not is_new}
        kept = tuple(failure for failure in outcome.failures if id(failure) not in repeated)
        # They were read again beside a deferred answer, and counted as duplicates.
        finished = work.finished_answers
        duplicates = counts.duplicates + len(repeated) - finished
        counts = replace(counts, read=counts.read - finished, duplicates=duplicates)
        return replace(outcome, failures=kept), counts


def unreadable_id(message: Message) -> str:
    """Identify a message without an answer by its place, in the form of a record id.

    A Pub/Sub server may begin its message ids again: publish time and payload belong to them.
    """
    place = f"message {message.answer_place} {message.publish_time_us}".encode()
    if message.publish_time_us is not None:
        place += hashlib.sha256(message.payload).digest()
    return hashlib.sha256(place).hexdigest()
