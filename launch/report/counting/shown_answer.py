"""A bad answer as the report shows it: beside its facts, and cut to a size that can be kept."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from launch.report.counting.excerpts import (
    Excerpt,
    Passage,
    ShownClaim,
    answer_excerpt,
    excerpt,
    fact_excerpt,
    passages,
)
from launch.report.counting.seen import SeenAnswer, cut_name, kept_title
from schemas import Record
from schemas.checked_answer import Claim
from transforms.rules.redaction import TextMode, is_hashed

_MOST_CLAIMS = 40
_MOST_FACTS = 8
_MOST_QUERY_BYTES = 600
_MOST_CLAIM_CHARACTERS = 300
_MOST_MISMATCHES = 12
_MOST_VALUE_CHARACTERS = 120


class ShownFact(Record, frozen=True, kw_only=True):
    """A fact beside an answer.

    Attributes:
      number: its place among the answer's facts, from 1.
      text: what is shown of it; None where no text was kept.
      source: the best name of its document, None when unknown.
      title: None when unknown, or not kept.
      cited_by: the numbers of the claims that it supports.
    """

    number: int
    text: Excerpt | None
    source: str | None
    title: str | None
    cited_by: tuple[int, ...]


class ShownMismatch(Record, frozen=True, kw_only=True):
    """What a claim says otherwise than a fact: cut, numbers from 1; None where no fact tells."""

    claim: int
    claim_value: str
    fact_value: str | None
    fact: int | None


class ShownAnswer(Record, frozen=True, kw_only=True):
    """A low-grounded answer beside its facts.

    Attributes:
      answer: its counted fields.
      text_mode: what the record keeps of its texts.
      query: the question, None when unknown or not kept.
      text: what is shown of the answer; None where no text was kept.
      passages: the same, divided by claims.
      worst_claim: the claim with the least score.
      worst_claim_text: its text, cut; None where no text was kept.
      claims: the claims, the least supported first, at most forty.
      claims_in_all: how many there are.
      mismatches: what claims say otherwise than the facts, at most twelve; none of them where the
        texts were not kept.
      facts: the facts, those that the worst claim cites first, at most eight.
      facts_in_all: how many there are.
    """

    answer: SeenAnswer
    text_mode: TextMode
    query: Excerpt | None
    text: Excerpt | None
    passages: tuple[Passage, ...]
    worst_claim: ShownClaim
    worst_claim_text: str | None
    claims: tuple[ShownClaim, ...]
    claims_in_all: int
    mismatches: tuple[ShownMismatch, ...]
    facts: tuple[ShownFact, ...]
    facts_in_all: int


def shown_answer_from_row(answer: SeenAnswer, row: Mapping[str, Any]) -> ShownAnswer:
    """Cut a row to what the report shows of it.

    Args:
      answer: the counted fields.
      row: a checked answer with at least one scored claim, as fastavro reads it.

    Returns:
      The answer, its claims and its facts, of a size that can be kept.
    """
    claims = map(_claim, row["claims"])
    numbered = [ShownClaim(number=number, claim=claim) for number, claim in enumerate(claims, 1)]
    ranked = sorted(numbered, key=_least_supported)
    text_mode = _text_mode(row["answer_text"])
    has_texts = text_mode is TextMode.FULL
    text = answer_excerpt(row["answer_text"], ranked[0].claim) if has_texts else None
    pieces = tuple(passages(text, numbered)) if text else ()
    query = row.get("query") if has_texts else None
    return ShownAnswer(
        answer=answer,
        text_mode=text_mode,
        query=excerpt(query, 0, _MOST_QUERY_BYTES) if query else None,
        text=text,
        passages=pieces,
        worst_claim=ranked[0],
        worst_claim_text=_text_of(ranked[0], pieces),
        claims=tuple(ranked[:_MOST_CLAIMS]),
        claims_in_all=len(numbered),
        mismatches=tuple(_mismatches(row.get("mismatches", ()))) if has_texts else (),
        facts=tuple(_facts(row["facts"], ranked, has_texts=has_texts)),
        facts_in_all=len(row["facts"]),
    )


def _text_of(claim: ShownClaim, pieces: Sequence[Passage]) -> str | None:
    text = next((piece.text for piece in pieces if piece.shown == claim), None)
    return text and text[:_MOST_CLAIM_CHARACTERS]


def _claim(claim: Mapping[str, Any]) -> Claim:
    return Claim(
        # The text is the answer's from start to end, and is taken from there.
        text="",
        start=claim["start"],
        end=claim["end"],
        score=claim["score"],
        grounding_check_required=claim["grounding_check_required"],
        citations=tuple(claim["citations"]),
        citation_starts=tuple(claim.get("citation_starts", ())),
    )


def _mismatches(mismatches: Sequence[Mapping[str, Any]]) -> Iterator[ShownMismatch]:
    for mismatch in mismatches[:_MOST_MISMATCHES]:
        fact = mismatch["fact"]
        yield ShownMismatch(
            claim=mismatch["claim"] + 1,
            claim_value=mismatch["claim_value"][:_MOST_VALUE_CHARACTERS],
            fact_value=(mismatch["fact_value"] or "")[:_MOST_VALUE_CHARACTERS] or None,
            fact=None if fact is None else fact + 1,
        )


def _least_supported(shown: ShownClaim) -> tuple[bool, float, int]:
    score = shown.claim.required_score
    return score is None, score or 0.0, shown.number


def _text_mode(answer_text: str) -> TextMode:
    """Tell from a checked answer's text what was kept of it; one that was checked has some."""
    if not answer_text:
        return TextMode.NONE
    return TextMode.HASH if is_hashed(answer_text) else TextMode.FULL


def _facts(
    facts: Sequence[Mapping[str, Any]], ranked: Sequence[ShownClaim], *, has_texts: bool
) -> Iterator[ShownFact]:
    """Put the facts in the order of the claims they support, the worst claim's first."""
    cited = [fact for shown in ranked for fact in shown.claim.citations if fact < len(facts)]
    order = dict.fromkeys([*cited, *range(len(facts))])
    for index in list(order)[:_MOST_FACTS]:
        fact = facts[index]
        starts = _citation_starts(ranked, index)
        cited_byte = next(iter(starts.values()), 0)
        yield ShownFact(
            number=index + 1,
            text=fact_excerpt(fact["text"], cited_byte) if has_texts else None,
            source=cut_name(fact["uri"] or fact["document"]),
            title=cut_name(kept_title(fact["title"])),
            cited_by=tuple(sorted(starts)),
        )


def _citation_starts(ranked: Sequence[ShownClaim], fact: int) -> dict[int, int]:
    """For each claim that cites a fact, the byte of the fact at which the cited part begins."""
    return {
        shown.number: dict(
            zip(shown.claim.citations, shown.claim.citation_starts, strict=False)
        ).get(fact, 0)
        for shown in ranked
        if fact in shown.claim.citations
    }
