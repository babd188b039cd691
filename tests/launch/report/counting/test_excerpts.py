"""Cutting texts on the bytes that offsets mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.report.counting.excerpts import (
    Excerpt,
    Passage,
    ShownClaim,
    answer_excerpt,
    excerpt,
    passages,
)
from schemas.checked_answer import Claim
from tests.support.builders import a_claim

texts = st.text()
ARABIC = "مرحبا. القطط تصوت."


def whole(text: str) -> Excerpt:
    return excerpt(text, 0, 1_000_000)


def shown(*claims: Claim) -> list[ShownClaim]:
    return [ShownClaim(number=number, claim=claim) for number, claim in enumerate(claims, 1)]


def told(text: str, *claims: Claim) -> list[tuple[str, int | None]]:
    pieces = passages(whole(text), shown(*claims))
    return [(piece.text, piece.shown and piece.shown.number) for piece in pieces]


def test_offsets_are_bytes_and_not_characters() -> None:
    first, second = a_claim("مرحبا."), a_claim("القطط تصوت.", len("مرحبا. ".encode()))
    assert told(ARABIC, first, second) == [("مرحبا.", 1), (" ", None), ("القطط تصوت.", 2)]


def test_a_claim_behind_an_emoji_is_not_shifted() -> None:
    assert told("🔥🔥 Hot.", a_claim("Hot.", 9)) == [("🔥🔥 ", None), ("Hot.", 1)]


def test_claims_keep_their_numbers_in_any_order() -> None:
    assert told("a b", a_claim("b", 2), a_claim("a")) == [("a", 2), (" ", None), ("b", 1)]


def test_of_two_claims_that_overlap_the_second_is_cut() -> None:
    assert told("abcdef", a_claim("abcd"), a_claim("cdef", 2)) == [("abcd", 1), ("ef", 2)]


@pytest.mark.parametrize(
    "claim", [a_claim("", 1), a_claim("x", 99), Claim(text="", start=2, end=1)]
)
def test_a_claim_that_is_nowhere_marks_nothing(claim: Claim) -> None:
    assert told("abc", claim) == [("abc", None)]


def test_a_short_text_is_shown_whole() -> None:
    assert whole("Lamps glow.") == Excerpt(start=0, end=11, text="Lamps glow.", bytes=11)


def test_a_long_answer_is_cut_around_its_worst_claim() -> None:
    text = "Lamps glow. " * 100_000
    worst = a_claim("Lamps glow.", 12 * 50_000)
    stretch = answer_excerpt(text, worst)
    assert stretch.start <= worst.start < worst.end <= stretch.end
    assert stretch.end - stretch.start <= 6_000
    assert stretch.start + 6_000 + stretch.bytes_after == 1_200_000
    [marked] = [piece for piece in passages(stretch, shown(worst)) if piece.shown]
    assert marked.text == "Lamps glow."


@given(texts, st.integers(0, 200), st.integers(4, 60))
def test_an_excerpt_is_a_stretch_of_the_bytes(text: str, around: int, most: int) -> None:
    stretch = excerpt(text, around, most)
    encoded = text.encode(errors="replace")
    assert stretch.text.encode() == encoded[stretch.start : stretch.end]
    assert len(stretch.text.encode()) <= most
    assert stretch.bytes == len(encoded)


@given(texts, st.data())
def test_passages_together_are_the_excerpt(text: str, data: st.DataObject) -> None:
    borders = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(borders, borders), max_size=6))
    claims = [
        Claim(text="", start=len(text[:a].encode()), end=len(text[:b].encode())) for a, b in pairs
    ]
    pieces: list[Passage] = list(passages(whole(text), shown(*claims)))
    assert "".join(piece.text for piece in pieces) == text
