"""Cut answers to a size that a page can hold."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from math import inf
from typing import NamedTuple

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.checked_answer import Claim, Contradiction
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.quoting import Quote, nearest_quote, quote_facts
from groundwatch.transforms.rules.redaction import TextMode, is_hashed
from groundwatch.transforms.rules.spans import character_start
from .untrusted_names import Combination, combination_of, cut_name, kept_title

_MAX_MISMATCHES = 12
_MAX_QUERY_BYTES = 600
_LEAD_BYTES = 600
_MAX_CLAIM_CHARACTERS = 600
_MAX_VALUE_CHARACTERS = 120
_MAX_RESOURCE_NAME = 1_000
_MAX_URI_CHARACTERS = 2_000
_UNIT = re.compile(r"(?:\s[^\W\d_]{4,}){1,2}")


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

    `quoted` are its sentences that the page quotes as supporting one, as they stand in it.
    """

    number: int
    text: Excerpt | None
    source: str | None
    uri: str | None
    title: str | None
    cited_by: tuple[int, ...]
    quoted: tuple[str, ...]


class AnswerExcerpt(Record, frozen=True, kw_only=True):
    """An answer, its claims with the worst first, and texts if the run kept them.

    `quotes` are what the facts say about the lowest claims, behind the number of the claim, from 1;
    `nearest` is near to the lowest one, where nothing is quoted for it.
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
    quotes: tuple[tuple[int, Quote], ...] = ()
    nearest: Quote | None = None
    records: int = 1

    def passages(self) -> list[Passage]:
        """Divide the excerpt of the answer by its claims."""
        return list(divide(self.text, self.claims)) if self.text else []

    @property
    def combination(self) -> Combination:
        return combination_of(self.answer)

    @property
    def is_low_scored(self) -> bool:
        """Whether the answer is low-grounded by the scores of its claims."""
        answer = self.answer
        return answer.verdict == Verdict.LOW_GROUNDED and answer.min_claim_score is not None

    @property
    def lowest_text(self) -> str | None:
        """The text of the worst claim; of an answer without claims, its text."""
        lowest = self.claims[0] if self.claims else None
        texts = (text for text, claim in self.passages() if claim == lowest)
        return cut_name(next(texts, None), _MAX_CLAIM_CHARACTERS)

    @property
    def difference(self) -> Contradiction | None:
        """The first value of the worst claim that a fact contradicts, or that no fact has."""
        lowest = self.claims[0].number if self.claims else 0
        values = [each for each in self.mismatches if each.claim + 1 == lowest]
        found = min(values, key=lambda each: each.fact is None, default=None)
        quotes = [each.text for number, each in self.quotes if number == lowest]
        if not found or not found.fact_value or not quotes:
            return found
        unit = _unit(self.lowest_text or "", found.claim_value, quotes[0], found.fact_value)
        return replace(found, claim_value=found.claim_value + unit)


def _unit(said: str, value: str, quote: str, fact_value: str) -> str:
    """Return the words behind a number, at most two, that stand behind that of the fact, too."""
    behind = [
        _UNIT.match(text, text.find(each) + len(each))
        for text, each in ((said, value), (quote, fact_value))
        if each in text and each[-1:].isdigit()
    ]
    pairs = zip(*(each[0].split() if each else () for each in behind), strict=False)
    same = takewhile(lambda words: len(words) > 1 and len({*words}) == 1, pairs)
    return "".join(f" {words[0]}" for words in same)


def rank_claims(row: AnswerRow) -> list[NumberedClaim]:
    """Number the claims, the worst first: what contradicts a fact, then by score."""
    contradicting = {each.claim for each in row.mismatches if each.fact is not None}

    def rank(numbered: NumberedClaim) -> tuple[bool, float]:
        score = numbered.claim.required_score
        return numbered.number - 1 not in contradicting, inf if score is None else score

    return sorted((NumberedClaim(*each) for each in enumerate(row.claims, 1)), key=rank)


class Limits(NamedTuple):
    """How much of an answer a page has room for."""

    answer_bytes: int = 6_000
    facts: int = 8
    fact_bytes: int = 1_600
    quotes: int = 40
    claims: int | None = None


def cut_answer(row: AnswerRow, limits: Limits = Limits()) -> AnswerExcerpt:  # noqa: B008 - frozen
    """Cut an answer to the size of a page."""
    # The text of a claim is a span of the answer.
    ranked = [each._replace(claim=replace(each.claim, text="")) for each in rank_claims(row)]
    text_mode = _text_mode(row)
    has_text = text_mode is TextMode.FULL
    lowest = ranked[0].claim.start if ranked else 0
    text = cut_text(row.answer_text, lowest, limits.answer_bytes) if has_text else None
    quotes = [
        (each.number, quote)
        for each in ranked[: limits.quotes if has_text else 0]
        for quote in quote_facts(each.number - 1, row.claims, row.mismatches, row.facts)
    ]
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
        claims=tuple(ranked[: limits.claims]),
        mismatches=tuple(
            replace(
                each,
                claim_value=cut_name(each.claim_value, _MAX_VALUE_CHARACTERS),
                fact_value=cut_name(each.fact_value, _MAX_VALUE_CHARACTERS),
            )
            for each in row.mismatches[: _MAX_MISMATCHES if has_text else 0]
        ),
        facts=tuple(_facts(row, ranked, quotes, limits, has_text=has_text)),
        fact_count=len(row.facts),
        quotes=tuple(quotes),
        nearest=_nearest_to_lowest(row, ranked, quotes) if has_text else None,
    )


def _nearest_to_lowest(
    row: AnswerRow, ranked: Sequence[NumberedClaim], quotes: Sequence[tuple[int, Quote]]
) -> Quote | None:
    if not ranked or any(number == ranked[0].number for number, _ in quotes):
        return None
    return nearest_quote(row.claims[ranked[0].number - 1], row.facts)


def _text_mode(row: AnswerRow) -> TextMode:
    texts = (row.answer_text, row.query, *(fact.text for fact in row.facts))
    text = next(filter(None, texts), None)
    if text is None:
        return TextMode.NONE
    return TextMode.HASH if is_hashed(text) else TextMode.FULL


def _facts(
    row: AnswerRow,
    ranked: Sequence[NumberedClaim],
    quotes: Sequence[tuple[int, Quote]],
    limits: Limits,
    *,
    has_text: bool,
) -> Iterator[FactExcerpt]:
    """Order the facts: those that contradict, then by the lowest claim that cites them."""
    facts = row.facts
    cited = (fact for each in ranked for fact in each.claim.citations)
    named = (*(each.fact for each in row.mismatches), *cited)
    first = [fact for fact in named if fact is not None and fact < len(facts)]
    for index in list(dict.fromkeys([*first, *range(len(facts))]))[: limits.facts]:
        # By the number of a claim that cites the fact: where in the fact the cited part begins.
        starts = {
            number: dict(zip(claim.citations, claim.citation_starts, strict=False)).get(index, 0)
            for number, claim in ranked
            if index in claim.citations
        }
        fact, cited_byte = facts[index], next(iter(starts.values()), 0)
        of_fact = (each for _, each in quotes if each.fact == index and not each.contradicts)
        quoted = [found for each in of_fact if (found := _as_it_stands(each, fact.text))]
        if quoted:
            cited_byte = len(fact.text.partition(quoted[0])[0].encode(errors="replace"))
        yield FactExcerpt(
            number=index + 1,
            text=cut_text(fact.text, cited_byte, limits.fact_bytes) if has_text else None,
            source=cut_name(fact.uri or fact.document),
            # A link that is cut would lead elsewhere.
            uri=fact.uri if len(fact.uri or "") <= _MAX_URI_CHARACTERS else None,
            title=kept_title(fact.title),
            cited_by=tuple(sorted(starts)),
            quoted=tuple(quoted),
        )


def _as_it_stands(quote: Quote, text: str) -> str | None:
    """Find a quoted sentence in its fact, where it may stand on several lines."""
    sentence = quote.text.strip("\u2026 ")
    if sentence in text:
        return sentence
    # Compiling an expression for each quote takes a hundred times as long as finding it.
    found = re.search(r"\s+".join(map(re.escape, sentence.split())), text)
    return found and found[0]


def cut_text(text: str, around: int, max_bytes: int) -> Excerpt:
    """Cut a text to a length, keeping the UTF-8 byte `around` and a little before it."""
    whole = text.encode(errors="replace")
    latest_start = max(len(whole) - max_bytes, 0)
    lead = min(_LEAD_BYTES, max_bytes // 2)
    start = character_start(whole, min(max(around - lead, 0), latest_start))
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
