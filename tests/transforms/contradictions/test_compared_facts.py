"""The facts that claims are compared with."""

from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.contradictions.compared_facts import ComparedFacts, compared_facts
from transforms.contradictions.passages import Sentences

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
    assert ComparedFacts(("Something else.", FACT)).has_sentence(claim) is stated


def test_sources_are_remembered_unless_they_are_long() -> None:
    facts = ("Lamps glow.", "x" * 39_939)
    assert compared_facts(facts) is compared_facts(tuple(facts))
    longer = (*facts, "x")
    assert compared_facts(longer) is not compared_facts(longer)


FACTS = ["(two) lamps", "two lamps", "5 lamps", "at 17:30", "1,", "000 glow", "no lamp"]


@given(st.lists(st.sampled_from(FACTS)))
def test_the_numbers_of_facts_are_those_of_their_whole_text(facts: list[str]) -> None:
    sources, whole = ComparedFacts(tuple(facts)), ComparedFacts(("\n".join(facts),))
    for value in (2.0, 5.0, "17:30", 1.0, 0.0, 1000.0):
        assert sources.has_number(value, Sentences(())) is (whole.has_number(value, Sentences(())))


@pytest.mark.parametrize("fact", ["(two) lamps", "Lamps: two.", "2, no more"])
def test_a_number_beside_punctuation_counts(fact: str) -> None:
    assert ComparedFacts((fact,)).has_number(2.0, Sentences(()))


PHRASES = ["5", "5 lamps", "15", "1.5", "5a", "$5", "a5", "5:30", "5.", "5 15", "5.5 lamps"]
PLACES = [*PHRASES, " ", ".", ",", ":", "a", "\u00b2", "_", "\u0665"]


def has_whole(text: str, phrase: str) -> bool:
    """Look for a phrase at every place."""
    for place in range(len(text)):
        before, behind = text[max(0, place - 2) : place], text[place + len(phrase) :][:2]
        if text.startswith(phrase, place) and not (
            before[-1:].isalnum()
            or behind[:1].isalnum()
            or (before[-1:] in {*".,:/"} and before[:1].isdigit())
            or (behind[:1] in {*".,:/"} and behind[1:].isdigit())
        ):
            return True
    return False


@given(st.lists(st.sampled_from(PLACES), max_size=60).map("".join), st.sampled_from(PHRASES))
def test_a_phrase_is_found_unless_it_is_everywhere_a_part_of_longer_words(
    text: str, phrase: str
) -> None:
    sources = ComparedFacts((text,))
    for _ in range(2):
        assert sources.has_phrase(phrase) is has_whole(text, phrase)


def test_a_phrase_behind_thousands_of_longer_words_is_found() -> None:
    assert ComparedFacts(("15 " * 5_000 + "5",)).has_phrase("5")
    assert not ComparedFacts(("15 1.5 5:30 " * 5_000,)).has_phrase("5")


DENIED = ["not red.", "not lamps.", "never glow.", "not 12345678.", "cannot hum.", "red lamps."]
CLAIMS = ["the lamps", "a lamp", "x12345678x", "1234567", "redder", "hum", "", "glow 12345678"]


@settings(deadline=None)
@given(st.lists(st.sampled_from(DENIED)), st.sampled_from(CLAIMS), st.integers(0, 3_000))
def test_a_denied_word_is_found_in_a_claim_among_however_many(
    denied: list[str], claim: str, others: int
) -> None:
    few = ComparedFacts((" ".join(denied),))
    words = map("".join, islice(product("qvwz", repeat=6), others))
    many = ComparedFacts((" ".join([*denied, *(f"not {word}." for word in words)]),))
    assert many.may_negate_word_of(claim) is few.may_negate_word_of(claim)
