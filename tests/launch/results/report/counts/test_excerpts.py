"""Answers cut to a size that a page can hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.report.counts.excerpts import (
    AnswerExcerpt,
    Excerpt,
    NumberedClaim,
    cut_answer,
    cut_text,
    divide,
)
from groundwatch.schemas.checked_answer import Claim
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms.rules.redaction import TextMode, redact
from tests.support.builders import a_claim, a_fact
from tests.support.reports import a_low, row_of


def cut(enriched: EnrichedAnswer) -> AnswerExcerpt:
    return cut_answer(row_of(enriched))


def test_an_answer_without_claims_shows_its_text() -> None:
    answer = cut(a_low("No reply.", claims=(), facts=(), check=None))
    assert (answer.lowest_text, answer.passages()) == ("No reply.", [("No reply.", None)])


def test_an_answer_without_text_keeps_its_query() -> None:
    answer = cut(a_low("", query="Why?", claims=(), facts=()))
    assert (answer.text_mode, answer.query and answer.query.text) == (TextMode.FULL, "Why?")


def test_facts_that_the_lowest_claim_cites_come_first_then_those_that_others_cite() -> None:
    claims = (
        a_claim("Lamps", score=0.9, citations=(1,), citation_starts=(0,)),
        a_claim("glow.", 6, score=0.1, citations=(3,), citation_starts=(0,)),
    )
    facts = tuple(a_fact(f"Fact {number}.") for number in range(1, 5))
    answer = cut(a_low("Lamps glow.", claims=claims, facts=facts))
    assert [(fact.number, fact.cited_by) for fact in answer.facts] == [
        (4, (2,)),
        (2, (1,)),
        (1, ()),
        (3, ()),
    ]


def test_a_long_fact_is_cut_around_what_is_cited() -> None:
    fact = a_fact("Kettles boil. " * 1_000 + "Lamps glow. " + "Kettles boil. " * 1_000)
    claim = a_claim("Lamps glow.", score=0.1, citations=(0,), citation_starts=(14_000,))
    answer = cut(a_low("Lamps glow.", claims=(claim,), facts=(fact,)))
    [fact_excerpt] = answer.facts
    assert fact_excerpt.text is not None
    assert "Lamps glow." in fact_excerpt.text.text
    assert len(fact_excerpt.text.text) < 2_000


def test_a_citation_of_a_missing_fact_is_ignored() -> None:
    claim = a_claim("Lamps glow.", score=0.1, citations=(7,), citation_starts=(0,))
    assert len(cut(a_low("Lamps glow.", claims=(claim,))).facts) == 1


def test_a_long_answer_is_cut() -> None:
    answer = cut(
        a_low(
            "Lamps glow. " * 5_000,
            query="why " * 10_000,
            facts=tuple(a_fact("Kettles boil. " * 1_000) for _ in range(50)),
        )
    )
    assert len(repr(answer)) < 100_000
    assert (answer.fact_count, len(answer.facts)) == (50, 8)


@pytest.mark.parametrize("mode", [TextMode.NONE, TextMode.HASH])
def test_without_its_text_an_answer_keeps_scores_and_offsets(mode: TextMode) -> None:
    facts = (a_fact("Lamps glow.", title="Lamps"),)
    answer = cut(redact(a_low("Lamps glow.", query="Why?", facts=facts), mode))
    assert answer.text_mode is mode
    assert (answer.query, answer.text, answer.passages(), answer.lowest_text) == (
        None,
        None,
        [],
        None,
    )
    assert [(each.claim.start, each.claim.end) for each in answer.claims] == [(6, 11), (0, 5)]
    assert (answer.facts[0].text, answer.facts[0].title) == (None, None)


def test_claims_that_need_no_check_come_last() -> None:
    claims = (
        a_claim("Hello.", grounding_check_required=False),
        a_claim("Lamps", 7, score=0.3),
        a_claim("glow.", 13, score=0.1),
    )
    answer = cut(a_low("Hello. Lamps glow.", claims=claims))
    assert [each.number for each in answer.claims] == [3, 2, 1]
    assert answer.lowest_text == "glow."


texts = st.text()
ARABIC = "مرحبا. القطط تصوت."


def whole(text: str) -> Excerpt:
    return cut_text(text, 0, 1_000_000)


def numbered(*claims: Claim) -> list[NumberedClaim]:
    return [NumberedClaim(number, claim) for number, claim in enumerate(claims, 1)]


def divided(text: str, *claims: Claim) -> list[tuple[str, int | None]]:
    parts = divide(whole(text), numbered(*claims))
    return [(text, claim and claim.number) for text, claim in parts]


def test_offsets_are_bytes_and_not_characters() -> None:
    first, second = a_claim("مرحبا."), a_claim("القطط تصوت.", len("مرحبا. ".encode()))
    assert divided(ARABIC, first, second) == [("مرحبا.", 1), (" ", None), ("القطط تصوت.", 2)]


def test_a_claim_behind_an_emoji_is_not_shifted() -> None:
    assert divided("🔥🔥 Hot.", a_claim("Hot.", 9)) == [("🔥🔥 ", None), ("Hot.", 1)]


def test_claims_keep_their_numbers_in_any_order() -> None:
    assert divided("a b", a_claim("b", 2), a_claim("a")) == [("a", 2), (" ", None), ("b", 1)]


def test_of_two_claims_that_overlap_the_second_is_cut() -> None:
    assert divided("abcdef", a_claim("abcd"), a_claim("cdef", 2)) == [("abcd", 1), ("ef", 2)]


@pytest.mark.parametrize(
    "claim", [a_claim("", 1), a_claim("x", 99), Claim(text="", start=2, end=1)]
)
def test_a_claim_outside_the_text_marks_nothing(claim: Claim) -> None:
    assert divided("abc", claim) == [("abc", None)]


def test_a_short_text_is_shown_whole() -> None:
    assert whole("Lamps glow.") == Excerpt(start=0, end=11, text="Lamps glow.", bytes=11)


def test_a_long_answer_is_cut_around_its_lowest_claim() -> None:
    text = "Lamps glow. " * 1_000
    lowest = a_claim("Lamps glow.", 12 * 500)
    span = cut_text(text, lowest.start, 6_000)
    assert span.start <= lowest.start < lowest.end <= span.end
    assert span.end - span.start <= 6_000
    assert span.bytes == 12_000
    [marked] = [text for text, claim in divide(span, numbered(lowest)) if claim]
    assert marked == "Lamps glow."


@given(texts, st.integers(0, 200), st.integers(4, 60))
def test_an_excerpt_is_a_span_of_the_bytes(text: str, around: int, most: int) -> None:
    span = cut_text(text, around, most)
    encoded = text.encode(errors="replace")
    assert span.text.encode() == encoded[span.start : span.end]
    assert len(span.text.encode()) <= most
    assert span.bytes == len(encoded)


@given(texts, st.data())
def test_passages_together_are_the_excerpt(text: str, data: st.DataObject) -> None:
    borders = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(borders, borders), max_size=6))
    claims = [
        Claim(text="", start=len(text[:a].encode()), end=len(text[:b].encode())) for a, b in pairs
    ]
    parts = divide(whole(text), numbered(*claims))
    assert "".join(part for part, _ in parts) == text
