"""The answers with the lowest scores, cut to a size that a page can hold."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from msgspec.structs import replace

from launch.report.output_records import cut_name, kept_title
from schemas import Record
from schemas.answer import Fact
from schemas.checked_answer import Claim, Contradiction
from schemas.enriched_answer import LOWEST_SHOWN, AnswerRow
from schemas.verdict import Verdict
from transforms.rules.redaction import TextMode, is_hashed

_MAX_FACTS = 8
_MAX_MISMATCHES = 12
_MAX_ANSWER_BYTES = 6_000
_MAX_FACT_BYTES = 1_600
_MAX_QUERY_BYTES = 600
_LEAD_BYTES = 600
_MAX_CLAIM_CHARACTERS = 600
_MAX_VALUE_CHARACTERS = 120
_MAX_RESOURCE_NAME = 1_000
_CONTINUATION = 0b10  # the two highest bits of each byte but the first of a character in UTF-8


class Excerpt(Record, frozen=True, kw_only=True):
    """A span of a text from one UTF-8 byte to another, and the length of the whole in bytes."""

    start: int
    end: int
    text: str
    bytes: int


class NumberedClaim(NamedTuple):
    """A claim and its number in the answer, from 1."""

    number: int
    claim: Claim


Passage = tuple[str, NumberedClaim | None]  # a part of an answer, and the claim that it belongs to


class FactExcerpt(Record, frozen=True, kw_only=True):
    """A fact of an answer, and the numbers of the claims that it supports; numbers are from 1."""

    number: int
    text: Excerpt | None
    source: str | None
    title: str | None
    cited_by: tuple[int, ...]


class LowAnswer(Record, frozen=True, kw_only=True):
    """A low-grounded answer, its claims by score, and texts if the run kept them."""

    answer: AnswerRow
    text_mode: TextMode
    query: Excerpt | None
    text: Excerpt | None
    claims: tuple[NumberedClaim, ...]
    mismatches: tuple[Contradiction, ...]
    facts: tuple[FactExcerpt, ...]
    fact_count: int

    def passages(self) -> list[Passage]:
        """Divide the excerpt of the answer by its claims."""
        return list(divide(self.text, self.claims)) if self.text else []

    @property
    def lowest_text(self) -> str | None:
        """The text of the claim with the lowest score."""
        texts = (text for text, claim in self.passages() if claim == self.claims[0])
        return cut_name(next(texts, None), _MAX_CLAIM_CHARACTERS)


class LowestScores:
    """Keep the low-grounded answers with the lowest scores."""

    def __init__(self, limit: int = LOWEST_SHOWN) -> None:
        self._limit = limit
        self._heap: list[tuple[float, float, int, LowAnswer]] = []
        self._order = 0

    def add(self, row: AnswerRow) -> None:
        """Keep an answer if its scores are among the lowest so far."""
        if row.verdict != Verdict.LOW_GROUNDED or row.min_claim_score is None:
            return  # reported by the generator, which gives no claims
        self._order += 1
        # The first of a heap is its least: ranks are negative so that the highest score is first.
        rank = -row.min_claim_score, -(row.support_score or 0.0), -self._order
        if len(self._heap) == self._limit and rank < self._heap[0][:3]:
            return
        if any(kept.answer.record_id == row.record_id for *_, kept in self._heap):
            return
        add = heapq.heappush if len(self._heap) < self._limit else heapq.heappushpop
        add(self._heap, (*rank, cut_answer(row)))

    def answers(self) -> list[LowAnswer]:
        """Return the answers, the lowest scores first."""
        return [answer for *_, answer in sorted(self._heap, reverse=True)]


def cut_answer(row: AnswerRow) -> LowAnswer:
    """Cut an answer that has at least one scored claim to the size of a page."""
    # The text of a claim is a span of the answer.
    claims = [NumberedClaim(n, replace(claim, text="")) for n, claim in enumerate(row.claims, 1)]
    scores = [inf if each.required_score is None else each.required_score for each in row.claims]
    ranked = sorted(claims, key=lambda each: scores[each.number - 1])
    # The text of a checked answer is never empty.
    kept = TextMode.HASH if is_hashed(row.answer_text) else TextMode.FULL
    text_mode = kept if row.answer_text else TextMode.NONE
    has_text = text_mode is TextMode.FULL
    text = cut_text(row.answer_text, ranked[0].claim.start, _MAX_ANSWER_BYTES) if has_text else None
    return LowAnswer(
        answer=replace(
            row,
            answer_name=cut_name(row.answer_name, _MAX_RESOURCE_NAME),
            engine=cut_name(row.engine),
            session=cut_name(row.session),
            verdict_reason=cut_name(row.verdict_reason) or "",
            tags=tuple(cut_name(tag) or "" for tag in row.tags),
            **dict.fromkeys(("skip_reasons", "claims", "facts", "mismatches"), ()),
            query=None,
            answer_text="",
        ),
        text_mode=text_mode,
        query=cut_text(row.query, 0, _MAX_QUERY_BYTES) if has_text and row.query else None,
        text=text,
        claims=tuple(ranked),
        mismatches=tuple(
            replace(
                each,
                claim_value=cut_name(each.claim_value, _MAX_VALUE_CHARACTERS),
                fact_value=cut_name(each.fact_value, _MAX_VALUE_CHARACTERS),
            )
            for each in row.mismatches[: _MAX_MISMATCHES if has_text else 0]
        ),
        facts=tuple(_facts(row.facts, ranked, has_text=has_text)),
        fact_count=len(row.facts),
    )


def _facts(
    facts: Sequence[Fact], ranked: Sequence[NumberedClaim], *, has_text: bool
) -> Iterator[FactExcerpt]:
    """Order the facts by the claims that cite them, those of the lowest claim first."""
    cited = [fact for each in ranked for fact in each.claim.citations if fact < len(facts)]
    for index in list(dict.fromkeys([*cited, *range(len(facts))]))[:_MAX_FACTS]:
        # By the number of a claim that cites the fact: where in the fact the cited part begins.
        starts = {
            number: dict(zip(claim.citations, claim.citation_starts, strict=False)).get(index, 0)
            for number, claim in ranked
            if index in claim.citations
        }
        fact, cited_byte = facts[index], next(iter(starts.values()), 0)
        yield FactExcerpt(
            number=index + 1,
            text=cut_text(fact.text, cited_byte, _MAX_FACT_BYTES) if has_text else None,
            source=cut_name(fact.uri or fact.document),
            title=kept_title(fact.title),
            cited_by=tuple(sorted(starts)),
        )


def cut_text(text: str, around: int, max_bytes: int) -> Excerpt:
    """Cut a text to a length, keeping the UTF-8 byte `around` and a little before it."""
    whole = text.encode(errors="replace")
    latest_start = max(len(whole) - max_bytes, 0)
    start = _border(whole, min(max(around - _LEAD_BYTES, 0), latest_start))
    end = _border(whole, min(start + max_bytes, len(whole)))
    span = whole[start:end].decode(errors="replace")
    return Excerpt(start=start, end=end, text=span, bytes=len(whole))


def _border(whole: bytes, position: int) -> int:
    """Return the border of a character at or before a byte."""
    while 0 < position < len(whole) and whole[position] >> 6 == _CONTINUATION:
        position -= 1
    return position


def divide(excerpt: Excerpt, claims: Iterable[NumberedClaim]) -> Iterator[Passage]:
    """Divide an excerpt of an answer into passages; of claims that overlap the second is cut."""
    whole = excerpt.text.encode()
    position = 0
    for numbered in sorted(claims, key=lambda each: (each.claim.start, each.claim.end)):
        start = max(numbered.claim.start - excerpt.start, position)
        end = min(numbered.claim.end - excerpt.start, len(whole))
        if start < end:
            if position < start:
                yield whole[position:start].decode(errors="replace"), None
            yield whole[start:end].decode(errors="replace"), numbered
            position = end
    if position < len(whole):
        yield whole[position:].decode(errors="replace"), None
