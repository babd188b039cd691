"""Facts as the texts that a check reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.transforms.lexical.facts.fact_text import (
    fact_attributes,
    max_sentences,
    needs_index,
    render_facts,
    render_without_uris,
    repeat_headers,
)
from tests.support.builders import a_fact


def test_titles_uris_and_attributes_are_rendered_and_a_uri_states_nothing() -> None:
    address = "https://example.com/7"
    fact = a_fact("Lamps glow.", title="Catalogue 2019", uri=address, attributes={"page": "17"})
    attributes = fact_attributes(fact)
    assert attributes == {"title": "Catalogue 2019", "uri": address, "page": "17"}
    texts = render_facts([(fact.text, attributes)])
    assert texts == (f"Lamps glow.\nCatalogue 2019\n{address}\n17",)
    assert render_without_uris([(fact.text, attributes)], texts) == (
        "Lamps glow.\nCatalogue 2019\n17",
    )


def test_a_producer_s_own_title_stands_for_the_fact_s() -> None:
    fact = a_fact("Lamps glow.", title="A", attributes={"title": "B"})
    assert fact_attributes(fact) == {"title": "B"}


def test_the_tables_of_long_facts_stay_unchanged() -> None:
    table = "| Model | Power |\n|---|---|\n| Plug | 5 W |"
    (short,) = render_facts([(table, {})])
    (long, _) = render_facts([(table, {}), ("x" * 150_000, {})])
    assert short.endswith("Model: Plug; Power: 5 W")
    assert long == table


RENDERED = {
    "a table": (
        "Models:\n| Model | Power in W |\n|---|:-:|\n| Plug | 2,300 |\n| Clamp | |\nEnd.",
        "Models:\n| Model | Power in W |\nModel: Plug; Power in W: 2,300\nModel: Clamp\nEnd.",
    ),
    "a table with less or more cells": (
        "| A | |\n| - | - |\n| 1 |\n| 1 | 2 | 3 |",
        "| A | |\nA: 1\nA: 1; 2",
    ),
    "a table without rows": ("| A | B |\n|---|---|", "| A | B |"),
    "a narrow table": ("|X|Y|\n|-|-|\n|1|X|", "|X|Y|\nX: 1; Y: X"),
    "a record with a colon in its name": (
        "name: Lamp: red\npower: 5 W\nheight: 1 m",
        "name: Lamp: red\nLamp: red; power: 5 W\nLamp: red; height: 1 m",
    ),
    "a record": (
        "name: The Plug\nmax_power: 2,300 W\nring.colour: red",
        "name: The Plug\nThe Plug; max_power: 2,300 W\nThe Plug; ring.colour: red",
    ),
}
SAME = {
    "one line": "| A | B |",
    "prose": "Lamps glow.\nKettles vote.",
    "a heading and its text": "Note: lamps glow.\nSee also: kettles",
    "rows without a header": "| a | b |\n| c | d |",
    "times": "8:30 - tea\n9:30 - work\n10:30 - tea",
    "an address": "http://lamps.example\nhttp://kettles.example\nhttp://tea.example",
    "nothing": "\n\n",
}


@pytest.mark.parametrize(("text", "expected"), RENDERED.values(), ids=RENDERED)
def test_a_row_gets_its_header_and_a_field_its_record(text: str, expected: str) -> None:
    assert repeat_headers(text) == expected


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert repeat_headers(text) == text


SWELLING = {
    "a long header": "| " + "x" * 5_000 + " |\n|-|\n" + "| a |\n" * 800,
    "a wide header": "|" + "name|" * 900 + "\n|-|\n" + "| a |" * 5 + "\n" * 800,
    "a long name of a record": "name: " + "x" * 5_000 + "\nk: v" * 1_000,
}


@pytest.mark.parametrize("text", SWELLING.values(), ids=SWELLING)
def test_a_text_grows_to_five_times_its_length_at_most(text: str) -> None:
    rendered = repeat_headers(text)
    assert len(rendered) <= 5 * len(text)
    assert rendered.endswith(text.rsplit("\n", maxsplit=1)[-1])


def test_a_row_may_end_in_any_number_of_spaces() -> None:
    row = "| a |" + " " * 100_000 + "x"
    assert repeat_headers(f"| A | B |\n|-|-|\n{row}") == "| A | B |\nA: a; B: x"


LINES = st.lists(st.sampled_from(["| a | b |", "|-|-|", "k: v", "Lamps glow.", "", "| 1"]))


@given(LINES)
def test_no_word_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    rendered = repeat_headers(text)
    assert all(word in rendered for word in ("Lamps", "k: v") if word in text)
    assert rendered.count("\n") <= text.count("\n")


SIZES = {
    "a usual answer": (600, ["Lamps glow red at night. " * 20] * 3, False),
    "a page": (2_000, ["Lamps glow red at night. " * 200] * 4, False),
    "short and long": (100, ["x" * 150_000], False),
    "short and longer": (100, ["x" * 150_001], True),
    "many lines of both": (6_000, ["a\n" * 1_000], True),
    "many sentences in another script": (6_000, ["\u5b57\u3002" * 1_000], True),
    "nothing": (0, [], False),
}


@pytest.mark.parametrize(("answer_chars", "facts", "large"), SIZES.values(), ids=SIZES)
def test_an_index_is_needed_where_both_are_long_or_the_facts_are(
    answer_chars: int, facts: list[str], large: bool
) -> None:
    assert needs_index(answer_chars, facts) is large


def test_no_text_has_more_sentences_than_its_marks_suggest() -> None:
    assert max_sentences("Lamps glow. Do they?\nYes") == 4
    assert max_sentences("\u5b57\u3002\u5b57") == 2
    assert max_sentences("") == 1
