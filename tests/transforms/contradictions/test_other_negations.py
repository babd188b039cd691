"""Negations in other languages than English."""

import pytest

from schemas.answer import Fact
from schemas.checked_answer import Claim
from schemas.verdict import ContradictionKind
from transforms.contradictions.find_contradictions import find_contradictions
from transforms.contradictions.other_negations import negation_spans
from transforms.contradictions.parsed_sentence import ParsedSentence, has_negation

NEGATED = {
    "Die Lampe ist nicht rot.": {"rot": "nicht rot"},
    "Die Lampe hat keinen Schalter.": {"schalt": "keinen Schalter"},
    "Die Lampe leuchtet nicht.": {"leucht": "leuchtet nicht"},
    "La lampe n'est pas rouge.": {"rouge": "pas rouge"},
    "La lámpara no es roja.": {"es": "no es"},
    "No se vende la lámpara.": {"se": "No se"},
    "A lâmpada não é vermelha.": {"vermel": "não é vermelha"},
    "La lampada non funziona.": {"funzio": "non funziona"},
    "電池は充電できません。": {"電": "電できません"},
    "电池不能充电。": {"能": "不能"},
    "Die Lampe ist nicht nur rot.": {},
    "There is no lamp in the house.": {},
    "A non-profit made a faux pas in Lima.": {},
    "电池不同。": {},
    "電池が少ない。": {},
}


@pytest.mark.parametrize(("text", "negated"), NEGATED.items(), ids=NEGATED)
def test_the_negated_word_is_behind_a_negation_or_in_front(
    text: str, negated: dict[str, str]
) -> None:
    assert ParsedSentence(text).negated == negated
    assert has_negation(text.lower()) or not negated


def test_no_is_a_negation_in_spanish_only() -> None:
    assert negation_spans("el museo no abre")
    assert not negation_spans("in the museum la brea has no door")
    assert not negation_spans("no plano de dados")


AGREEING = {
    "a denial of another kind": (
        "Les chiens ne sont pas admis.",
        "Les chiens sont interdits.",
    ),
    "a prohibition": ("酒店不允许携带宠物。", "酒店禁止携带宠物。"),
    "both deny": ("Die Lampe ist nicht rot.", "Die Lampe ist also nicht rot."),
    "only a negation's word": ("Sin embargo la lámpara es roja.", "La lámpara es roja."),
    "of another thing": ("電池は高いです。", "電池は高いです。箱は使えません。"),
}


@pytest.mark.parametrize(("claim", "fact"), AGREEING.values(), ids=AGREEING)
def test_what_agrees_is_no_contradiction(claim: str, fact: str) -> None:
    claims = [Claim(text=claim, start=0, end=len(claim.encode()), score=1.0)]
    assert find_contradictions(claims, [Fact(text=fact)]) == ()


def test_a_fact_that_denies_contradicts_a_claim_that_does_not() -> None:
    claims = [Claim(text="Die Lampe ist im Haus rot.", start=0, end=26, score=1.0)]
    found = find_contradictions(claims, [Fact(text="Die Lampe ist im Haus nicht rot.")])
    assert [each.kind for each in found] == [ContradictionKind.NEGATION]
