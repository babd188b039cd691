"""An answer, independent of its format, and people's labels for it; see `enriched_answer.avsc`."""

import msgspec

from groundwatch.schemas import Record
from groundwatch.schemas.message import Message


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
    """A person's label for an answer; `spans` is None if only the whole answer is labelled."""

    is_unsupported: bool
    spans: tuple[LabelSpan, ...] | None = None
