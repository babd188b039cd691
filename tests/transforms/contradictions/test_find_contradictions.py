"""The contradictions between claims and facts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.checked_answer import Contradiction
from schemas.verdict import ContradictionKind
from tests.support.builders import a_claim, a_fact
from tests.support.samples.articles import read_conversations
from transforms.contradictions.compared_facts import ComparedFacts
from transforms.contradictions.find_contradictions import compare_claim, find_contradictions
from transforms.contradictions.indexed_facts import IndexedFacts
from transforms.rules.sentences import split_sentences

TOWER = (
    "The company of Gustave Eiffel built the tower from 28 January 1887 to March 1889. It is"
    " 330 metres high and weighs 10,100 tonnes. The tower is painted every 7 years; it does not"
    " rust. Nearly two million people paid 26.10 euros in the 1890s."
)
LAMPS = "Lamps glow red at night. The lamp of the Baltic Sea was not moved. Kettles have 2 screws."
FACTS = (LAMPS, TOWER)

Found = tuple[str, str, str | None, int | None]


def indexed(claim: str, *facts: str) -> ComparedFacts:
    return IndexedFacts(tuple(facts or FACTS), [claim])


def found(claim: str, *facts: str) -> list[Found]:
    return [tuple(each) for each in compare_claim(claim, ComparedFacts(tuple(facts or FACTS)))]


NUMBERS = {
    "another number of the same unit": (
        "The tower is 320 metres high.",
        ("NUMBER", "320 metres", "330 metres", 1),
    ),
    "another number of the same thing": (
        "Kettles have 3 screws.",
        ("NUMBER", "3", "2", 0),
    ),
    "in words": ("Kettles have seven screws.", ("NUMBER", "seven", "2", 0)),
    "a number from nowhere": (
        "Giraffes sleep 4 hours on average.",
        ("NUMBER", "4 hours", None, None),
    ),
    "another amount of money": (
        "Nearly two million people paid €30.50.",
        ("NUMBER", "€30.50", "26.10 euros", 1),
    ),
    "another time of day": ("Lamps glow red at 18:30 at night.", ("NUMBER", "18:30", None, None)),
    "another scale": (
        "Nearly two billion people paid 26.10 euros.",
        ("NUMBER", "two billion", "two million", 1),
    ),
}
UNITS = {
    "another unit of the same kind": (
        "The tower is 330 feet high.",
        ("UNIT", "330 feet", "330 metres", 1),
    ),
    "another kind of unit in the same sentence": (
        "The tower is 330 tonnes high and weighs 10,100 tonnes.",
        ("UNIT", "330 tonnes", "330 metres", 1),
    ),
    "another currency": (
        "Nearly two million people paid $26.10.",
        ("UNIT", "$26.10", "26.10 euros", 1),
    ),
}
DATES = {
    "another day": (
        "The company built the tower from 27 January 1887.",
        ("DATE", "27 January 1887", "28 January 1887", 1),
    ),
    "another month": (
        "Eiffel's company built the tower to May 1889.",
        ("DATE", "May 1889", "March 1889", 1),
    ),
    "another year": (
        "Gustave Eiffel's company built the tower in 1901.",
        ("DATE", "1901", "28 January 1887", 1),
    ),
    "another decade": (
        "Nearly two million people paid in the 1920s.",
        ("DATE", "1920s", "1890s", 1),
    ),
    "a date from nowhere": (
        "Giraffes came in June 2020.",
        ("DATE", "June 2020", None, None),
    ),
}
NAMES = {
    "another name in its place": (
        "The lamp of the Arctic Sea was not moved.",
        ("NAME", "Arctic Sea", "Baltic Sea", 0),
    ),
    "another first name": (
        "The company of Albert Eiffel built the tower.",
        ("NAME", "Albert Eiffel", "Gustave Eiffel", 1),
    ),
}
NEGATIONS = {
    "the claim denies": ("Lamps do not glow red at night.", ("NEGATION", "not glow", "glow", 0)),
    "the claim denies, shortly": (
        "Lamps don\u2019t glow red.",
        ("NEGATION", "don\u2019t glow", "glow", 0),
    ),
    "the fact denies": ("The tower does rust.", ("NEGATION", "rust", "not rust", 1)),
    "the fact denies a participle": (
        "The lamp of the Baltic Sea was moved.",
        ("NEGATION", "moved", "not moved", 0),
    ),
}
DIFFERENT = NUMBERS | UNITS | DATES | NAMES | NEGATIONS


@pytest.mark.parametrize(("claim", "expected"), DIFFERENT.values(), ids=DIFFERENT)
def test_a_contradiction_names_the_values_of_claim_and_fact(claim: str, expected: Found) -> None:
    assert found(claim) == [expected]
    assert [tuple(each) for each in compare_claim(claim, indexed(claim))] == [expected]


ALIKE = {
    "no value at all": "Some lamps glow.",
    "a number spelt otherwise": "It weighs 10100 tonnes and is 330.0 metres high.",
    "a number in words": "It is painted every seven years.",
    "a number of several words": "2 million people paid 26.10 euros.",
    "a currency's sign": "They paid €26.10.",
    "an abbreviated unit": "It is 330 m high.",
    "a number in a reference": "Lamps glow red [4] (passages 7, 8, and 9), as passage 3:4 says.",
    "a number of the answer's own": "There are two reasons: lamps glow red, and at night.",
    "a step of the answer's own": "Step 5: lamps glow red. Repeat steps 5 and 6.",
    "a date spelt otherwise": "It was begun on January 28th, 1887, that is on 1887-01-28.",
    "a part of a date": "It was begun in January and finished in 1889.",
    "a year of the decade": "People paid in 1894.",
    "a modal verb and a walk": "Lamps may glow; people march at night.",
    "the same names": "The company of Gustave Eiffel built it near the Baltic Sea.",
    "a name that is merely added": "Lamps glow red at night in Reykjavik.",
    "a heading": "About Lamps: Glowing",
    "the same denial": "The tower doesn't rust.",
    "a denial in other words": "The tower stays without rust and is unable to rust.",
    "another subject is denied": "Lamps glow red at night, not in the morning.",
    "not only": "Lamps do not only glow red at night.",
    "a condition": "If lamps do not glow red at night, call us.",
    "a question's mark only": "?",
}


@pytest.mark.parametrize("claim", ALIKE.values(), ids=ALIKE)
def test_another_form_of_the_same_value_does_not_contradict(claim: str) -> None:
    assert found(claim) == []
    assert compare_claim(claim, indexed(claim)) == ()


@pytest.mark.parametrize(
    ("claim", "fact"),
    [
        ("Nine red lamps glow.", "All nine lamps glow at night."),
        ("Twelve lamps glow red.", "All (12) lamps glow red."),
        ("All 12 lamps glow red.", "Twelve lamps glow red."),
        ("Two million people paid.", "2,000,000 people paid."),
        ("Twenty-one lamps glow red.", "The 21 lamps glow red."),
    ],
)
def test_a_number_word_with_a_capital_is_a_number(claim: str, fact: str) -> None:
    assert found(claim, fact) == []


@pytest.mark.parametrize("number", ["twelve", "(twelve)", "Twelve", "*twelve*"])
def test_a_number_word_at_the_end_of_a_sentence_is_compared(number: str) -> None:
    fact = "The lamps in the hall are 14."
    assert found(f"The lamps in the hall are {number}.", fact) == [
        ("NUMBER", number.strip("(*)"), "14", 0)
    ]


def test_a_number_of_another_thing_is_a_difference() -> None:
    fact = "A card costs 5 coins and 9 stamps."
    assert found("A card costs 9 coins and 9 stamps.", fact) == [("NUMBER", "9", "5", 0)]


def test_without_facts_numbers_and_dates_are_from_nowhere() -> None:
    assert list(compare_claim("In 1999 it had 12 rooms.", ComparedFacts(()))) == [
        (ContradictionKind.DATE, "1999", None, None),
        (ContradictionKind.NUMBER, "12", None, None),
    ]


def test_no_sentence_of_the_sample_differs_from_the_passages_it_is_from() -> None:
    for conversation in read_conversations():
        passages = [text for _, text in conversation.passages]
        sources = ComparedFacts(passages)
        for sentence in (each for text in passages for each in split_sentences(text)):
            assert compare_claim(sentence.text, sources) == ()


WORDS = (
    "12 1999 May 5 March Lamps not glow never 10,000 km $ 7 % Alan Turing can't 3:4 in the red ."
)
TEXTS = st.lists(st.sampled_from(WORDS.split(" ")), max_size=12).map(" ".join)


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_values_are_cut_out_of_the_claim_and_the_fact_as_they_are_written(
    claim: str, facts: list[str]
) -> None:
    for each in compare_claim(claim, ComparedFacts(tuple(facts))):
        assert each.claim_value in claim
        assert (each.fact is None) == (each.fact_value is None)
        assert each.fact_value is None or each.fact_value in facts[each.fact or 0]


@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=3))
def test_any_text_can_be_compared(claim: str, facts: list[str]) -> None:
    for sources in (ComparedFacts(tuple(facts)), IndexedFacts(tuple(facts), [claim])):
        assert all(each.claim_value for each in compare_claim(claim, sources))


def test_of_many_facts_those_with_most_of_the_claims_words_are_read() -> None:
    facts = [f"Filler number {n} says little." for n in range(30)]
    assert found("The tower is 320 metres high.", *facts, TOWER) == [
        ("NUMBER", "320 metres", "330 metres", 30)
    ]


def test_mismatches_name_their_claims_and_pass_over_those_that_required_no_check() -> None:
    claims = (
        a_claim("I hope 77 lamps help!", grounding_check_required=False),
        a_claim("Kettles have 9 screws.", score=0.5),
        a_claim("Kettles have 8 screws."),
        a_claim("Lamps have 4 screws, since 1066.", score=0.5, grounding_check_required=None),
    )
    assert find_contradictions(claims, [a_fact("Kettles have 2 screws.")]) == (
        Contradiction(claim=1, kind="NUMBER", claim_value="9", fact_value="2", fact=0),
        Contradiction(claim=3, kind="DATE", claim_value="1066"),
        Contradiction(claim=3, kind="NUMBER", claim_value="4"),
    )


def test_titles_and_attributes_of_facts_take_part() -> None:
    fact = a_fact("Lamps glow.", title="Catalogue 2019", attributes={"page": "17"})
    claim = a_claim("Lamps glow, says page 17 of 2019.", score=0.9)
    assert find_contradictions([claim], [fact]) == ()


def test_what_differs_from_long_facts_is_found_without_being_remembered() -> None:
    for facts in (FACTS, (*FACTS, "Lamps glow. " * 5_000)):
        sources = ComparedFacts(facts)
        assert compare_claim("It was built in 1999.", sources) == compare_claim(
            "It was built in 1999.", sources
        )
        assert [each.claim_value for each in compare_claim("It was built in 1999.", sources)] == [
            "1999"
        ]


def test_numbers_in_the_uri_of_a_fact_are_not_compared() -> None:
    fact = a_fact("The warranty lasts 14 days.", uri="https://help.example.com/answer/30")
    claim = a_claim("The warranty lasts 30 days.", score=0.9)
    assert find_contradictions([claim], [fact]) == (
        Contradiction(claim=0, kind="NUMBER", claim_value="30 days", fact_value="14 days", fact=0),
    )
