"""The outcome of a batch: encoded records, and rows."""

from collections import Counter
from collections.abc import Iterable

from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.answer import Answer
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.grounding_result import GroundingResult
from groundwatch.transforms.rules.rate_counts import EngineCounts
from .folder_writer import Chunk
from .topic_messages import TopicMessage


class DeferredAnswer(Record, frozen=True, kw_only=True):
    """An answer that was neither checked nor failed, in a message of `elements`; without text."""

    record_id: str
    engine: str | None
    place: str
    elements: int = 1


class Outcome(Record, frozen=True, kw_only=True):
    """The outcome of a batch: encoded records, and rows; `rates` are to be added up."""

    chunks: tuple[Chunk, ...] = ()
    rates: tuple[EngineCounts, ...] = ()
    deferred: tuple[DeferredAnswer, ...] = ()
    alerts: tuple[Alert, ...] = ()
    failures: tuple[Failure, ...] = ()
    results: tuple[GroundingResult, ...] = ()
    messages: tuple[TopicMessage, ...] = ()

    @property
    def enriched(self) -> int:
        return sum(chunk.rows for chunk in self.chunks)


def deferred_answer(answer: Answer) -> DeferredAnswer:
    """Describe an answer that is deferred to another batch, without its text."""
    return DeferredAnswer(
        record_id=answer.record_id,
        engine=answer.engine,
        place=answer.message.place,
        elements=answer.message.elements,
    )


def finished_beside(deferred: Iterable[DeferredAnswer]) -> Counter[str]:
    """Count the answers that have ended in messages with deferred answers, by place."""
    finished: Counter[str] = Counter()
    for answer in deferred:
        finished.setdefault(answer.place, answer.elements)
        finished[answer.place] -= 1
    return finished
