"""The results of a batch: what they hold, and how they are read from the batch's folder."""

from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec.structs import fields, replace

from pipeline.sinks.part_files import Part
from pipeline.sinks.topic_messages import TopicMessage
from schemas import Record
from schemas.alert import Alert
from schemas.answer import Answer
from schemas.failure import Failure
from schemas.grounding_result import GroundingResult
from transforms.rules.rate_counts import EngineCounts


class DeferredAnswer(Record, frozen=True, kw_only=True):
    """An answer that was neither checked nor failed; it holds no text."""

    record_id: str
    engine: str | None
    place: str


class BatchResults(Record, frozen=True, kw_only=True):
    """The results of a batch: its part files, and what is in none; `rates` are to be added up."""

    parts: tuple[Part, ...] = ()
    rates: tuple[EngineCounts, ...] = ()
    deferred: tuple[DeferredAnswer, ...] = ()
    alerts: tuple[Alert, ...] = ()
    failures: tuple[Failure, ...] = ()
    results: tuple[GroundingResult, ...] = ()
    messages: tuple[TopicMessage, ...] = ()


_DECODERS = {
    field.name: msgspec.json.Decoder(get_args(field.type)[0]) for field in fields(BatchResults)
}


def read_results(folder: str) -> BatchResults:
    """Read the results of a finished batch, and delete their files."""
    results: dict[str, Any] = {}
    for name, decoder in _DECODERS.items():
        path = Path(folder, f"{name}.rows")
        if path.exists():
            results[name] = tuple(decoder.decode_lines(path.read_bytes()))
            path.unlink()
    return BatchResults(**results)


def deferred_answer(answer: Answer) -> DeferredAnswer:
    """Describe an answer that is deferred to another batch, without its text."""
    place = answer.message.place
    return DeferredAnswer(record_id=answer.record_id, engine=answer.engine, place=place)


def without_payload(failure: Failure) -> Failure:
    """Drop the original bytes and attributes of a failure's message."""
    kept = replace(failure.message, payload=b"", attributes={}, earlier=None, whole_bytes=None)
    return replace(failure, message=kept)
