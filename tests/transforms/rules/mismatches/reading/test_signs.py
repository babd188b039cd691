"""What the words of a text could hold."""

import pytest

from transforms.rules.mismatches.reading.signs import CAPITAL, DENIAL, MONTH, NUMBER, read_signs


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("", 0),
        ("lamps glow red", 0),
        ("Lamps glow", CAPITAL),
        ("about 5kg", NUMBER),
        ("twenty-one lamps", NUMBER),
        ("in May", MONTH | CAPITAL),
        ("it doesn't, not ever", DENIAL),
        ("On 3 March Rome cannot vote", NUMBER | MONTH | DENIAL | CAPITAL),
    ],
)
def test_the_signs_of_a_text_are_those_of_its_words(text: str, signs: int) -> None:
    assert read_signs(text) == signs
