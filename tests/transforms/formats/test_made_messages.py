"""Messages made at random are read with all of their text and facts, in every format."""

import pytest

from tests.support.made_messages.formats import MAKERS, find_differences

_MESSAGES = 100


@pytest.mark.parametrize("name", MAKERS)
def test_what_was_written_is_read(name: str) -> None:
    for number in range(_MESSAGES):
        value, found = find_differences(name, number)
        assert not found, f"{found} in {value}"
