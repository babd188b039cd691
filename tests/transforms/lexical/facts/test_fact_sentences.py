"""The sentences of a fact, with an index of their values and one of their words."""

from itertools import product

from groundwatch.transforms.lexical.facts.fact_sentences import FactSentences, stems_of
from groundwatch.transforms.lexical.values.read_values import read_values

VALUES = (
    *("3 March 1987", "March 1987", "3 March", "1987", "4 March 1987", "3 May", "the 1980s"),
    *("03/04/1987", "1987-03-04", "Monday", "9.30", "half past nine", "3 euros", "3 to 5 days"),
    *("a day", "12 hours", "about 2,000", "1,987", "50 %", "the 1970s", "1979", "May 2001"),
)


def test_a_fact_has_a_value_as_if_each_of_its_own_were_compared() -> None:
    found = set()
    for text, others in product(VALUES, [*((each,) for each in VALUES), VALUES[:7], VALUES[7:]]):
        fact = FactSentences(" ".join(f"It was said of {each}." for each in others))
        for value in read_values(f"It was said of {text}."):
            expected = any(value.equals(other) for _, other in fact.values)
            assert fact.has_value(value) == expected, (text, others)
            found.add(expected)
    assert found == {True, False}


COLOURS = ("red", "blue", "green", "pink", "white", "black", "brown")


def test_of_any_number_of_sentences_the_nearest_are_found_whatever_words_they_share() -> None:
    rows = [f"Lamp {one} {two} {three}." for one, two, three in product(COLOURS, repeat=3)]
    sentences = FactSentences("\n".join(rows * 2))
    assert sentences.texts == rows
    for size, share in product(range(1, 5), (0.01, 0.5, 0.75, 1.0)):
        words = stems_of("lamp white brown black red".rsplit(" ", 5 - size)[0])
        shares = [len(words & content) / len(words) for content in sentences.contents]
        expected = sorted(filter(share.__le__, shares), reverse=True)[:8]
        assert [near for (near, *_), _ in sentences.near(words, share)] == expected, words
