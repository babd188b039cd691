"""Values of a claim that the facts have for something else."""

import pytest

from tests.support.builders import a_claim, a_fact
from transforms.contradictions.antonyms import ANTONYMS
from transforms.contradictions.compared_facts import ComparedFacts
from transforms.contradictions.find_contradictions import compare_claim, find_contradictions
from transforms.contradictions.indexed_facts import IndexedFacts

MUSEUM = (
    "The city museum on the old harbour square opened a hall for 40 boats in 1985. The theatre"
    " beside the station sold 900 boats in 1992. In spring Anna Keller designed the garden of the"
    " museum on the harbour square. Later Paul Brandt painted the theatre beside the station."
    " Guests pay a high price for tickets in summer on the harbour square."
)

SWAPPED = {
    "a number": (
        "The city museum on the harbour square opened a hall for 900 boats.",
        ("NUMBER", "900", "40"),
    ),
    "a year": (
        "The city museum on the harbour square opened its hall in 1992.",
        ("DATE", "1992", "1985"),
    ),
    "a name": (
        "In spring Paul Brandt designed the garden of the museum on the harbour square.",
        ("NAME", "Paul Brandt", "Anna Keller"),
    ),
    "an antonym": (
        "Guests pay a low price for tickets in summer on the harbour square.",
        ("ANTONYM", "low", "high"),
    ),
}


@pytest.mark.parametrize(("claim", "expected"), SWAPPED.values(), ids=SWAPPED)
def test_a_value_swapped_with_another_of_the_facts_is_a_contradiction(
    claim: str, expected: tuple[str, str, str]
) -> None:
    found = find_contradictions([a_claim(claim, score=0.9)], [a_fact("Lamps."), a_fact(MUSEUM)])
    assert [(each.kind, each.claim_value, each.fact_value) for each in found] == [expected]
    assert {each.fact for each in found} == {1}


@pytest.mark.parametrize(("claim", "_expected"), SWAPPED.values(), ids=SWAPPED)
@pytest.mark.parametrize("facts", [ComparedFacts, IndexedFacts])
def test_a_swapped_value_lowers_no_score(
    claim: str, _expected: object, facts: type[ComparedFacts]
) -> None:
    texts = (MUSEUM,)
    prepared = IndexedFacts(texts, [claim]) if facts is IndexedFacts else ComparedFacts(texts)
    assert compare_claim(claim, prepared) == ()


AGREEING = {
    "the same in other words": (
        "In 1985, the city museum on the old harbour square got a hall for 40 boats."
    ),
    "another sentence says so": "The theatre beside the station sold 900 boats.",
    "few other words": "The hall has 900 boats.",
    "another topic": "In 1992, a storm from the north hit 900 boats on the lake.",
    "both antonyms": "Guests pay a low or high price for tickets in summer on the harbour square.",
    "verbatim": "The theatre beside the station sold 900 boats in 1992.",
}


@pytest.mark.parametrize("claim", AGREEING.values(), ids=AGREEING)
def test_a_claim_that_a_similar_sentence_confirms_is_no_contradiction(claim: str) -> None:
    assert find_contradictions([a_claim(claim, score=0.9)], [a_fact(MUSEUM)]) == ()


def test_each_word_is_an_antonym_of_its_antonyms_and_not_of_itself() -> None:
    for form, opposites in ANTONYMS.items():
        assert form not in opposites
        assert all(form in ANTONYMS[opposite] for opposite in opposites)
