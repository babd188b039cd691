"""The sizes at which an answer is compared with its facts by an index."""

import pytest

from transforms.rules.workload import is_large, most_sentences

SIZES = {
    "a usual answer": (600, ["Lamps glow red at night. " * 20] * 3, False),
    "a page": (2_000, ["Lamps glow red at night. " * 200] * 4, False),
    "short and long": (100, ["x" * 150_000], False),
    "short and longer": (100, ["x" * 150_001], True),
    "many lines of both": (6_000, ["a\n" * 1_000], True),
    "many sentences in another script": (6_000, ["\u5b57\u3002" * 1_000], True),
    "nothing": (0, [], False),
}


@pytest.mark.parametrize(("answer_chars", "facts", "large"), SIZES.values(), ids=SIZES)
def test_an_index_is_needed_where_both_are_long_or_the_facts_are(
    answer_chars: int, facts: list[str], large: bool
) -> None:
    assert is_large(answer_chars, facts) is large


def test_no_text_has_more_sentences_than_its_marks_tell() -> None:
    assert most_sentences("Lamps glow. Do they?\nYes") == 4
    assert most_sentences("\u5b57\u3002\u5b57") == 2
    assert most_sentences("") == 1
