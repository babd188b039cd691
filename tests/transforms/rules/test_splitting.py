"""Long texts cut at the best places, without losing a character."""

from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.support.texts import any_text
from transforms.rules.limits import Measure, count_tokens, split_text
from transforms.rules.sentences import split_sentences

CUTS = {
    "fits": ("One. Two.", 4, ["One. Two."]),
    "empty": ("", 1, [""]),
    "at sentence ends": ("One two. Three. Four.", 4, ["One two. ", "Three. Four."]),
    "at words within a sentence": ("one two three", 2, ["one two ", "three"]),
    "a sentence among others": ("A b c d. E.", 3, ["A b c ", "d. ", "E."]),
    "anywhere within a word": ("日本語", 2, ["日本", "語"]),
    "before a list's marks": ("- One.\n- Two.", 3, ["- One.\n", "- Two."]),
    "before a table's bar": ("| A. B |\n| C. D |", 5, ["| A. B |\n", "| C. D |"]),
    "behind what ends a line": ("**One.**\n\n## Two.", 3, ["**One.**\n\n", "## Two."]),
}


@pytest.mark.parametrize(("text", "limit", "pieces"), CUTS.values(), ids=CUTS)
def test_a_text_is_cut_at_the_best_place_that_helps(
    text: str, limit: int, pieces: list[str]
) -> None:
    assert split_text(text, limit, count_tokens) == pieces


@given(any_text, st.integers(1, 30), st.sampled_from([len, count_tokens]))
@example("a." * 50, 1, count_tokens)
def test_pieces_join_to_the_text_each_within_its_limit(
    text: str, limit: int, measure: Measure
) -> None:
    pieces = split_text(text, limit, measure)
    assert "".join(pieces) == text
    assert all(measure(piece) <= limit for piece in pieces)
    assert all(pieces) or pieces == [""]


@given(any_text, st.integers(1, 30))
def test_no_two_neighbours_would_have_fitted_together_at_sentence_ends(
    text: str, limit: int
) -> None:
    lines = "\n".join(f"- Item {word}." for word in text.split())
    assume(all(count_tokens(line) <= limit for line in lines.splitlines()))
    pieces = split_text(lines, limit, count_tokens)
    sizes = [count_tokens(piece) for piece in pieces]
    assert all(left + right > limit for left, right in pairwise(sizes))


_SENTENCES = st.sampled_from(
    [
        "Lamps glow red. ",
        "Prices rose by 3.14 percent. ",
        "日本語です。",
        "\n- A list's item. With two sentences. ",
        "\n1. Numbered. ",
        "\n| Plan. A | Price. B |\n",
        "\n## A heading\n",
        "\n> Quoted words. ",
        "**Bold.** ",
        "It holds.[1] ",
    ]
)


@given(st.lists(_SENTENCES, min_size=1, max_size=20).map("".join), st.integers(8, 30))
def test_the_pieces_sentences_are_the_texts_sentences(text: str, limit: int) -> None:
    spans = []
    start = 0
    for piece in split_text(text, limit, count_tokens):
        spans += [(start + s.start_byte, start + s.end_byte) for s in split_sentences(piece)]
        start += len(piece.encode())
    assert spans == [(s.start_byte, s.end_byte) for s in split_sentences(text)]
