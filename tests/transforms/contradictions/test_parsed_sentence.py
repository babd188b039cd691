"""What the words of a text could hold."""

import re
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.contradictions.dates import MONTHS
from transforms.contradictions.parsed_sentence import (
    CAPITAL,
    DENIAL,
    MONTH,
    NEGATION,
    NUMBER,
    OPPOSITE,
    REFUSAL,
    SOURCE,
    read_features,
)
from transforms.contradictions.tokenized_text import CARDINALS
from transforms.rules.phrases import may_name_source, refuses

WORDS = [
    *("Rome", "rome", "(Rome", "R", "5", "\u00c9t\u00e9's", "the", "passages", "Provided,"),
    *("does", "not", "n't", "doesn\u2019t", "mention", "can", "cannot", "be", "found", "is"),
    *("unable", "to", "impossible", "no", "(no", "casino", "details", "lacks", "without", "more"),
]
TEXTS = st.lists(st.sampled_from([*WORDS, " ", "\n", "\u00a0"])).map(" ".join)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("", 0),
        ("lamps glow red", 0),
        ("Lamps glow", CAPITAL),
        ("about 5kg", NUMBER),
        ("twenty-one lamps", NUMBER),
        ("in May", MONTH | CAPITAL),
        ("it doesn't, ever", NEGATION | REFUSAL | DENIAL),
        ("per the given text", SOURCE),
        ("the highest, warmer lamps", OPPOSITE),
        ("lamps know no casino", REFUSAL | DENIAL),
        ("On 3 March Rome never voted", NUMBER | MONTH | NEGATION | CAPITAL | DENIAL),
    ],
)
def test_the_signs_of_a_text_are_those_of_its_words(text: str, kinds: int) -> None:
    assert read_features(text).kinds == kinds


@pytest.mark.parametrize("written", ["{}", "({}),", "_{}_", '"{}!"'])
@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (CARDINALS, NUMBER),
        (MONTHS, MONTH),
        (["highest", "lower", "olds", "winter", "forbid"], OPPOSITE),
        (["nicht", "kein", "jamais", "nunca", "n\u00e3o", "never", "not", "couldn't"], NEGATION),
        (["without", "unless", "lacking", "nor", "non-toxic", "rarely"], DENIAL),
        (["passage", "documento", "fonte", "l'article"], SOURCE),
    ],
)
def test_each_word_that_matters_is_recognized(
    words: Iterable[str], kind: int, written: str
) -> None:
    assert [word for word in words if not read_features(written.format(word)).kinds & kind] == []


@given(TEXTS)
def test_capitals_are_found_behind_white_space_alone(text: str) -> None:
    behind_white_space = re.findall(r"(?<=\s)[^\W\d_a-z][^\W\d_]+", text)
    found = [word for word in read_features(text).capitals if word]
    assert found == [word.lower() for word in behind_white_space]


@given(TEXTS)
def test_a_text_that_could_name_a_source_has_the_feature(text: str) -> None:
    assert bool(read_features(text).kinds & SOURCE) is may_name_source(text.lower())


@given(TEXTS)
def test_no_refusal_is_missed(text: str) -> None:
    assert read_features(text).kinds & REFUSAL or not refuses(text)
