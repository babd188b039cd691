"""Tables and records as lines that stand by themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.rules.self_contained import self_contained

TOLD = {
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


@pytest.mark.parametrize(("text", "expected"), TOLD.values(), ids=TOLD)
def test_a_row_gets_its_header_and_a_member_its_record(text: str, expected: str) -> None:
    assert self_contained(text) == expected


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert self_contained(text) == text


SWELLING = {
    "a long header": "| " + "x" * 5_000 + " |\n|-|\n" + "| a |\n" * 800,
    "a wide header": "|" + "name|" * 900 + "\n|-|\n" + "| a |" * 5 + "\n" * 800,
    "a long name of a record": "name: " + "x" * 5_000 + "\nk: v" * 1_000,
}


@pytest.mark.parametrize("text", SWELLING.values(), ids=SWELLING)
def test_a_text_grows_to_five_times_its_length_at_most(text: str) -> None:
    told = self_contained(text)
    assert len(told) <= 5 * len(text)
    assert told.endswith(text.rsplit("\n", maxsplit=1)[-1])


def test_a_row_may_end_in_any_number_of_spaces() -> None:
    row = "| a |" + " " * 100_000 + "x"
    assert self_contained(f"| A | B |\n|-|-|\n{row}") == "| A | B |\nA: a; B: x"


LINES = st.lists(st.sampled_from(["| a | b |", "|-|-|", "k: v", "Lamps glow.", "", "| 1"]))


@given(LINES)
def test_no_word_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    told = self_contained(text)
    assert all(word in told for word in ("Lamps", "k: v") if word in text)
    assert told.count("\n") <= text.count("\n")
