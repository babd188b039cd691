"""Names, and what is denied."""

import pytest

from transforms.contradictions.parsed_sentence import (
    ParsedSentence,
    has_negation,
    name_at_start,
    read_names,
    read_negated,
    words_behind_negations,
)
from transforms.contradictions.tokenized_text import TokenizedText

NAMED = {
    "The lamp of Alan Turing glows": [("Alan Turing", ("lamp", "glow"))],
    "Alan Turing came to Manchester.": [
        ("Turing", ("alan", "came")),
        ("Manchester", ("came", None)),
    ],
    "from Paris, France to Rome": [
        ("Paris", (None, "france")),
        ("France", ("pari", "rome")),
        ("Rome", ("france", None)),
    ],
    "He said: Lamps glow. Kettles vote (Both do).": [],
    "on Monday in May and I": [],
}


@pytest.mark.parametrize(("text", "expected"), NAMED.items(), ids=NAMED)
def test_names_are_runs_of_capitals_that_begin_nothing(
    text: str, expected: list[tuple[str, tuple[str | None, str | None]]]
) -> None:
    names = list(read_names(TokenizedText(text)))
    assert [(name.text, name.around) for name in names] == expected
    words = {name_at_start(word) for word in text.split()}
    assert {t.text for name in names for t in name.tokens} <= words


DENIED = {
    "It does not rust": {"rust": "not rust"},
    "It doesn't ever rust": {"ever": "doesn't ever"},
    "It cannot be disabled": {"disabl": "cannot be disabled"},
    "They have never been painted red": {"painte": "never been painted"},
    "It is not, lamps": {},
    "not only lamps, not all kettles": {},
    "If it does not rust, whether or not it glows": {},
    "no lamps without kettles": {},
    "knots and notes": {},
}


@pytest.mark.parametrize(("text", "expected"), DENIED.items(), ids=DENIED)
def test_what_stands_behind_a_denial_is_denied(text: str, expected: dict[str, str]) -> None:
    assert read_negated(TokenizedText(text)) == expected
    assert expected.keys() <= words_behind_negations(text.lower())
    assert has_negation(text.lower()) or not expected
    assert ParsedSentence(text).may_negate or not expected


@pytest.mark.parametrize(
    "text", ["It is unable to rust.", "Non-lamps.", "It fails.", "Without lamps, no kettles."]
)
def test_a_sentence_may_deny_in_other_words(text: str) -> None:
    assert ParsedSentence(text).may_negate
    assert not has_negation(text.lower())
