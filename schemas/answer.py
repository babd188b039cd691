"""An answer, independent of its format, and people's labels for it; see `enriched_answer.avsc`."""

from collections.abc import Iterable

import msgspec

from . import Record
from .message import Message


class Fact(Record, frozen=True, kw_only=True):
    """A source text that the chatbot was given; never empty or only white space."""

    text: str
    uri: str | None = None
    title: str | None = None
    document: str | None = None
    attributes: dict[str, str] = {}


class Citation(Record, frozen=True, kw_only=True):
    """A span of the answer, and the facts that the chatbot cites: none without a text."""

    start: int
    end: int
    facts: tuple[int, ...] = ()


class GroundingSupport(Citation, frozen=True, kw_only=True):
    """The result of the generator's own check for a span of the answer."""

    score: float | None = None
    grounding_check_required: bool | None = None


class SafetyRating(Record, frozen=True, kw_only=True):
    """A rating of an answer or its prompt; names are without their enum's prefix."""

    category: str | None = None
    probability: str | None = None
    severity: str | None = None
    blocked: bool = False
    probability_score: float | None = None
    severity_score: float | None = None


class Answer(Record, frozen=True, kw_only=True):
    """One generated answer with the facts it was given; its tags are those that parsing set.

    The parser adds the record id and the source format, unless the body has them. The generator's
    names are None if they are absent or unspecified. `error_status` is the google.rpc status that
    ended a stream.
    """

    message: Message
    record_id: str = ""
    answer_name: str | None = None
    source_format: str = ""
    engine: str | None = None
    session: str | None = None
    event_time_us: int | None = None
    query: str | None = None
    answer_text: str = ""
    state: str | None = None
    skip_reasons: tuple[str, ...] = ()
    finish_reason: str | None = None
    block_reason: str | None = None
    error_status: str | None = None
    safety_ratings: tuple[SafetyRating, ...] = ()
    facts: tuple[Fact, ...] = ()
    citations: tuple[Citation, ...] = ()
    supports: tuple[GroundingSupport, ...] = ()
    generator_grounding_score: float | None = None
    answerable_probability: float | None = None
    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    tags: tuple[str, ...] = ()


class LabelSpan(msgspec.Struct, frozen=True, array_like=True):
    """A span (UTF-8 bytes, end exclusive) that the facts do not support, by a person's label."""

    start: int
    end: int


class Label(Record, frozen=True, kw_only=True):
    """A person's label for an answer.

    Attributes:
      spans: what is unsupported in it; None if only the whole answer is labelled.
      supported: what a person found to be supported; None if that is everything else.
    """

    is_unsupported: bool
    spans: tuple[LabelSpan, ...] | None = None
    supported: tuple[LabelSpan, ...] | None = None

    def is_unsupported_at(self, start: int, end: int) -> bool | None:
        """Return whether the claim at these bytes, end exclusive, is; None if nobody has said."""
        if _overlaps(start, end, self.spans or ()):
            return True
        if self.supported is not None:
            return False if _overlaps(start, end, self.supported) else None
        return None if self.is_unsupported and not self.spans else False


_MIN_OVERLAP_BYTES = 2
"""Of a claim and a labelled span, as in RAGTruth's own evaluation of sentences."""


def _overlaps(start: int, end: int, spans: Iterable[LabelSpan]) -> bool:
    return any(min(end, each.end) - max(start, each.start) >= _MIN_OVERLAP_BYTES for each in spans)
