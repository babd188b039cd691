import pytest

from transforms.rules.numbers import unmatched_numbers

FACT = "Opened in 1,823, it has 12 rooms, 2.50 m high, and shuts at 17:30 on 1/5/2024."

CASES = {
    "no number": ("It has many rooms.", []),
    "all in the fact": ("Since 1823 it has 12 rooms.", []),
    "another one": ("It has 13 rooms.", ["13"]),
    "spelt in another way": ("It has 12.0 rooms since 1,823.", []),
    "a leading zero": ("It has 012 rooms.", []),
    "a time": ("It shuts at 17:30.", []),
    "another time": ("It shuts at 18:30.", ["18:30"]),
    "a decimal": ("It is 2.50 m high.", []),
    "part of a number": ("It is 50 m high.", ["50"]),
    "references": ("It has 12 rooms [4] (2, 3).", []),
    "each as often as it stands": ("9 or 9 rooms.", ["9", "9"]),
}


@pytest.mark.parametrize(("claim", "expected"), CASES.values(), ids=CASES)
def test_numbers_that_no_fact_states_are_found(claim: str, expected: list[str]) -> None:
    assert unmatched_numbers([claim], ["Nothing.", FACT]) == expected


def test_without_facts_every_number_is_unmatched() -> None:
    assert unmatched_numbers(["It has", "12 rooms."], []) == ["12"]
