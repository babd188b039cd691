"""The limits of one check, the count of tokens, and texts split within a limit."""

from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from groundwatch.transforms.lexical.reading.answer_sentences import split_sentences
from groundwatch.transforms.rules.limits import CheckLimits
from groundwatch.transforms.rules.text_splitting import Measure, count_tokens, split_text
from tests.support.texts import any_text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("", 0, id="empty"),
        pytest.param(" \n ", 0, id="white space"),
        pytest.param("They wore off-the-rack clothes in 2024.", 7, id="the service's example"),
        pytest.param("3.14", 2, id="inner full stop"),
        pytest.param("www.example.com/a.b", 4, id="address"),
        pytest.param(".5 of 1.2.3", 6, id="leading and several"),
        pytest.param("e.g.", 3, id="abbreviation"),
        pytest.param("a . b", 3, id="full stop between spaces"),
        pytest.param("यह है। وہ ہے\u06d4", 6, id="full stops of other scripts"),
        pytest.param("東京。3.14", 5, id="inner full stop behind han"),
        pytest.param("in a BOX.", 4, id="full stop behind a capital"),
        pytest.param("wait...", 4, id="three full stops"),
        pytest.param("...", 3, id="full stops alone"),
        pytest.param(".", 1, id="one full stop alone"),
        pytest.param("日本語です。", 6, id="japanese"),
        pytest.param("한국어", 3, id="korean"),
        pytest.param("ภาษา", 4, id="thai"),
        pytest.param("Tokyo東京 is big.", 6, id="mixed"),
        pytest.param("Привет, мир.", 3, id="russian"),
    ],
)
def test_tokens_are_words_and_every_full_stop(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(st.text())
def test_no_token_is_shorter_than_a_character(text: str) -> None:
    assert count_tokens(text) <= len(text)


@given(st.text(), st.text())
def test_counting_in_parts_counts_no_less(left: str, right: str) -> None:
    assert count_tokens(left + right) <= count_tokens(left) + count_tokens(right)


def test_the_limits_are_those_the_service_documents() -> None:
    assert CheckLimits() == CheckLimits(
        max_facts=200, max_fact_chars=10_000, max_answer_tokens=4_096
    )


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
@example("0 0 0 0 0. 0က0.က。[0]0 0", 19)
def test_no_two_neighbours_would_have_fitted_together_at_sentence_ends(
    text: str, limit: int
) -> None:
    lines = "\n".join(f"- Item {word}." for word in text.split())
    assume(all(count_tokens(line) <= limit for line in lines.splitlines()))
    # A word that two sentences share counts once in the text, and twice in its sentences.
    assume(len(split_sentences(lines)) == len(text.split()))
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
