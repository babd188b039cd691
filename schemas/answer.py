"""An answer as groundwatch understands it, whatever format it came in."""

import msgspec

from schemas import Record
from schemas.message import Message


class Fact(Record, frozen=True, kw_only=True):
    """A source text that the chatbot was given.

    Attributes:
      text: the text, whole, as it came; never empty or white space alone.
      uri, title, document: where the text is from; None when the producer does not say.
      attributes: whatever else describes it (page, author), sent along with the check.
    """

    text: str
    uri: str | None = None
    title: str | None = None
    document: str | None = None
    attributes: dict[str, str] = {}


class Citation(Record, frozen=True, kw_only=True):
    """A stretch of the answer that the chatbot itself says is taken from some facts.

    Attributes:
      start, end: UTF-8 byte offsets into the answer, end exclusive.
      facts: indices into the answer's facts; empty when the cited source carries no text.
    """

    start: int
    end: int
    facts: tuple[int, ...] = ()


class GroundingSupport(Record, frozen=True, kw_only=True):
    """How well the generator's own check found a stretch of the answer supported.

    Attributes:
      start, end: UTF-8 byte offsets into the answer, end exclusive.
      score: 0..1, None when the generator gave none.
      grounding_check_required: False for a greeting and the like, None when not said.
      facts: indices into the answer's facts.
    """

    start: int
    end: int
    score: float | None = None
    grounding_check_required: bool | None = None
    facts: tuple[int, ...] = ()


class SafetyRating(Record, frozen=True, kw_only=True):
    """A generator's rating of an answer or of its prompt in one category of harm.

    Attributes:
      category, probability, severity: names without their enum's common prefix
        (``HATE_SPEECH``, ``MEDIUM``); None when not said.
      blocked: whether the content was blocked because of it.
      probability_score, severity_score: 0..1, None when not said.
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
      message: the original message, which a failure further on hands back.
      record_id: SHA-256 (hex) of a stable identity, the same for every delivery.
      answer_name: the service's resource name of the answer, or the id in groundwatch's
        envelope; None when it has none.
      source_format: which input format it came in, such as ``discoveryengine.answer``.
      engine, session: bare ids, None when unknown.
      event_time_us: when the answer was given, microseconds since 1970 UTC, None when unknown.
      query: the user's question, None when the message does not hold it.
      answer_text: the answer, byte for byte; empty when there is none.
      state: the generator's state name, None when absent or unspecified.
      skip_reasons: why the generator skipped, in the message's order, names as they came.
      finish_reason, block_reason: Gemini's names, None when absent or unspecified.
      error_status: the google.rpc status a stream broke off with, None when it did not.
      safety_ratings: of the answer, the candidate and the prompt.
      facts: distinct texts, in the message's order.
      citations, supports: the generator's own view of which facts support what.
      generator_grounding_score: 0..1, the generator's own check; None when it made none.
      answerable_probability: 0..1, Gemini's estimate that the facts hold the answer, or None.
      tags: what parsing noticed, such as ``BAD_TIMESTAMP``.
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


class Span(msgspec.Struct, frozen=True, array_like=True):
    """A stretch of an answer that its facts do not support.

    Attributes:
      start, end: UTF-8 byte offsets into the answer, end exclusive.
      kind: in what way it is unsupported, in the labels' own words.
    """

    start: int
    end: int
    kind: str = "unsupported"


class Label(Record, frozen=True, kw_only=True):
    """What a person said of an answer.

    Attributes:
      is_unsupported: whether anything in it is not supported.
      spans: what is not; None where nobody looked into the answer.
    """

    is_unsupported: bool
    spans: tuple[Span, ...] | None = None
