"""The values of a claim that no fact has are named, in whatever spelling the facts have theirs."""

import pytest

from groundwatch.transforms.lexical.contradictions.unseen_values import find_unseen_values

FACT = "The warranty lasts 3 to 5 years from 2 March 2024. Repairs cost 1,299 euros, on Mondays."


def named(claim: str, *facts: str) -> list[tuple[str, str]]:
    [found] = find_unseen_values([claim], [(fact, {}) for fact in facts or (FACT,)])
    return [(str(each.kind), each.text) for each in found]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("It is covered for 9 years.", [("NUMBER", "9 years")]),
        ("It is covered for nine years.", [("NUMBER", "nine years")]),
        ("It is covered for 9 years, yes, 9 years.", [("NUMBER", "9 years")]),
        ("It is covered for 4 years.", []),
        ("It is covered for 48 months.", []),
        ("It began on 5 May 2031.", [("DATE", "5 May 2031")]),
        ("It began on March 2, 2024.", []),
        ("It began in 2024.", []),
        ("You pay \u20ac1299.", []),
        ("You pay $40 on Fridays.", [("NUMBER", "$40")]),
        ("See step 7 [1].", []),
        ("There are nine kinds, the first for a day.", []),
        ("It is covered for a while.", []),
        ("It costs 1,299 or 77.", [("NUMBER", "77")]),
        ("It opens at 08:15.", [("NUMBER", "08:15")]),
        ("It is 2 or 2.5, as passage 12, section 34 and form 1040 say.", []),
        ("Call +49 555 0142, code 0142, #55 or 030 1234567, 24/7.", []),
        ("It won 34-23 in the season 2019-20.", []),
        ("It is the 46th, on the twelfth floor.", []),
        ("The 3 to 5 years count from march 2024.", []),
        ("You pay in twelve instalments, for hundreds of plans.", [("NUMBER", "twelve")]),
        ("It is covered for 99 years.", [("NUMBER", "99 years")]),
        ("**9&nbsp;years** [1]", [("NUMBER", "9 years")]),
    ],
)
def test_a_value_is_named_if_no_fact_has_it(claim: str, expected: list[tuple[str, str]]) -> None:
    assert named(claim) == expected


def test_a_value_may_stand_in_any_fact_and_in_its_title() -> None:
    assert named("It lasts 9 years.", FACT, "Others last nine years.") == []
    facts = [(FACT, {"title": "All 2031 models"})]
    assert find_unseen_values(["The 2031 model has it."], facts) == [[]]


def test_a_value_may_stand_in_the_question_and_in_lower_case() -> None:
    claims, facts = ["It is covered for 9 years."], [(FACT, {})]
    assert find_unseen_values(claims, facts, "Is it covered for nine years?") == [[]]
    assert named("It began on May 30.", "it begins on may 30 .") == []
    assert named("25% are lost.", "A quarter, 1/4, is lost.") == []


def test_without_facts_that_have_values_all_are_named() -> None:
    assert named("It lasts 9 years.", "Ask the shop.") == [("NUMBER", "9 years")]


def test_each_claim_has_its_own() -> None:
    claims = ["It lasts 9 years.", "It lasts long.", "It lasts 8 years."]
    found = find_unseen_values(claims, [(FACT, {})])
    assert [[each.text for each in of_claim] for of_claim in found] == [
        ["9 years"],
        [],
        ["8 years"],
    ]


def test_values_beyond_a_number_of_comparisons_are_not_named() -> None:
    fact = ". ".join(f"{number}" for number in range(10_000, 11_000))
    claims = [f"It weighs {number} grams." for number in range(30_000, 30_200)]
    found = find_unseen_values(claims, [(fact, {})])
    assert [len(each) for each in found] == [1] * 100 + [0] * 100
