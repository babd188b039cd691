"""Phrases about the sources, and to the reader."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.transforms.lexical.language.phrases import (
    REFERENCE,
    addresses_reader,
    may_name_source_or_refuse,
    without_references,
)

REFERENCES = {
    "in brackets": ("Lamps glow (see source 3, 4).", "Lamps glow  ."),
    "in the sentence": ("As Passage 2 says, lamps glow.", "As   says, lamps glow."),
    "several": ("Documents 1 and 2 agree.", "  agree."),
    "behind much white space": (f"Lamps of information{' ' * 52}2.", "Lamps of  ."),
    "a source without a number": ("The passage says so.", "The passage says so."),
    "a number without a source": ("Lamps glow 12 hours.", "Lamps glow 12 hours."),
    "a number elsewhere": ("The text says 12 hours.", "The text says 12 hours."),
}


@pytest.mark.parametrize(("text", "left"), REFERENCES.values(), ids=REFERENCES)
def test_what_points_at_a_source_is_left_out(text: str, left: str) -> None:
    assert without_references(text) == left


PIECES = [
    "Source",
    "passages",
    "data",
    "datas",
    "lamp",
    "#",
    "1",
    "2:3",
    " ",
    "\n",
    "(see ",
    ", ",
    ")",
]


@given(st.lists(st.sampled_from([*PIECES, "\u00e9", "\u017f"])).map("".join))
def test_references_are_those_that_the_expression_finds(text: str) -> None:
    assert without_references(text) == REFERENCE.sub(" ", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("The Information given", True), ("PASSAGE", True), ("Lamps glow red.", False), ("", False)],
)
def test_what_names_no_source_is_known_at_a_glance(text: str, expected: bool) -> None:
    assert may_name_source_or_refuse(text.lower(), text.lower())[0] is expected


@pytest.mark.parametrize("opening", ["but", "I need", "if", "our", "please see our", "dear"])
def test_a_long_gap_in_an_opening_takes_time_in_proportion_to_it(opening: str) -> None:
    started_s = time.process_time()
    addresses_reader(f"{opening}{' ' * 20_000}lamp")
    assert time.process_time() - started_s < 1


@pytest.mark.parametrize("mark", ['"', "(", "$5 ", "\u201c"])
def test_a_mark_in_front_of_a_statement_addresses_nobody(mark: str) -> None:
    assert not addresses_reader(f"{mark}Tickets cost 12 euros.")
