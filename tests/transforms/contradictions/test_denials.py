"""Claims that deny what a fact states."""

import pytest

from schemas.checked_answer import Contradiction
from tests.support.builders import a_claim, a_fact
from transforms.contradictions.compared_facts import ComparedFacts
from transforms.contradictions.find_contradictions import compare_claim, find_contradictions
from transforms.contradictions.indexed_facts import IndexedFacts

MUSEUM = "The museum opened its new hall in May. Guests can cancel a booking at no cost."

DENIED = {
    "another form of the verb": (
        "The museum did not open its new hall in May.",
        ("not open", "The museum opened its new hall in May."),
    ),
    "a sentence with a negation of its own": (
        "Guests cannot cancel a booking at no cost.",
        ("cannot cancel", "cancel"),
    ),
}


@pytest.mark.parametrize(("claim", "values"), DENIED.values(), ids=DENIED)
def test_a_denied_statement_is_a_contradiction(claim: str, values: tuple[str, str]) -> None:
    found = find_contradictions([a_claim(claim, score=0.9)], [a_fact("Lamps."), a_fact(MUSEUM)])
    assert found == (
        Contradiction(
            claim=0, kind="NEGATION", claim_value=values[0], fact_value=values[1], fact=1
        ),
    )


@pytest.mark.parametrize("facts", [ComparedFacts((MUSEUM,)), IndexedFacts((MUSEUM,), [""])])
def test_such_a_denial_lowers_no_score(facts: ComparedFacts) -> None:
    assert compare_claim("Guests cannot cancel a booking at no cost.", facts) == ()


AGREEING = {
    "the fact denies it, too": ("Lamps do not work under water.", "Lamps never work under water."),
    "the fact denies it in other words": (
        "The hall does not open for guests in May.",
        "The hall is closed for guests in May, without exception.",
    ),
    "a statement about the sources": (
        "We cannot determine the height of the new tower.",
        "The height of the new tower is a secret.",
    ),
    "another topic": ("Kettles do not boil in spring.", MUSEUM),
    "too few other words": ("It did not open.", MUSEUM),
    "not only": ("The museum did not only open its new hall in May.", MUSEUM),
    "verbatim": ("Lamps do not glow red at night.", "Lamps do not glow red at night."),
}


@pytest.mark.parametrize(("claim", "fact"), AGREEING.values(), ids=AGREEING)
def test_a_claim_that_may_agree_with_the_facts_denies_nothing(claim: str, fact: str) -> None:
    assert find_contradictions([a_claim(claim, score=0.9)], [a_fact(fact)]) == ()
