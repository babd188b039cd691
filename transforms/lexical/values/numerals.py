"""Read numerals: the numbers that words, Chinese characters and digits stand for."""

import re
from bisect import bisect
from collections.abc import Sequence
from math import inf

from groundwatch.transforms.lexical.language.number_forms import grouped_form, number_form
from groundwatch.transforms.lexical.language.phrases import NUMBER_WORDS, has_english
from .units import SCALES
from .value import Value

NUMBERS = {word: float(digits) for word, digits in NUMBER_WORDS.items()}
BEFORE_TIME = {"dos": 2.0, "due": 2.0, "sept": 7.0, "elf": 11.0, "quince": 15.0}
"""These are a number only in front of a unit of time; otherwise they are other words."""

WITHIN_NUMBERS = BEFORE_TIME | dict.fromkeys(("one", "un", "une", "una", "uno", "um", "uma"), 1.0)
"""Of a number these are a part behind a hyphen or an "and": "twenty-one", "dix-sept"."""

_HUNDRED, _FOUR, _TWENTY_IN_FRENCH = 100, 4, "vingt"
_TENS_BEFORE_TEENS = (60, 80)
_NEXT_OF_NUMBER = re.compile(r"(?P<joint>\s(?:and|et|y|e)\s|[\s-])?([^\W\d_]+)", re.IGNORECASE)
_SUFFIX = re.compile(r"k(?![\w/])|K(?![\w/])|M(?![\w/])|bn(?!\w)|B(?![\w/])")
_SUFFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "bn": 1e9, "B": 1e9}
_NEXT_WORD = re.compile(r"[\s-]?([^\W\d_]+)\.?")
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


def number_in_words(text: str, start: int) -> tuple[float, int]:
    """Return a number such as "twenty-five" or "one hundred and five", and where it ends."""
    total, part, end = 0.0, 0.0, start
    while found := _NEXT_OF_NUMBER.match(text, end):
        word, joint = found[2].lower(), (found["joint"] or "").strip().lower()
        number = NUMBERS.get(word, WITHIN_NUMBERS.get(word) if joint else None)
        if word in SCALES and len(word) > 1 and joint in ("", "-"):
            scale = SCALES[word]
            part = max(part, 1.0) * scale
            if scale > _HUNDRED:
                total, part = total + part, 0.0
        elif part == _FOUR and word.startswith(_TWENTY_IN_FRENCH):
            part *= NUMBERS[_TWENTY_IN_FRENCH]
        elif number is not None and _may_follow(number, part, joint):
            # "between one hundred and five hundred"
            if joint and scale_behind(text, found.end())[0] == _HUNDRED:
                break
            part += number
        else:
            break
        end = found.end()
    return total + part, end


def _may_follow(number: float, part: float, joint: str) -> bool:
    """Return whether a number continues a part of one: five behind twenty, or behind a hundred."""
    if part % _HUNDRED == 0:
        return True
    has_tens = part % _HUNDRED in _TENS_BEFORE_TEENS  # "soixante-dix"
    return joint != "and" and part % 10 == 0 and number < (20 if has_tens else 10)


def scale_behind(text: str, end: int) -> tuple[float, int]:
    """Return the scale behind a number, "k" or "million", and where it ends."""
    if suffix := _SUFFIX.match(text, end):
        return _SUFFIXES[suffix[0]], suffix.end()
    word = _NEXT_WORD.match(text, end)
    if word and word[1].lower() in SCALES and word[1] not in "kM":
        return SCALES[word[1].lower()], word.end()
    return 1.0, end


def amounts_of(digits: str, text: str) -> tuple[float, ...]:
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


def with_digits(text: str) -> tuple[str, list[tuple[int, int]]]:
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


def at_numerals(value: Value, longer: Sequence[tuple[int, int]]) -> Value:
    """Move a value to its place in the text that has numerals for its digits."""
    start, end = (
        place - longer[bisect(longer, (place, inf)) - 1][1] for place in (value.start, value.end)
    )
    return value._replace(start=start, end=end)
