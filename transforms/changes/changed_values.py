"""Change a number, or a date, that a statement gives."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from groundwatch.transforms.changes.english import WEEKDAYS
from groundwatch.transforms.changes.statement import NUMBER_IN_DIGITS, Statement, pick
from groundwatch.transforms.lexical.dates import MONTHS_IN_ENGLISH
from groundwatch.transforms.lexical.number_forms import number_form
from groundwatch.transforms.lexical.phrases import MONTH_NAMES, NUMBER_WORDS, STOP_WORDS
from groundwatch.transforms.lexical.sentences import UNSPACED_SCRIPTS
from groundwatch.transforms.lexical.value import DATE, NUMBER, WEEKDAY, Value
from groundwatch.transforms.lexical.values import read_values


class Edit(NamedTuple):
    """What may stand at a place of a statement, in characters, instead of what stands there."""

    start: int
    end: int
    options: tuple[str, ...]


_FIRST_DIGIT = re.compile("[1-9]")
_DIGITS = "123456789"
_LEAST_STEP = 2
"""So much the first digit changes: 8 is not far enough from 9."""

_SMALL = tuple(
    word
    for word, digits in NUMBER_WORDS.items()
    if word in "two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
    and digits.isdecimal()
)
_MOST_PERCENT = 100
_PLACE = re.compile(rf"(?:^|[\s(\u2013$€£¥₹]|[{UNSPACED_SCRIPTS}])$")
_COUNTED = re.compile(r"\s([a-z]{3,})\b")
_WORD_BEFORE = re.compile(r"([^\W\d_][^\s\d]*)\s+[$€£¥₹]?$")
_DEFINITE = re.compile(
    r"\b(?:the|these|those|both|all|my|your|our|his|her|its|their) $", re.IGNORECASE
)
"""Behind one of these a number repeats what was said."""

_LABELS = frozenset(
    """
    version chapter section step page level type grade class phase article act rule figure table no
    number room route highway part volume model series day week year top paragraph clause stage
    category size form line gate channel question windows x
    """.split()  # noqa: SIM905 - a table of words reads best as text
)
"""Words before the number of a thing, which is a part of its name."""

_LIMIT = re.compile(
    r"\b(?:at least|at most|(?:minimum|maximum)(?: of)?|up to|as (?:many|much|few|little) as|than"
    r"|over|under|above|below|exceed\w*|beyond)\s+(?:\w+\s+)?[$€£¥₹(]?$",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"^\W?(?:\s\w+)?\s(?:or (?:more|less|fewer|older|younger|above|below|higher|lower|over|under)"
    r"|and (?:up|over|above|older)|minimum|maximum)\b|^\+",
    re.IGNORECASE,
)
_TIME_LIMIT = re.compile(
    r"\b(?:before|after|by|until|till|than|prior to)\s+(?:\w+\s+)?$", re.IGNORECASE
)

_ARTICLE = re.compile(r"\b(an?) $", re.IGNORECASE)
_VOWEL = re.compile(r"8|1[18](?!\d)|(?!one\b|euro|u)[aeiou]|hours?\b", re.IGNORECASE)
"""What is spoken with a vowel first: "an 8 percent share", "an 11,000 lumen lamp"."""

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_YEARS, _YEAR_STEPS = range(1500, 2100), (2, 3, 4, 5, 6, 7, 8, 9)
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?!\d)")
_DAYS = range(1, 29)
_OPEN_RANGE = re.compile(r"[-\u2013\u2014/]\s?$"), re.compile(r"^\s?[-\u2013\u2014/]")
_OF_TIME = frozenset(
    """
    in since during from early late mid of year until around circa spring summer autumn fall winter
    """.split()  # noqa: SIM905 - a table of words reads best as text
)
_MONTHS = tuple(
    tuple(names)
    for names in (tuple(each.capitalize() for each in MONTHS_IN_ENGLISH), *MONTH_NAMES.values())
)


def change_number(statement: Statement) -> str | None:
    """Change one number: its first digit, so that it keeps its form, or a word from two to twelve.

    Numbers of labels, in names and ranges, and limits such as "more than 50" stay: 30 is less
    precise, and not wrong. The new number is nowhere in the fact. None without such a number.
    """
    edits = [edit for value in read_values(statement.text) for edit in _numbers(value, statement)]
    return apply_one(statement, edits)


def change_date(statement: Statement) -> str | None:
    """Change the year, the month or the day of a date, or a weekday; None without a date."""
    values = [each for each in read_values(statement.text) if each.kind in (DATE, WEEKDAY)]
    is_lone = sum(each.kind == WEEKDAY for each in values) == 1
    edits = [
        edit
        for value in values
        if not (value.is_decade or value.is_implied)
        and not _TIME_LIMIT.search(statement.text[: value.start])
        for edit in (
            _dates(value, statement)
            if value.kind == DATE
            else _weekdays(value, statement) * is_lone
        )
    ]
    return apply_one(statement, edits)


def apply_one(statement: Statement, edits: Iterable[Edit]) -> str | None:
    """Make one of the edits that have an option; "a" and "an" before it still fit."""
    fitting = [_behind_article(each, statement) for each in edits]
    edit = pick([each for each in fitting if each.options], statement.digest, "place")
    if edit is None:
        return None
    option = pick(edit.options, statement.digest, "option")
    return f"{statement.text[: edit.start]}{option}{statement.text[edit.end :]}"


def _behind_article(edit: Edit, statement: Statement) -> Edit:
    """Keep the options that fit behind an English article, if there is one."""
    article = _ARTICLE.search(statement.text[: edit.start]) if statement.is_english else None
    if article is None:
        return edit
    is_an = article[1].lower() == "an"
    options = [each for each in edit.options if bool(_VOWEL.match(each)) == is_an]
    return edit._replace(options=tuple(options))


def limits(text: str, start: int, end: int) -> bool:
    """Return whether the value at a place is a limit, so that another value may be true, too."""
    return bool(_LIMIT.search(text[:start]) or _LIMITED.search(text[end:]))


def _numbers(value: Value, statement: Statement) -> Iterator[Edit]:
    """Find the number of a value, if it counts or measures something."""
    text = statement.text
    is_exact = value.hedge in ("", "about") and not value.last and not value.is_implied
    if value.kind != NUMBER or not is_exact or limits(text, value.start, value.end):
        return
    spelled = text[value.start : value.end]
    found = list(NUMBER_IN_DIGITS.finditer(spelled))
    if not found:
        yield from _number_words(value, statement)
        return
    number = found[0]
    start, end = value.start + number.start(), value.start + number.end()
    if len(found) > 1 or not _PLACE.search(text[:start]) or not _counts(value, text, start, end):
        return
    is_share = any(unit.dimension == "share" for unit in value.units)
    options = [
        each
        for each in _other_numbers(number[0])
        if number_form(each) not in statement.source.numbers
        and not (is_share and _is_too_much(each, number[0]))
    ]
    yield Edit(start, end, tuple(options))


def _counts(value: Value, text: str, start: int, end: int) -> bool:
    """Return whether a number has a unit, or stands before the word for what it counts."""
    if value.units:
        return all(unit.dimension != "times" for unit in value.units)
    before = _WORD_BEFORE.search(text[:start])
    if before and (before[1].lower().strip(".#") in _LABELS or before[1][0].isupper()):
        return False
    counted = _COUNTED.match(text, end)
    return counted is not None and counted[1] not in STOP_WORDS


def _other_numbers(number: str) -> Iterator[str]:
    first = _FIRST_DIGIT.search(number)
    if first is None:
        return
    for digit in _DIGITS:
        if abs(int(digit) - int(first[0])) >= _LEAST_STEP:
            yield f"{number[: first.start()]}{digit}{number[first.end() :]}"


def _is_too_much(share: str, own: str) -> bool:
    """Return whether a share in percent is above 100, and the original one is not."""
    new, old = (float(re.sub(r"[^\d.]", "", number_form(each))) for each in (share, own))
    return new > _MOST_PERCENT >= old


def _number_words(value: Value, statement: Statement) -> Iterator[Edit]:
    word = re.match(r"[A-Za-z]+", statement.text[value.start :])
    if word is None or word[0].lower() not in _SMALL or not statement.is_english:
        return
    end = value.start + word.end()
    counted = _COUNTED.match(statement.text, end)
    if not counted or not counted[1].endswith("s") or counted[1] in STOP_WORDS:
        return
    if _DEFINITE.search(statement.text[: value.start]):
        return
    known = statement.source.words
    options = [
        each.capitalize() if word[0][0].isupper() else each
        for each in _SMALL
        if each not in known and NUMBER_WORDS[each] not in known
    ]
    yield Edit(value.start, end, tuple(options))


def _dates(value: Value, statement: Statement) -> list[Edit]:
    text, source = statement.text, statement.source.text
    spelled = text[value.start : value.end]
    edits: list[Edit] = []
    is_year_alone = spelled.isdecimal()
    year = _YEAR.search(spelled)
    if year and (not is_year_alone or _is_year(value, statement)):
        years = [int(year[0]) + sign * step for step in _YEAR_STEPS for sign in (-1, 1)]
        options = tuple(str(each) for each in years if each in _YEARS and str(each) not in source)
        edits.append(_edit(value, year.span(), options))
    month = next(
        (
            (name, names)
            for names in _MONTHS
            for name in names
            if re.search(rf"(?<!\w){name}(?!\w)", spelled)
        ),
        None,
    )
    if month is None:
        return edits
    name, names = month
    place = spelled.index(name)
    options = tuple(each for each in names if each not in source)
    edits.append(_edit(value, (place, place + len(name)), options))
    if (day := _DAY.search(spelled)) and int(day[1]) in _DAYS:
        options = tuple(
            str(each)
            for each in _DAYS
            if len(str(each)) == len(day[1])
            and abs(each - int(day[1])) >= _LEAST_STEP
            and str(each) not in statement.source.words
        )
        edits.append(_edit(value, day.span(1), options))
    return edits


def _is_year(value: Value, statement: Statement) -> bool:
    """Return whether four digits are a year, and neither of a range nor of a name."""
    before, behind = statement.text[: value.start], statement.text[value.end :]
    if _OPEN_RANGE[0].search(before) or _OPEN_RANGE[1].search(behind):
        return False
    word = _WORD_BEFORE.search(before)
    return not statement.is_english or (word is not None and word[1].lower() in _OF_TIME)


def _weekdays(value: Value, statement: Statement) -> list[Edit]:
    spelled = statement.text[value.start : value.end]
    day = spelled.removesuffix("s")
    if day not in WEEKDAYS:
        return []
    options = tuple(
        each + spelled[len(day) :] for each in WEEKDAYS if each not in statement.source.text
    )
    return [Edit(value.start, value.end, options)]


def _edit(value: Value, span: tuple[int, int], options: tuple[str, ...]) -> Edit:
    return Edit(value.start + span[0], value.start + span[1], options)
