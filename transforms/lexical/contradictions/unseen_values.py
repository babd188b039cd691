"""Find the values of claims that no fact has, such as an invented number."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.facts.fact_sentences import sentences_of
from groundwatch.transforms.lexical.facts.fact_text import FactAndAttributes, render_facts
from groundwatch.transforms.lexical.language.words import VALUE, ClaimWords, read_words
from groundwatch.transforms.lexical.reading.citation_marks import Sources
from groundwatch.transforms.lexical.reading.plain_text import read_plain
from groundwatch.transforms.lexical.values.read_values import IN_ORDER, read_values
from groundwatch.transforms.lexical.values.value import DATE, Value

_MAX_COMPARISONS = 100_000
"""So many pairs of values are compared for an answer, in a tenth of a second."""

_MAX_PLACES = 100
"""A "0" stands in each part of "0x0x0x": after so many places, values are compared instead."""

_ALWAYS, _LEAST_ALONE = "24/7", 10
_JOINED = re.compile(r"\s?[-\u2013\u2014]\s?\d|(?:st|nd|rd|th)(?!\w)")
_JOINED_BEFORE = re.compile(r"\d\s?[-\u2013\u2014]\s?$")
_MAX_JOINT = 4
"""Characters: a digit, a dash, and a space on each side of it."""

_IN_NUMBER_BEFORE, _IN_NUMBER = re.compile(r"[\d.,]"), re.compile(r"[.,]?\d")


class UnseenValue(NamedTuple):
    """A value of a claim that no fact has, as the claim writes it, and its kind."""

    kind: ContradictionKind
    text: str


def find_unseen_values(
    claims: Sequence[str], facts: Sequence[FactAndAttributes], query: str | None = None
) -> list[list[UnseenValue]]:
    """Find for each claim its values that neither a fact nor the question has in any spelling.

    They are dates, times, amounts, numbers with a unit and numbers from ten: "two plans" may count
    what the facts list.

    >>> [[value]] = find_unseen_values(["$5 for 3 days."], [("It costs 5 dollars.", {})])
    >>> value.text
    '3 days'
    """
    may_have = [claim if read_words(claim).signs & VALUE else "" for claim in claims]
    if not any(may_have):
        return [[] for _ in claims]
    sources = Sources.of(facts)
    plain = [claim and read_plain(claim, sources).text for claim in may_have]
    found = unseen_values_of(
        [(text, ClaimWords.of(text)) for text in plain],
        render_facts(facts),
        query or "",
        read_values(query or ""),
    )
    return [each or [] for each in found]


def unseen_values_of(
    claims: Sequence[tuple[str, ClaimWords | None]],
    facts: Sequence[str],
    query: str,
    premises: Sequence[Value],
) -> list[list[UnseenValue] | None]:
    """Find the values as `find_unseen_values` does, in plain texts.

    The words that are compared of a claim are behind its text, and the values of the query are the
    premises. None stands for a claim of which a value was not compared with all those of the facts.
    """
    found: list[list[UnseenValue] | None] = [[] for _ in claims]
    may_have = [
        (number, text, words)
        for number, (text, words) in enumerate(claims)
        if words and words.signs & VALUE
    ]
    if not may_have:
        return found
    known = "\n".join([*facts, query]).casefold()
    stated = [
        (number, value, written)
        for number, text, words in may_have
        if not _is_written_in(known, text.casefold())
        for value in (words.values if words.text == text else read_values(text))
        if _is_of_a_source(value, text)
        and not _is_written_in(known, (written := text[value.start : value.end]).casefold())
    ]
    if not stated:
        return found
    of_facts = [value for fact in facts for _, value in sentences_of(fact).values]
    values = [*of_facts, *premises]
    most = _MAX_COMPARISONS // max(1, len(values))
    for place, (number, value, written) in enumerate(stated):
        unseen = found[number]
        if place >= most:
            found[number] = unseen or None
        elif unseen is not None and not any(map(value.equals, values)):
            is_date = value.kind == DATE
            kind = ContradictionKind.DATE if is_date else ContradictionKind.NUMBER
            if (each := UnseenValue(kind, written)) not in unseen:
                unseen.append(each)
    return found


def _is_of_a_source(value: Value, text: str) -> bool:
    """Return whether an answer can have a value of a text from a source alone.

    A weekday may be one of "Monday to Friday"; "2019-20", "34-23" and "46th" do not count.
    """
    if value.is_label or value.units == IN_ORDER:
        return False
    before = text[max(0, value.start - _MAX_JOINT) : value.start]
    written = text[value.start : value.end]
    is_code = written.startswith("0") or before.endswith(("+", "#"))
    is_vague = written.endswith("s")  # "millions"
    may_count = max(value.raw, default=0) < _LEAST_ALONE  # "two plans"
    if value.is_plain and (is_code or is_vague or may_count):
        return False
    is_joined = _JOINED.match(text, value.end) or _JOINED_BEFORE.search(before)
    return not is_joined and written != _ALWAYS


def _is_written_in(known: str, written: str) -> bool:
    """Return whether a value stands in a text as the claim writes it, not as a part of a number.

    Both are without upper case: "february" is not read as a month.
    """
    place = -1
    for _ in range(_MAX_PLACES):
        place = known.find(written, place + 1)
        if place < 0:
            break
        before, after = place - 1, place + len(written)
        is_part = before >= 0 and _IN_NUMBER_BEFORE.match(known, before)
        if not is_part and not _IN_NUMBER.match(known, after):
            return True
    return False
