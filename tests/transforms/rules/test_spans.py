"""Valid spans: within the text, and without split characters."""

import pytest

from groundwatch.transforms.rules.spans import is_valid_span

ANSWER = "aé€".encode()  # characters begin at the bytes 0, 1 and 3, and end at 6
SPANS = {
    "the whole": (0, 6, True),
    "a character": (1, 3, True),
    "nothing at the start": (0, 0, True),
    "nothing in the middle": (3, 3, True),
    "nothing at the end": (6, 6, True),
    "from within a character": (2, 3, False),
    "to within a character": (1, 2, False),
    "backwards": (3, 1, False),
    "from before the start": (-1, 1, False),
    "to behind the end": (0, 7, False),
    "behind the end": (7, 7, False),
}


@pytest.mark.parametrize(("start", "end", "expected"), SPANS.values(), ids=SPANS)
def test_a_span_lies_within_the_answer_and_holds_whole_characters(
    start: int, end: int, expected: bool
) -> None:
    assert is_valid_span(ANSWER, start, end) is expected
