"""A value that the facts give to something else than a claim does is contradicted."""

import pytest

from groundwatch.transforms.lexical.check_claims import find_contradictions

EXCHANGED = """
Basic plan: 10 GB, Pro plan: 50 GB, Team plan: 200 GB. | The Pro plan has 10 GB. | 50 GB
Adults pay 12 euros and children pay 6 euros. | Children pay 12 euros. | 6 euros
Adults pay 12 euros, children 6 euros. | Children pay 12 euros. | 6 euros
Entry is 12 euros for adults and 6 euros for children. | Entry for children is 12 euros. | 6 euros
Open from 9:00 on weekdays and from 11:00 on Sundays. | It is open from 9:00 on Sundays. | 11:00
Express: 2 days. Standard: 5 days. | An Express parcel takes 5 days. | 2 days
Returns end after 30 days; exchanges end after 60 days. | Your returns end after 60 days. | 30 days
Silver earns 1 point per euro, gold 2 points. | Gold earns 1 point per euro. | 2
Trains ran until 1904. Ferries ran until 1911. | Trains ran here until 1911. | 1904
""".strip().splitlines()
"""Facts, a claim that gives a value to another thing, and what the fact has for it."""

AGREEING = """
Basic plan: 10 GB, Pro plan: 50 GB, Team: 200 GB. | Pro has 40 GB more than Basic with 10 GB.
Basic plan: 10 GB, Pro plan: 50 GB. The Pro plan had 10 GB before. | The Pro plan had 10 GB.
Basic plan: 10 GB, Pro plan: 50 GB, of which 10 GB are shared. | 10 GB of the Pro plan are shared.
Adults pay 12 euros and children 6 euros. | You pay 12 euros.
Storage is 10 to 50 GB. | Storage starts at 10 GB.
Level 0 needs a phone number, Level 1 takes 5 minutes. | Level 0 takes no passport.
Express: 2 days. Standard: 5 days. | It takes 2 days, 5 days, 9 days or 12 days, if Express.
""".strip().splitlines()
"""Facts, and a claim that says nothing else than they do, or what this rule does not know."""


def found(fact: str, claim: str) -> list[tuple[str, str]]:
    [of_claim] = find_contradictions([claim], [(fact, {})])
    return [(each.claim_value, each.fact_value) for each in of_claim]


@pytest.mark.parametrize("row", EXCHANGED)
def test_a_value_of_something_else_is_contradicted(row: str) -> None:
    fact, claim, expected = row.split(" | ")
    [(claimed, known)] = found(fact, claim)
    assert known == expected
    assert claimed in claim
    assert found(fact, claim.replace(claimed, known)) == []


@pytest.mark.parametrize("row", AGREEING)
def test_a_value_of_the_same_thing_is_not(row: str) -> None:
    fact, claim = row.split(" | ")
    assert found(fact, claim) == []


def test_each_entry_of_a_claim_is_compared() -> None:
    fact = "Silver members collect 1 point per euro, gold members 2 points."
    swapped = "Silver members collect 2 points per euro, gold members 1 point."
    assert found(fact, swapped) == [("2", "1"), ("1", "2")]
    fees = "Entry: adults 12 euros, children 6 euros, groups 80 euros, schools 40 euros."
    swapped = "Adults pay 12 euros, children 6 euros, groups 40 euros, schools 80 euros."
    assert found(fees, swapped) == [("40 euros", "80 euros"), ("80 euros", "40 euros")]
    assert found(fees, "Adults pay 12, children 6, groups 80 and schools 40 euros.") == []


def test_the_entries_stand_in_one_fact() -> None:
    claim = "An Express parcel takes 5 days."
    [of_claim] = find_contradictions([claim], [("Express: 2 days.", {}), ("Standard: 5 days.", {})])
    assert of_claim == []
    [[each]] = find_contradictions(
        [claim], [("Lamps glow.", {}), ("Express: 2 days. Rest: 5 days.", {})]
    )
    assert each.fact == 1


def test_a_value_of_the_question_is_no_value_of_something_else() -> None:
    fact, claim = "Express: 2 days. Standard: 5 days.", "An Express parcel takes 5 days."
    question = "Does an Express parcel take 5 days?"
    assert find_contradictions([claim], [(fact, {})], question) == [[]]
