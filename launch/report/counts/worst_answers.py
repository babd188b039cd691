"""The worst answers, cut to a size that a page can hold."""

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from math import inf
from operator import itemgetter
from typing import NamedTuple

from msgspec.structs import replace

from launch.report.counts.untrusted_names import (
    Combination,
    combination_of,
    cut_name,
    kept_title,
)
from pipeline.sinks.ranking import SHOWN_ANSWERS, Badness, badness
from schemas import Record
from schemas.checked_answer import Claim, Contradiction
from schemas.enriched_answer import AnswerRow
from schemas.verdict import Verdict
from transforms.rules.redaction import TextMode, is_hashed
from transforms.rules.spans import character_start

_MAX_FACTS = 8
_MAX_MISMATCHES = 12
_MAX_ANSWER_BYTES = 6_000
_MAX_FACT_BYTES = 1_600
_MAX_QUERY_BYTES = 600
_LEAD_BYTES = 600
_MAX_CLAIM_CHARACTERS = 600
_MAX_VALUE_CHARACTERS = 120
_MAX_RESOURCE_NAME = 1_000
_MAX_URI_CHARACTERS = 2_000
_MAX_FILTERS = 64
_MAX_GROUPS = 50_000

ANSWERS_OF_A_FILTER = 3
"""Of each verdict and tag, so many answers are kept."""

_Group = int | str
_Rank = tuple[Badness, int]


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
    """A fact of an answer, and the numbers of the claims that it supports; numbers are from 1.

    It has other values than the claims that it contradicts.
    """

    number: int
    text: Excerpt | None
    source: str | None
    uri: str | None
    title: str | None
    cited_by: tuple[int, ...]
    contradicted: tuple[int, ...] = ()
    values: tuple[str, ...] = ()

    def passages(self) -> list[tuple[str, bool]]:
        """Divide the text, and say of each part whether it is a value that contradicts a claim."""
        text = self.text.text if self.text else ""
        parts = re.split(f"({'|'.join(map(re.escape, self.values))})", text, len(self.values))
        return [(part, bool(place % 2)) for place, part in enumerate(parts) if part]


class AnswerExcerpt(Record, frozen=True, kw_only=True):
    """An answer, its claims by score, and texts if the run kept them.

    It stands for so many records with the same least supported claim.
    """

    answer: AnswerRow
    text_mode: TextMode
    query: Excerpt | None
    text: Excerpt | None
    claims: tuple[NumberedClaim, ...]
    mismatches: tuple[Contradiction, ...]
    facts: tuple[FactExcerpt, ...]
    fact_count: int
    records: int = 1

    def passages(self) -> list[Passage]:
        """Divide the excerpt of the answer by its claims."""
        return list(divide(self.text, self.claims)) if self.text else []

    @property
    def combination(self) -> Combination:
        """The engine, the verdict and the tags."""
        return combination_of(self.answer)

    @property
    def is_low_scored(self) -> bool:
        """Whether the answer is low-grounded by the scores of its claims."""
        answer = self.answer
        return answer.verdict == Verdict.LOW_GROUNDED and answer.min_claim_score is not None

    @property
    def lowest_text(self) -> str | None:
        """The text of the claim with the lowest score; of an answer without claims, its text."""
        lowest = self.claims[0] if self.claims else None
        texts = (text for text, claim in self.passages() if claim == lowest)
        return cut_name(next(texts, None), _MAX_CLAIM_CHARACTERS)


class _Kept(NamedTuple):
    """The worst answer of a group."""

    rank: _Rank
    excerpt: AnswerExcerpt


class _Worst:
    """Keep the worst answers of so many groups."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.groups: dict[_Group, _Kept] = {}
        # The first of a heap is its least: the best of the answers kept, or one that is replaced.
        self._heap: list[tuple[_Rank, _Group]] = []

    def add(self, group: _Group, rank: _Rank, cut: Callable[[], AnswerExcerpt]) -> None:
        """Keep an answer if it is the worst of its group, and among the worst so far."""
        kept = self.groups.get(group)
        if kept is not None and rank < kept.rank:
            return
        if kept is None and len(self.groups) == self._limit:
            while not self._is_kept(*self._heap[0]):
                heapq.heappop(self._heap)
            if rank < self._heap[0][0]:
                return
            del self.groups[heapq.heappop(self._heap)[1]]
        self.groups[group] = _Kept(rank, cut())
        heapq.heappush(self._heap, (rank, group))

    def _is_kept(self, rank: _Rank, group: _Group) -> bool:
        return group in self.groups and self.groups[group].rank == rank


class WorstAnswers:
    """Keep the worst answers of a folder, and the worst few of each verdict and tag.

    Answers with the same engine, verdict, tags and least supported claim are kept as one.
    """

    def __init__(self, limit: int = SHOWN_ANSWERS) -> None:
        self._all = _Worst(limit)
        self._by_filter: dict[str, _Worst] = {}
        self._records: Counter[_Group] = Counter()
        self._order = 0

    def add(self, row: AnswerRow) -> None:
        """Keep an answer if it is among the worst so far; of equal ones the earlier is kept."""
        self._order -= 1
        group, rank = _group_of(row), (badness(row), self._order)
        if isinstance(group, int) and (group in self._records or len(self._records) < _MAX_GROUPS):
            self._records[group] += 1
        cut = cache(partial(cut_answer, row))
        self._all.add(group, rank, cut)
        for name in filter(None, map(cut_name, (row.verdict, *row.tags))):
            if name not in self._by_filter and len(self._by_filter) < _MAX_FILTERS:
                self._by_filter[name] = _Worst(ANSWERS_OF_A_FILTER)
            if name in self._by_filter:
                self._by_filter[name].add(group, rank, cut)

    def answers(self) -> list[AnswerExcerpt]:
        """Return the answers, the worst first."""
        kept = (
            (each.rank, group, each.excerpt)
            for worst in (self._all, *self._by_filter.values())
            for group, each in worst.groups.items()
        )
        found: dict[str, AnswerExcerpt] = {}
        groups: set[_Group] = set()
        for _, group, excerpt in sorted(kept, key=itemgetter(0), reverse=True):
            if group not in groups and excerpt.answer.record_id not in found:
                records = self._records.get(group, 1)
                found[excerpt.answer.record_id] = replace(excerpt, records=records)
                groups.add(group)
        return list(found.values())


def _group_of(row: AnswerRow) -> _Group:
    """Return what answers with an equal claim have in common, or else the record's id."""
    lowest = min(row.claims, key=_claim_rank, default=None)
    if row.verdict != Verdict.LOW_GROUNDED or lowest is None or not lowest.text:
        return row.record_id
    return hash((row.engine, row.tags, lowest.text))


def _claim_rank(claim: Claim) -> float:
    return inf if claim.required_score is None else claim.required_score


def cut_answer(row: AnswerRow, max_bytes: int = _MAX_ANSWER_BYTES) -> AnswerExcerpt:
    """Cut an answer to the size of a page, which has so much of its text."""
    # The text of a claim is a span of the answer.
    claims = [NumberedClaim(n, replace(claim, text="")) for n, claim in enumerate(row.claims, 1)]
    ranked = sorted(claims, key=lambda each: _claim_rank(each.claim))
    text_mode = _text_mode(row)
    has_text = text_mode is TextMode.FULL
    lowest = ranked[0].claim.start if ranked else 0
    text = cut_text(row.answer_text, lowest, max_bytes) if has_text else None
    return AnswerExcerpt(
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
        facts=tuple(_facts(row, ranked, has_text=has_text)),
        fact_count=len(row.facts),
    )


def _text_mode(row: AnswerRow) -> TextMode:
    """Return what the run kept of the texts of a record."""
    texts = (row.answer_text, row.query, *(fact.text for fact in row.facts))
    text = next(filter(None, texts), None)
    if text is None:
        return TextMode.NONE
    return TextMode.HASH if is_hashed(text) else TextMode.FULL


def _facts(
    row: AnswerRow, ranked: Sequence[NumberedClaim], *, has_text: bool
) -> Iterator[FactExcerpt]:
    """Order the facts: those that contradict, then by the lowest claim that cites them."""
    facts = row.facts
    named = [
        *(each.fact for each in row.mismatches),
        *(f for c in ranked for f in c.claim.citations),
    ]
    first = [fact for fact in named if fact is not None and fact < len(facts)]
    for index in list(dict.fromkeys([*first, *range(len(facts))]))[:_MAX_FACTS]:
        contradicting = [each for each in row.mismatches if each.fact == index]
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
            # A link that is cut would lead elsewhere.
            uri=fact.uri if len(fact.uri or "") <= _MAX_URI_CHARACTERS else None,
            title=kept_title(fact.title),
            cited_by=tuple(sorted(starts)),
            contradicted=tuple(dict.fromkeys(each.claim + 1 for each in contradicting)),
            values=tuple(
                each.fact_value for each in contradicting[:_MAX_MISMATCHES] if each.fact_value
            ),
        )


def cut_text(text: str, around: int, max_bytes: int) -> Excerpt:
    """Cut a text to a length, keeping the UTF-8 byte `around` and a little before it."""
    whole = text.encode(errors="replace")
    latest_start = max(len(whole) - max_bytes, 0)
    start = character_start(whole, min(max(around - _LEAD_BYTES, 0), latest_start))
    end = character_start(whole, min(start + max_bytes, len(whole)))
    span = whole[start:end].decode(errors="replace")
    return Excerpt(start=start, end=end, text=span, bytes=len(whole))


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
