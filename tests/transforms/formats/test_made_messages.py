"""Messages made at random are read with all of their text and facts, in every format."""

import pytest

from groundwatch.schemas.answer import Answer
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from tests.support.answer_messages import message_of
from tests.support.made_messages.formats import MAKERS, find_differences, make_broken

_MESSAGES = 100


@pytest.mark.parametrize("name", MAKERS)
def test_what_was_written_is_read(name: str) -> None:
    for number in range(_MESSAGES):
        value, found = find_differences(name, number)
        assert not found, f"{found} in {value}"


@pytest.mark.parametrize("name", MAKERS)
def test_a_broken_message_is_answers_or_failures(name: str) -> None:
    for number in range(_MESSAGES):
        found = list(parse_answers(message_of(make_broken(name, number))))
        assert found
        assert all(isinstance(each, Answer | ParseFailure) for each in found)
