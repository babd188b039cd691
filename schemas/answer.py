"""An answer in groundwatch's own terms, independent of its format, and people's labels for it."""

import msgspec

from schemas import Record
from schemas.message import Message


class Fact(Record, frozen=True, kw_only=True):
    """A source text that the chatbot was given; never empty or only white space.

    `attributes` are other descriptions, such as page and author, which are part of the check.
    """

    text: str
    uri: str | None = None
    title: str | None = None
    document: str | None = None
    attributes: dict[str, str] = {}


class Citation(Record, frozen=True, kw_only=True):
    """A span (UTF-8 bytes, end exclusive) for which the chatbot cites facts, by their indices.

    There are none if the cited source has no text.
    """

    start: int
    end: int
    facts: tuple[int, ...] = ()


class GroundingSupport(Citation, frozen=True, kw_only=True):
    """The result of the generator's own check for a span of the answer.

    The score is 0..1. `grounding_check_required` is False for a greeting and the like, None if
    unknown.
    """

    score: float | None = None
    grounding_check_required: bool | None = None


class SafetyRating(Record, frozen=True, kw_only=True):
    """A generator's rating of an answer or of its prompt in one category of harm.

    Names are without their enum's common prefix (``HATE_SPEECH``, ``MEDIUM``); scores are 0..1.
    """

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
      record_id: SHA-256 (hex) of a stable identity, the same for every delivery.
      answer_name: the service's resource name of the answer, or the id in groundwatch's envelope.
      engine, session: bare ids.
      event_time_us: when the answer was given, microseconds since 1970 UTC.
      answer_text: the answer, byte for byte; empty if there is none.
      state, finish_reason, block_reason: the generator's names, None if absent or unspecified.
      skip_reasons: the generator's, in the message's order, names unchanged.
      error_status: the google.rpc status that ended a stream, or None.
      safety_ratings: of the answer, the candidate and the prompt.
      facts: distinct texts, in the message's order.
      generator_grounding_score: 0..1, the generator's own check.
      answerable_probability: 0..1, Gemini's estimate that the facts contain the answer.
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
