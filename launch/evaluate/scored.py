"""An answer with its scores, whoever gave them."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from schemas import Record
from schemas.answer import Label
from schemas.enriched_answer import EnrichedAnswer


class ScoredClaim(NamedTuple):
    """A claim that required a check: UTF-8 byte offsets into the answer, and its score, 0..1."""

    start: int
    end: int
    score: float


class ScoredAnswer(Record, frozen=True, kw_only=True):
    """What is evaluated of an answer.

    Attributes:
      names: by which a label may mean it: its record id, then its own name if it has one.
      verdict: what groundwatch said of it.
      support_score, min_claim_score: 0..1, None where nothing was scored.
      claims: those that required a check and have a score.
      cluster: the same for answers that were made from the same facts.
      checker: who gave the scores, None where nobody was asked.
    """

    names: tuple[str, ...]
    verdict: str
    support_score: float | None
    min_claim_score: float | None
    claims: tuple[ScoredClaim, ...]
    cluster: str
    checker: str | None


class LabelledAnswer(NamedTuple):
    """An answer with its scores, and what a person said of it."""

    scored: ScoredAnswer
    label: Label


def scored_from_record(enriched: EnrichedAnswer) -> ScoredAnswer:
    """Take from a record what is evaluated."""
    required = ((claim, claim.required_score) for claim in enriched.claims)
    return ScoredAnswer(
        names=_names(enriched.record_id, enriched.answer_name),
        verdict=enriched.verdict,
        support_score=enriched.support_score,
        min_claim_score=enriched.min_claim_score,
        claims=tuple(
            ScoredClaim(claim.start, claim.end, score)
            for claim, score in required
            if score is not None
        ),
        cluster=_cluster((fact.text for fact in enriched.facts), enriched.record_id),
        checker=enriched.check.checker if enriched.check else None,
    )


def scored_from_row(row: Mapping[str, Any]) -> ScoredAnswer:
    """Take from a row of `enriched_answer.avsc`, as fastavro reads it, what is evaluated."""
    return ScoredAnswer(
        names=_names(row["record_id"], row["answer_name"]),
        verdict=row["verdict"],
        support_score=row["support_score"],
        min_claim_score=row["min_claim_score"],
        claims=tuple(
            ScoredClaim(claim["start"], claim["end"], claim["score"])
            for claim in row["claims"]
            if claim["grounding_check_required"] is not False and claim["score"] is not None
        ),
        cluster=_cluster((fact["text"] for fact in row["facts"]), row["record_id"]),
        checker=row["check"] and row["check"]["checker"],
    )


def _names(record_id: str, answer_name: str | None) -> tuple[str, ...]:
    return tuple(filter(None, (record_id, answer_name)))


def _cluster(facts: Iterable[str], record_id: str) -> str:
    """Name the facts; an answer whose facts are hidden or absent stands for itself."""
    text = "\0".join(facts)
    return (
        sha256(text.encode(errors="surrogatepass")).hexdigest() if text.strip("\0") else record_id
    )
