"""The enriched record: an answer with its verdict, as it is written to Avro."""

from schemas.answer import Fact, SafetyRating
from schemas.checked import Check, Claim
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
