"""Read the values of a text: numbers with their units, amounts, dates, times and phone numbers.

Values of different spellings are equal: 14:00 and 2 pm, 10k and 10,000, two weeks and 14 days.
"""

import re
from bisect import bisect
from collections.abc import Callable, Sequence
from itertools import compress
from math import inf

from groundwatch.transforms.lexical.language.number_forms import grouped_form, number_form
from groundwatch.transforms.lexical.language.phrases import (
    NUMBER_WORDS,
    ORDINALS,
    PERIODS,
    any_of,
    has_english,
    phrases_of,
    words_of,
)
from .dates import MONTHS, date_in_digits, month_first
from .parts import MAX_JOINT, joined, with_fraction
from .units import SCALES, UNITS, Unit
from .value import DATE, HOUR_S, NUMBER, PHONE, TIME, WEEKDAY, Value

_WORDS = {word: float(digits) for word, digits in NUMBER_WORDS.items()}
_ORDINALS = {word: float(digits) for word, digits in ORDINALS.items()}
IN_ORDER = (Unit("order", 1.0),)
_HUNDRED, _FOUR, _TWENTY_IN_FRENCH = 100, 4, "vingt"
_TENS_BEFORE_TEENS = (60, 80)
_ONES = "一二两兩三四五六七八九"
_CJK_DIGITS = dict(zip(_ONES, "12223456789", strict=True)) | {"": "1", None: "0"}
_CJK_NUMERAL = re.compile(
    f"[{_ONES}十百千零]{{1,9}}+(?=[万萬億亿]?[年月天日周週個个小時时分秒次人名位层層楼階章倍つ元円岁歳])"
)
_CJK_NUMBER = re.compile(
    "(?:(.)千)?(?:零?(.)百)?(?:零?(.?)十)?(?:零?(.))?".replace(".", f"[{_ONES}]")
)
_VERY = re.compile("十分(?![钟鐘間间])")
"""Ten minutes are not meant: "enough" and "very" are written as they are."""

_MULTIPLES = {"twice": 2.0, "double": 2.0, "triple": 3.0, "quadruple": 4.0}
_MULTIPLES |= {"half": 0.5, "quarter": 0.25}
_NAMED = {"noon": (TIME, 720), "midday": (TIME, 720), "midnight": (TIME, 0)} | {
    f"{name}day{ending}": (WEEKDAY, number)
    for number, name in enumerate(("mon", "tues", "wednes", "thurs", "fri", "satur", "sun"))
    for ending in ("", "s")
}
"""Hours in minutes, and the days of a week."""

_PARTS = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_SURE_YEARS = frozenset(range(1500, 2100))
"""A range would compare a number that is not an int with each of these."""

_METRES = 1000
"""Of a kilometre."""

_MIN_PHONE_DIGITS = 7
_FIRST_CJK, _MAX_CJK_UNIT = "\u3041", 3
_MAX_VALUES = 256
"""Of one text; one with more is a table."""

_MAX_NUMBER = 1e100
"""Larger ones are not amounts, and may be infinite."""


_UNITS_OF_TIME = frozenset(each for each, (unit, *_) in UNITS.items() if unit.dimension == "time")
_TIME_UNITS = any_of(_UNITS_OF_TIME)
_ARTICLES = frozenset("a an one ein eine einen einem einer un une una uno um uma een".split())  # noqa: SIM905
_UNITS_OF_ONE = (_UNITS_OF_TIME - _ARTICLES) | {"un"}
"""Those behind an article: "a day"."""
BEFORE_TIME = {"dos": 2.0, "due": 2.0, "sept": 7.0, "elf": 11.0, "quince": 15.0}
"""These are a number only in front of a unit of time; otherwise they are other words."""

_SMALL = _ARTICLES | BEFORE_TIME.keys()
_WITHIN_NUMBERS = BEFORE_TIME | dict.fromkeys("one un une una uno um uma".split(), 1.0)  # noqa: SIM905
"""Of a number these are a part behind a hyphen or an "and": "twenty-one", "dix-sept"."""

_KINDS = (
    dict.fromkeys(_ARTICLES, "article")
    | dict.fromkeys(BEFORE_TIME, "before time")
    | dict.fromkeys((*_WORDS, *SCALES), "word")
    | dict.fromkeys(_ORDINALS, "ordinal")
    | dict.fromkeys(_MULTIPLES, "multiple")
    | dict.fromkeys(_NAMED, "named")
    | dict.fromkeys(MONTHS, "month")
)
"""What may begin with a word in lower case."""

_ZEROS = "0\u0660\u06f0\u0966\u09e6\u0be6\u0e50\uff10"
"""Of the scripts of Latin, Arabic, Persian, Devanagari, Bengali, Tamil, Thai, and full-width."""

_MAY_BEGIN = _KINDS | dict.fromkeys(
    (*_PARTS, *(chr(ord(zero) + n) for zero in _ZEROS for n in range(10))), "digit"
)
"""What may begin with a word in lower case, or with a digit."""

_SURE = (_MAY_BEGIN.keys() - _ARTICLES - BEFORE_TIME.keys()) | _UNITS_OF_ONE | MONTHS.keys()
"""What a text with a value has: the others begin none without the unit behind them."""

_ALSO_VERBS = frozenset({"may", "march", "mar", "sep", "jun"})
"""These are months with a capital only."""

_OCTETS = {"Ko": UNITS["kb"], "Mo": UNITS["mb"], "Go": UNITS["gb"], "To": UNITS["tb"]}
"""As French has them; in other spellings these are other words."""

VALUE_WORDS = frozenset(
    word.strip("°%$€£¥")
    for word in (*_KINDS, *UNITS, *map(str.lower, _OCTETS))
    if word[-1:].isalpha()
) - {*_ARTICLES, "x", ""}
"""The words that values have."""

_ANCHOR = re.compile(r"\d|[½¼¾]|[^\W\d_]+")
_TIME_UNIT = re.compile(rf"[ -](?:{_TIME_UNITS})(?!\w)", re.IGNORECASE)
_PHONE = re.compile(r"\d{2,6}(?:\)?[ ./\u2013-]{1,2}\(?\d{2,8}){1,4}(?![\d%])")
_DIGITS = re.compile(
    r"[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)(?:,\d{1,2}(?!\d))?"
    r"|\d+(?:[.,]\d+)*(?:['\u2019]\d{3}(?!\d))*"
)
_SPACED = re.compile(r"[ \u00a0\u2009\u202f]")
_PART = re.compile(r"\s?([½¼¾])|(?:/([1-9]\d?)(?![,.]?\d))")
_CJK_PARTS = re.compile(r"(?:\d+(?:\.\d+)?[千万萬億亿]+)+\d*")
_CJK_PART = re.compile(r"(\d+(?:\.\d+)?)([千万萬億亿]*)")
_SUFFIX = re.compile(r"k(?![\w/])|K(?![\w/])|M(?![\w/])|bn(?!\w)|B(?![\w/])")
_SUFFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "bn": 1e9, "B": 1e9}
_NEXT_WORD = re.compile(r"[\s-]?([^\W\d_]+)\.?")
_NEXT_OF_NUMBER = re.compile(r"(?P<joint>\s(?:and|et|y|e)\s|[\s-])?([^\W\d_]+)", re.IGNORECASE)
_UNIT = re.compile(
    r"[\s\u00a0-]?(°\s?[cfCF](?!\w)|[%°€$£¥\uffe5¢\u00d7円元分]|[^\W\d_]+²?(?:/[^\W\d_]+)?)"
)
_SECOND_WORD = re.compile(r" (celsius|fahrenheit|cent)(?!\w)", re.IGNORECASE)
_MAX_LABEL = 12
_LABELS = (
    *("step", "option", "method", "part", "point", "item", "example", "figure", "table", "page"),
    *("passage", "form", "section", "chapter", "article", "line", "no.", "#"),
)
_OPENING, _BEHIND_LABEL = ("[", "\u3010"), " \t\r\n\u00a0(s"
_LABEL = re.compile(rf"(?:{any_of(_LABELS)})s?\s?\(?$|[\[\u3010]$")
_OF_A = re.compile(r"(?: of)? an?(?= )")
_THE, _NOUN = re.compile(r"\b[Tt]he $"), re.compile(r" [a-z]")
_BEFORE = re.compile(r"(?:US|CA|A)?([$€£¥\uffe5₹])\s?$|\b(CHF|EUR|USD|GBP|SEK|NOK|DKK|PLN|INR)\s?$")
_MAX_SIGN = 5
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra)\s$", re.IGNORECASE)
_PARTS_OF_NUMBERS = any_of(_WORDS.keys() | _WITHIN_NUMBERS.keys())
_RANGE = re.compile(
    r"(?:\s?[-\u2013\u2014]\s?|\s(?:to|bis|\u00e0|a|at\u00e9|hasta)\s|\s(?P<joined>and|und|et|y|e)\s)[$€£]?"
    rf"(?:(?P<digits>\d+(?:[.,]\d+)*)|(?P<word>{any_of(_WORDS)})(?!\w|-(?:{_PARTS_OF_NUMBERS})(?!\w)))"
    r"(?![\d:/]|[-.,]\d|\s?(?:[ap]\.?m|Uhr|uur|h|o'clock)\b)",
    re.IGNORECASE,
)
_MAX_HEDGE = 22


def _alternatives(kind: str) -> str:
    return "|".join(map(re.escape, phrases_of(kind)))


_HEDGE = re.compile(
    rf"(?<!\w)(?:(?P<about>{_alternatives('about')})|(?P<over>{_alternatives('over')})"
    rf"|(?P<under>{_alternatives('under')}))\s?$",
    re.IGNORECASE,
)
_HEDGE_ENDS = tuple(
    {phrase.split()[-1] for kind in ("about", "over", "under") for phrase in phrases_of(kind)}
)
_PERIOD = re.compile(
    r"(?:\s(?!(?:in|within|for|after|of|than|over|before|every)\b)[^\W\d_]++){0,3}?"
    rf"(?:(?:\s?/\s?|\s(?:{any_of(words_of('per'))})\s|(?<=per user)\s(?:and|/)\s)"
    rf"(?P<unit>{_TIME_UNITS})(?!\w)|\s(?P<adverb>{any_of(PERIODS)})(?!\w))",
    re.IGNORECASE,
)


def may_have_value(text: str) -> bool:
    """Return whether a text may have a value."""
    is_word = text.isascii() and text.isalpha()
    anchors = [text] if is_word else _ANCHOR.findall(_with_digits(text)[0])
    return any(each.lower() in _SURE and each not in _ALSO_VERBS for each in anchors)


def _with_digits(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Write Chinese numerals in front of counters in digits: "三十天" is "30天".

    With the text is where digits end in it that are longer or shorter than their numerals, and how
    much longer the text is up to there; the first of these is its beginning.
    """
    longer = [(0, 0)]
    if text.isascii():
        return text, longer

    def digits(numeral: re.Match[str]) -> str:
        written = _in_digits_of_cjk(numeral)
        if more := len(written) - len(numeral[0]):
            more += longer[-1][1]
            longer.append((numeral.end() + more, more))
        return written

    return _CJK_NUMERAL.sub(digits, text), longer


def _in_digits_of_cjk(numeral: re.Match[str]) -> str:
    text, start = numeral.string, numeral.start()
    found = _CJK_NUMBER.fullmatch(numeral[0])
    if not found or text.startswith("第", max(0, start - 1), start) or _VERY.match(text, start):
        return numeral[0]
    return "".join(_CJK_DIGITS[each] for each in found.groups()).lstrip("0")


def _at_numerals(value: Value, longer: Sequence[tuple[int, int]]) -> Value:
    """Move a value to its place in the text that has numerals for its digits."""
    start, end = (
        place - longer[bisect(longer, (place, inf)) - 1][1] for place in (value.start, value.end)
    )
    return value._replace(start=start, end=end)


def read_values(text: str) -> list[Value]:
    """Return the first 256 values of a text, in order.

    >>> [(value.raw, value.units[0].dimension) for value in read_values("3 days, $5")]
    [((3.0,), 'time'), ((5.0,), 'dollar')]
    """
    text, longer = _with_digits(text)
    values: list[Value] = []
    place = 0
    found = list(_ANCHOR.finditer(text))
    kinds = map(_MAY_BEGIN.get, map(str.lower, map(re.Match.group, found)))
    for anchor in compress(found, kinds):
        if anchor.start() < place or anchor[0] in _ALSO_VERBS:
            continue
        if read := _at(anchor, text):
            is_near = values and read[0].start - values[-1].end <= MAX_JOINT
            if is_near and (whole := joined(text, values[-1], read[0])):
                values[-1:], read = [], [whole, *read[1:]]
            values += read
            place = max([value.end for value in read])
            if len(values) >= _MAX_VALUES:
                break
    return [_at_numerals(each, longer) for each in values] if longer[1:] else values


def _at(anchor: re.Match[str], text: str) -> Sequence[Value]:
    """Read the values that begin with some digits or a word."""
    start, end = anchor.span()
    word = anchor[0].lower()
    kind = _MAY_BEGIN[word]
    if word in _SMALL and (small := _small(text, start, end, word)):
        return small
    if read := _BY_START.get(kind):
        return read(text, start)
    match kind:
        case "ordinal":
            return _in_order(text, start, end, _ORDINALS[word])
        case "multiple":
            return [_multiple(text, start, end, _MULTIPLES[word])]
        case "named":
            name, number = _NAMED[word]
            return [Value(name, start, end, (number,))]
    return ()


def _small(text: str, start: int, end: int, word: str) -> Sequence[Value]:
    """Read "a day", "sept jours", "one and a half": other words without a unit or a fraction."""
    number: tuple[float, ...] = (BEFORE_TIME.get(word, 1.0),)
    if not _TIME_UNIT.match(text, end):
        is_number = with_fraction(number, text, end) != (number, end)
        return [_with_unit(text, start, end, number)] if is_number else ()
    unit_end, units = _unit(text, end)
    number, behind = with_fraction(number, text, unit_end)
    is_implied = word in _ARTICLES and word != "one" and behind == unit_end
    return [Value(NUMBER, start, behind, number, units, is_implied=is_implied)]


def _in_order(text: str, start: int, end: int, number: float) -> Sequence[Value]:
    """Read "the second floor"; "a second" is a time, and "second" mostly one in a row."""
    if _THE.search(text, max(0, start - 5), start) and _NOUN.match(text, end):
        return [Value(NUMBER, start, end, (number,), IN_ORDER)]
    return ()


def _multiple(text: str, start: int, end: int, factor: float) -> Value:
    """Read "triple", and "half an hour"."""
    units = UNITS["x"]
    if factor < 1:
        of_a = _OF_A.match(text, end)
        end, units = _unit(text, of_a.end() if of_a else end)
    return Value(NUMBER, start, end, (factor,), units, is_implied=True)


def _in_digits(text: str, start: int) -> Sequence[Value]:
    values = date_in_digits(text, start) or _phone(text, start) or _number_in_digits(text, start)
    if values and _is_label(text, start):
        return [each._replace(is_implied=True) for each in values]
    return values


def _is_label(text: str, start: int) -> bool:
    """Return whether a number numbers a part of a text, or a source: "step 2", "[1]"."""
    before = text[max(0, start - _MAX_LABEL) : start].lower()
    may_be = before.endswith(_OPENING) or before.rstrip(_BEHIND_LABEL).endswith(_LABELS)
    return may_be and _LABEL.search(before) is not None


def _phone(text: str, start: int) -> Sequence[Value]:
    found = _PHONE.match(text, start)
    if not found or (start and text[start - 1] in "$€£.,"):
        return ()
    digits = re.sub(r"\D", "", found[0])
    is_grouped = _DIGITS.fullmatch(found[0]) and " " in found[0]
    if len(digits) >= _MIN_PHONE_DIGITS and not is_grouped and "." not in found[0][:3]:
        parts = re.split(r"\D+", found[0])
        if not (len(parts) == 2 and all(int(part) in _SURE_YEARS for part in parts)):  # noqa: PLR2004 - a range of years
            return [Value(PHONE, start, found.end(), (float(digits),))]
    return ()


def _number_in_digits(text: str, start: int) -> Sequence[Value]:
    if part := _PARTS.get(text[start]):
        return [_with_unit(text, start, start + 1, (part,))]
    if not text.isascii() and (parts := _CJK_PARTS.match(text, start)):
        total = sum(_cjk_number(*part) for part in _CJK_PART.findall(parts[0]))
        return [_with_unit(text, start, parts.end(), (total,))]
    found = _DIGITS.match(text, start)
    if not found:
        return ()
    digits, end = found[0], found.end()
    if not digits.isdecimal() and _SPACED.search(digits):
        if " " in digits and has_english(text):
            digits = digits.partition(" ")[0]
            end = start + len(digits)
        digits = _SPACED.sub("", digits)
    raw = _amounts(digits, text)
    if not raw:
        return [Value(NUMBER, start, end)]
    if joined := _PART.match(text, end):
        end = joined.end()
        if text.startswith("24/7", start):
            hours, days = UNITS["hours"], UNITS["days"]
            return [Value(NUMBER, start, end, *each) for each in (((24.0,), hours), ((7.0,), days))]
        raw = (raw[0] + _PARTS[joined[1]] if joined[1] else raw[0] / int(joined[2]),)
    return [_with_unit(text, start, end, raw)]


def _cjk_number(digits: str, scales: str) -> float:
    number = float(digits)
    for scale in scales:
        number *= SCALES[scale]
    return number


def _amounts(digits: str, text: str) -> tuple[float, ...]:
    """Return the numbers that digits may stand for; the likelier one first."""
    if digits.isascii() and digits.isdecimal():
        return (float(digits),)
    forms = [number_form(digits)]
    if (grouped := grouped_form(digits)) != forms[0]:
        forms = [*forms, grouped] if has_english(text) else [grouped, *forms]
    try:
        return tuple([float(form) for form in forms])
    except ValueError:
        return ()


def _number_in_words(text: str, start: int) -> Sequence[Value]:
    """Read "two thousand", "twenty-five", "one hundred and five", "treinta y cinco"."""
    total, part, end = 0.0, 0.0, start
    while found := _NEXT_OF_NUMBER.match(text, end):
        word, joint = found[2].lower(), (found["joint"] or "").strip().lower()
        number = _WORDS.get(word, _WITHIN_NUMBERS.get(word) if joint else None)
        if word in SCALES and len(word) > 1 and joint in ("", "-"):
            scale = SCALES[word]
            part = max(part, 1.0) * scale
            if scale > _HUNDRED:
                total, part = total + part, 0.0
        elif part == _FOUR and word.startswith(_TWENTY_IN_FRENCH):
            part *= _WORDS[_TWENTY_IN_FRENCH]
        elif number is not None and _may_follow(number, part, joint):
            # "between one hundred and five hundred"
            if joint and _scale(text, found.end())[0] == _HUNDRED:
                break
            part += number
        else:
            break
        end = found.end()
    return [_with_unit(text, start, end, (total + part,))] if end > start else ()


def _may_follow(number: float, part: float, joint: str) -> bool:
    """Return whether a number continues a part of one: five behind twenty, or behind a hundred."""
    if part % _HUNDRED == 0:
        return True
    has_tens = part % _HUNDRED in _TENS_BEFORE_TEENS  # "soixante-dix"
    return joint != "and" and part % 10 == 0 and number < (20 if has_tens else 10)


def _with_unit(text: str, start: int, end: int, raw: tuple[float, ...]) -> Value:
    """Return a number or a range with what is around it: scale, unit, rate; or as a year."""
    raw, last, end = _range(text, start, end, raw)
    raw, end = with_fraction(raw, text, end)
    is_plain = not last and text[start:end].isdecimal()
    scale, end = _scale(text, end)
    if scale != 1:
        raw, last = tuple([each * scale for each in raw]), tuple([each * scale for each in last])
    if max([*raw, *last]) > _MAX_NUMBER:
        return Value(NUMBER, start, end)
    if sign := _BEFORE.search(text, max(0, start - _MAX_SIGN), start):
        start, behind, units = sign.start(), end, UNITS[(sign[1] or sign[2]).lower()]
    else:
        behind, units = _unit(text, end)
        if units:
            raw, behind = with_fraction(raw, text, behind)
    if not units and is_plain and len(raw) == 1 and raw[0] in _SURE_YEARS and scale == 1:
        return Value(DATE, start, end, raw, dates=((int(raw[0]), None, None),))
    per_s, hedge = _period_s(text, behind), _hedge(text, start)
    if per_s == HOUR_S and units and units[0].dimension == "length":
        units, per_s = (Unit("speed", units[0].factor / _METRES),), 0.0
    return Value(NUMBER, start, behind, raw, units, last=last, per_s=per_s, hedge=hedge)


def _scale(text: str, end: int) -> tuple[float, int]:
    """Return the scale behind a number, "k" or "million", and where it ends."""
    if suffix := _SUFFIX.match(text, end):
        return _SUFFIXES[suffix[0]], suffix.end()
    word = _NEXT_WORD.match(text, end)
    if word and word[1].lower() in SCALES and word[1] not in "kM":
        return SCALES[word[1].lower()], word.end()
    return 1.0, end


def _range(
    text: str, start: int, end: int, raw: tuple[float, ...]
) -> tuple[tuple[float, ...], tuple[float, ...], int]:
    """Return the first and last number of a range, "3-5" or "five to three", and where it ends.

    The smaller number is the first; the last is empty if there is no range.
    """
    found = _RANGE.match(text, end)
    if not found or (found["joined"] and not _BETWEEN.search(text, max(0, start - 9), start)):
        return raw, (), end
    word = found["word"]
    last = (_WORDS[word.lower()],) if word else _amounts(found["digits"], text)
    if not last or last[0] == raw[0] or (raw[0] in _SURE_YEARS and last[0] in _SURE_YEARS):
        return raw, (), end
    if last[0] > raw[0]:
        return raw, last, found.end()
    # "34-23" may be a score.
    return (last, raw, found.end()) if found[0].strip()[0].isalpha() else (raw, (), end)


def _hedge(text: str, start: int) -> str:
    before = text[max(0, start - _MAX_HEDGE) : start]
    if not before.lower().rstrip().endswith(_HEDGE_ENDS):
        return ""
    found = _HEDGE.search(before)
    return str(found.lastgroup) if found else ""


def _period_s(text: str, end: int) -> float:
    """Return the period of a rate behind a number and its unit: "requests per minute"."""
    found = _PERIOD.match(text, end)
    if not found:
        return 0.0
    if adverb := found["adverb"]:
        return PERIODS[adverb.lower()]
    return next(unit.factor for unit in UNITS[found["unit"].lower()] if unit.dimension == "time")


def _unit(text: str, end: int) -> tuple[int, tuple[Unit, ...]]:
    """Return the unit behind a number, and where it ends."""
    found = _UNIT.match(text, end)
    if not found:
        return end, ()
    behind, name = found.end(), found[1]
    if second := _SECOND_WORD.match(text, behind):
        behind, name = second.end(), "%" if second[1].lower() == "cent" else second[1]
    is_attached = found.start(1) == end
    if units := _OCTETS.get(name) or _units_of(name, text[end : end + 1], is_attached=is_attached):
        return behind, units
    if name[0] >= _FIRST_CJK:
        for chars in range(_MAX_CJK_UNIT, 0, -1):
            if units := UNITS.get(name[:chars], ()):
                return found.start(1) + chars, units
    return end, ()


def _units_of(name: str, before: str, *, is_attached: bool) -> tuple[Unit, ...]:
    """Return what a unit may be; a letter is none behind a hyphen, and "p" only at the number."""
    lower = name.lower().replace(" ", "")
    is_letter = len(lower) == 1 and lower.isalpha() and lower.isascii()
    if is_letter and (before == "-" or (lower == "p" and not is_attached)):
        return ()
    return UNITS.get(lower, ())


_BY_START: dict[str, Callable[[str, int], Sequence[Value]]] = {
    "digit": _in_digits,
    "month": month_first,
    "word": _number_in_words,
}
