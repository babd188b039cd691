"""The facts that claims are compared with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.rules.mismatches.passages import Passages
from transforms.rules.mismatches.sources import Sources, sources_of

FACT = "Lamps glow. The pump runs at 5 bar. It is false that pumps sing.\nPumps hum!"


@pytest.mark.parametrize(
    ("claim", "stated"),
    [
        ("The pump runs at 5 bar.", True),
        ("Lamps glow. The pump runs at 5 bar.", True),
        (" Pumps hum! ", True),
        ("Lamps glow.", True),
        ("The pump runs at 5", False),
        ("pumps sing.", False),
        ("The pump runs at 6 bar.", False),
        ("glow.", False),
        ("", False),
    ],
)
def test_a_claim_is_stated_where_it_stands_as_a_sentence(claim: str, *, stated: bool) -> None:
    assert Sources(("Something else.", FACT)).states(claim) is stated


def test_sources_are_remembered_unless_they_are_long() -> None:
    facts = ("Lamps glow.", "x" * 39_939)
    assert sources_of(facts) is sources_of(tuple(facts))
    longer = (*facts, "x")
    assert sources_of(longer) is not sources_of(longer)


FACTS = ["(two) lamps", "two lamps", "5 lamps", "at 17:30", "1,", "000 glow", "no lamp"]


@given(st.lists(st.sampled_from(FACTS)))
def test_the_numbers_of_facts_are_those_of_their_whole_text(facts: list[str]) -> None:
    sources, whole = Sources(tuple(facts)), Sources(("\n".join(facts),))
    for value in (2.0, 5.0, "17:30", 1.0, 0.0, 1000.0):
        assert sources.tells_number(value, Passages(())) is (
            whole.tells_number(value, Passages(()))
        )


def test_a_number_word_in_brackets_counts_only_beside_other_numbers() -> None:
    assert not Sources(("(two) lamps",)).tells_number(2.0, Passages(()))
    assert Sources(("(two) lamps", "5 lamps")).tells_number(2.0, Passages(()))
