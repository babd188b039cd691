"""Large facts, compared by an index."""

import pytest

from schemas.verdict import ContradictionKind
from tests.support.builders import a_claim, a_fact
from transforms.contradictions.compared_facts import ComparedFacts
from transforms.contradictions.find_contradictions import (
    compare_claim,
    find_contradictions,
    prepare_facts,
)
from transforms.contradictions.indexed_facts import IndexedFacts
from transforms.contradictions.parsed_sentence import ParsedSentence
from transforms.contradictions.passages import Sentences

NOTHING = Sentences(())
FILLER = tuple(
    f"Kettle number {number} boils slowly on the old stove. " * 200 for number in range(16)
)
TOWER = "The tower of Gustave Eiffel is 330 metres high. It was built from January 1887 to 1889."


def test_facts_are_indexed_from_a_size_on() -> None:
    assert isinstance(prepare_facts(("Lamps glow.",), ["Lamps glow."]), ComparedFacts)
    assert not isinstance(prepare_facts(("Lamps glow.",), ["Lamps glow."]), IndexedFacts)
    assert isinstance(prepare_facts(FILLER, ["Lamps glow."]), IndexedFacts)


DIFFERENT = {
    "a number": ("The tower is 320 metres high.", ("NUMBER", "320 metres", "330 metres", 16)),
    "a unit": ("The tower is 330 feet high.", ("UNIT", "330 feet", "330 metres", 16)),
    "a date": ("The tower was built from May 1887.", ("DATE", "May 1887", "January 1887", 16)),
    "a name": (
        "The tower of Albert Eiffel is high.",
        ("NAME", "Albert Eiffel", "Gustave Eiffel", 16),
    ),
    "a denial": (
        "The tower of Gustave Eiffel is not high.",
        ("NEGATION", "not high", "high", 16),
    ),
}


@pytest.mark.parametrize(("claim", "expected"), DIFFERENT.values(), ids=DIFFERENT)
def test_a_contradiction_with_one_of_many_long_facts_is_found(
    claim: str, expected: tuple[str, str, str, int]
) -> None:
    found = find_contradictions(
        [a_claim(claim, score=0.5)], [a_fact(fact) for fact in (*FILLER, TOWER)]
    )
    assert [(each.kind, each.claim_value, each.fact_value, each.fact) for each in found] == [
        expected
    ]


@pytest.mark.parametrize(
    "claim",
    [
        "Kettle number 3 boils slowly.",
        "The tower is 330.0 metres high.",
        "It was built in 1889.",
        "Gustave Eiffel built it.",
        "It was built from January 1887 to 1889.",
    ],
)
def test_a_claim_supported_by_one_of_many_long_facts_has_no_contradiction(claim: str) -> None:
    sources = prepare_facts((*FILLER, TOWER), [claim])
    assert compare_claim(claim, sources) == ()


NUMBERS = {
    "the same": ("5 lamps", "5 lamps", 5.0, True),
    "with a comma": ("2,300 lamps", "2300 lamps", 2300.0, True),
    "with a fraction": ("5.50 lamps", "5.5 lamps", 5.5, True),
    "in a word": ("five lamps", "5 lamps", 5.0, True),
    "in several words": ("2,000,000 lamps", "two million lamps", 2e6, True),
    "a time": ("at 17:30", "at 17:30", "17:30", True),
    "another": ("6 lamps", "5 lamps", 5.0, False),
    "as a part of another": ("1.5 lamps", "5 lamps", 5.0, False),
}


@pytest.mark.parametrize(("fact", "claim", "value", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_a_number_is_found_in_any_form(
    fact: str, claim: str, value: float | str, expected: bool
) -> None:
    assert IndexedFacts((fact,), [claim]).has_number(value, NOTHING) is expected


def test_words_and_phrases_are_looked_for_as_whole_words() -> None:
    claim = "Lamps of Rome cost 5 euros, 7 lamps"
    sources = IndexedFacts(("A lamp in Romeo costs 5 euros. 7 tables.",), [claim])
    assert not sources.lacks_any(["lamps", ""])
    assert sources.lacks_any(["rome"])
    assert sources.has_phrase("5 euros")
    assert sources.has_phrase("7")
    assert not sources.has_phrase("7 lamps")


def test_a_claim_that_stands_in_a_fact_as_a_sentence_is_stated() -> None:
    sources = IndexedFacts(("Lamps glow red. The pump runs at 5 bar.",), ["a"])
    assert sources.has_sentence(" Lamps glow red. ")
    assert not sources.has_sentence("glow red.")


def texts(sentences: Sentences) -> list[str]:
    return [sentence.text for _, sentence in sentences.with_text(bool)]


def test_a_claim_is_compared_with_fewer_sentences_the_more_claims_there_are() -> None:
    facts = tuple(f"Lamp {number} glows red at night." for number in range(200))
    claim = ParsedSentence("Lamp 7 glows red.")
    for claims, sentences in ((1, 32), (64, 32), (128, 16), (5_000, 1)):
        indexed = IndexedFacts(facts, ["Lamp 7 glows red."] * claims)
        found = texts(indexed.sentences_near(claim))
        assert len(found) == sentences
        assert facts[7] in found


@pytest.mark.parametrize(
    "fact", ["ab. " * 2_500, "lamps" + "x" * 9_999, "ab, lamps " * 1_600, "Lamps glow.\n" * 800]
)
def test_a_fact_without_ordinary_sentences_is_cut_into_parts(fact: str) -> None:
    sources = IndexedFacts((fact,), ["ab lampsx lamps"])
    found = texts(sources.sentences_near(ParsedSentence("ab lampsx lamps")))
    assert found
    assert all(len(text) < 200 for text in found)


def test_an_unknown_number_is_a_contradiction() -> None:
    (difference,) = compare_claim(
        "Giraffes sleep 77 hours.", IndexedFacts(FILLER, ["Giraffes sleep 77 hours."])
    )
    assert difference == (ContradictionKind.NUMBER, "77 hours", None, None)
