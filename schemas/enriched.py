"""The enriched record: an answer with its verdict, as it is written to Avro."""

from schemas.answer import Citation, Fact, GroundingSupport, SafetyRating
from schemas.checked import Check, Claim, Mismatch
from schemas.record import Record
from schemas.verdict import Verdict


class EnrichedAnswer(Record, frozen=True, kw_only=True):
    """One answer, its verdict, and all that led to it; field for field `enriched_answer.avsc`.

    Attributes:
      verdict_reason: the first reason that applies, such as ``CLAIM_SCORE`` or ``NO_FACTS``.
      tags: sorted, each once.
      support_score: 0..1, None when nothing was scored.
      min_claim_score: 0..1, the least score of a claim that required a check, or None.
      score_drift: generator_grounding_score minus support_score, None unless both are there.
      citation_precision: of the facts that the answer cites for claims, the share that supports
        them, 0..1; None where it cites none for a claim that required a check.
      citation_recall: of the facts that support claims, the share that the answer cites for them,
        0..1; None where it cites nothing, or nothing is supported.
      mismatches: what claims say otherwise than the facts.
      generator_citations, generator_supports: the generator's own view, as it came.
      The other fields are those of `Answer` and `Grounding`.
    """

    record_id: str
    answer_name: str | None
    source_format: str
    engine: str | None
    session: str | None
    event_time_us: int | None
    query: str | None
    answer_text: str
    verdict: Verdict
    verdict_reason: str
    tags: tuple[str, ...]
    support_score: float | None
    min_claim_score: float | None
    generator_grounding_score: float | None
    score_drift: float | None
    answerable_probability: float | None
    skip_reasons: tuple[str, ...]
    safety_ratings: tuple[SafetyRating, ...]
    claims: tuple[Claim, ...]
    facts: tuple[Fact, ...]
    check: Check | None
    citation_precision: float | None = None
    citation_recall: float | None = None
    mismatches: tuple[Mismatch, ...] = ()
    generator_citations: tuple[Citation, ...] = ()
    generator_supports: tuple[GroundingSupport, ...] = ()
