"""An answer in groundwatch's own terms, independent of its format, and people's labels for it.

`enriched_answer.avsc` describes the fields that an answer has in common with its record.
"""

import msgspec

from schemas import Record
from schemas.message import Message


class Fact(Record, frozen=True, kw_only=True):
    """A source text that the chatbot was given; never empty or only white space."""

    text: str
    uri: str | None = None
    title: str | None = None
    document: str | None = None
    attributes: dict[str, str] = {}


class Citation(Record, frozen=True, kw_only=True):
    """A span of the answer for which the chatbot cites facts: none if the source has no text."""

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
    """One generated answer with the facts it was given.

    Attributes:
      message: the original message, which a later failure contains.
      event_time_us: microseconds since 1970 UTC.
      state, finish_reason, block_reason: the generator's names, None if absent or unspecified.
      error_status: the google.rpc status that ended a stream, or None.
      tags: tags set by parsing, such as ``BAD_TIMESTAMP``.
    """

    message: Message
    record_id: str
    answer_name: str | None = None
    source_format: str
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
    tags: tuple[str, ...] = ()


class LabelSpan(msgspec.Struct, frozen=True, array_like=True):
    """A span (UTF-8 bytes, end exclusive) that the facts do not support, as a person labelled it.

    `kind` is the kind of error, in the labels' own words.
    """

    start: int
    end: int
    kind: str = "unsupported"


class Label(Record, frozen=True, kw_only=True):
    """A person's label for an answer; `spans` is None if only the whole answer is labelled."""

    is_unsupported: bool
    spans: tuple[LabelSpan, ...] | None = None
