"""Cut a fact to the size of a page, and mark what supports or contradicts a claim."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from launch.report.counts.excerpts import Excerpt, cut_text
from schemas.answer import Fact
from schemas.checked_answer import Claim, Contradiction
from transforms.rules.spans import character_start

_MAX_FACT_BYTES = 20_000
_MAX_FACTS = 40
_SENTENCE_END = re.compile(rb"[.!?]+(?=\s)|\n|\xe3\x80\x82")


class Part(NamedTuple):
    """A part of a fact: what it does to the claim is `supports`, `contradicts` or nothing."""

    text: str
    effect: str = ""


class ShownFact(NamedTuple):
    """A fact with its number, from 1, its excerpt in parts, and what it does to the claim."""

    number: int
    fact: Fact
    excerpt: Excerpt
    parts: list[Part]
    effect: str


def show_facts(
    facts: Sequence[Fact], claims: Sequence[Claim], mismatches: Sequence[Contradiction]
) -> list[ShownFact]:
    """Show the facts of an answer, those first that contradict or support the given claims.

    `mismatches` are the contradictions of these claims.
    """
    shown = []
    for index, fact in enumerate(facts):
        values = [each.fact_value for each in mismatches if each.fact == index and each.fact_value]
        starts = [
            start
            for claim in claims
            for cited, start in zip(claim.citations, claim.citation_starts, strict=False)
            if cited == index
        ]
        is_cited = any(index in claim.citations for claim in claims)
        effect = "contradicts" if values else "supports" if is_cited else ""
        excerpt = cut_text(fact.text, min(starts, default=0), _MAX_FACT_BYTES)
        spans = _spans(excerpt, starts, values)
        shown.append(ShownFact(index + 1, fact, excerpt, list(_parts(excerpt, spans)), effect))
    order = ("contradicts", "supports", "")
    return sorted(shown, key=lambda each: order.index(each.effect))[:_MAX_FACTS]


def _spans(
    excerpt: Excerpt, starts: Sequence[int], values: Sequence[str]
) -> list[tuple[int, int, str]]:
    """Return where the excerpt has a value, or a sentence that begins at a byte of the fact."""
    text = excerpt.text.encode()
    found = []
    for value in values:
        place = text.find(value.encode(errors="replace"))
        if place >= 0:
            found.append((place, place + len(value.encode(errors="replace")), "contradicts"))
    for start in starts:
        begin = character_start(text, min(max(start - excerpt.start, 0), len(text)))
        end = _SENTENCE_END.search(text, begin)
        found.append((begin, end.end() if end else len(text), "supports"))
    return sorted(found)


def _parts(excerpt: Excerpt, spans: Sequence[tuple[int, int, str]]) -> Iterator[Part]:
    text, position = excerpt.text.encode(), 0
    for start, end, effect in spans:
        start = max(start, position)  # noqa: PLW2901 - of two spans that overlap the second is cut
        if start >= end:
            continue
        if position < start:
            yield Part(text[position:start].decode(errors="replace"))
        yield Part(text[start:end].decode(errors="replace"), effect)
        position = end
    if position < len(text):
        yield Part(text[position:].decode(errors="replace"))
