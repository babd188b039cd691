"""Find the values of claims that no fact has, such as an invented number."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.facts.fact_sentences import sentences_of
from groundwatch.transforms.lexical.facts.fact_text import FactAndAttributes, render_facts
from groundwatch.transforms.lexical.language.words import VALUE, read_words
from groundwatch.transforms.lexical.reading.citation_marks import Sources
from groundwatch.transforms.lexical.reading.plain_text import read_plain
from groundwatch.transforms.lexical.values.read_values import IN_ORDER, read_values
from groundwatch.transforms.lexical.values.value import DATE, NUMBER, WEEKDAY, Value

_MAX_FACT_CHARS = 2_000_000
_MAX_COMPARISONS = 100_000
"""So many characters of facts are read for an answer, the most that the service takes, which takes
up to a second; and so many pairs of values are compared, in a tenth of one."""


class UnseenValue(NamedTuple):
    """A value of a claim that no fact has, as the claim writes it, and its kind."""

    kind: ContradictionKind
    text: str


def find_unseen_values(
    claims: Sequence[str], facts: Sequence[FactAndAttributes]
) -> list[list[UnseenValue]]:
    """Find for each claim its numbers, amounts and dates that no fact has, in whatever spelling.

    A number in words counts only with a unit: "two plans" may count what the facts list. Facts of
    more than two million characters are not read.

    >>> [[value]] = find_unseen_values(["$5 for 3 days."], [("It costs 5 dollars.", {})])
    >>> value.text
    '3 days'
    """
    found: list[list[UnseenValue]] = [[] for _ in claims]
    may_have = [number for number, claim in enumerate(claims) if read_words(claim).signs & VALUE]
    if not may_have or sum([len(text) for text, _ in facts]) > _MAX_FACT_CHARS:
        return found
    sources = Sources.of(facts)
    plain = [(number, read_plain(claims[number], sources).text) for number in may_have]
    stated = [(number, text, value) for number, text in plain for value in _stated(text)]
    if not stated:
        return found
    of_facts = [value for fact in render_facts(facts) for _, value in sentences_of(fact).values]
    for number, text, value in stated[: _MAX_COMPARISONS // max(1, len(of_facts))]:
        if not any(map(value.equals, of_facts)):
            is_date = value.kind in (DATE, WEEKDAY)
            kind = ContradictionKind.DATE if is_date else ContradictionKind.NUMBER
            found[number].append(UnseenValue(kind, text[value.start : value.end]))
    return [list(dict.fromkeys(each)) for each in found]


def _stated(text: str) -> Iterator[Value]:
    """Yield the values of a text that it states itself, and not only counts."""
    for value in read_values(text):
        in_digits = any(map(str.isdigit, text[value.start : value.end]))
        is_count = value.kind == NUMBER and value.units in ((), IN_ORDER) and not in_digits
        if not (value.is_implied or is_count):
            yield value
