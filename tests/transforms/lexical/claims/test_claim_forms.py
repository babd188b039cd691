"""Answers with claims of kinds that words judge badly."""

import pytest

from groundwatch.transforms.lexical.claims.claim_forms import has_hard_claim
from tests.support.builders import a_fact

CASES = [
    ("Does it glow?", "Yes, it does.", True),
    ("Leuchtet die Lampe?", "Ja.", True),
    ("How long is the warranty?", "Two years.", True),
    ("Combien dure la garantie ?", "Deux ans.", True),
    (None, "Yes, it does.", False),
    ("How long is the warranty?", "The warranty of each lamp that we sell lasts two years.", False),
    (None, "The documents do not mention fees. Lamps glow for two years.", True),
    (None, "Lamps glow for two years.\n\nI could not find anything about fees in the FAQ.", True),
    (None, "<p>The documents do not mention fees, but lamps glow for two years.</p>", True),
    (None, "Die Dokumente erwähnen keine Gebühren. Lampen leuchten zwei Jahre.", True),
    (None, "The documents do not mention fees.", False),
    (None, "Lamps do not glow for two years.", False),
    (None, "Hello!", False),
    (None, "", False),
]


@pytest.mark.parametrize(("query", "answer", "expected"), CASES)
def test_a_short_answer_or_a_statement_beside_a_refusal_is_hard(
    query: str | None, answer: str, *, expected: bool
) -> None:
    assert has_hard_claim(answer, [a_fact("Lamps glow for two years.")], query) is expected
