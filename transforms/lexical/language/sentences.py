"""Split text into sentences: those of facts, and where a long answer may be split."""

# ruff: noqa: RUF001 - the punctuation of several scripts is this module's data
# ruff: noqa: SIM905 - a table of words reads best as text

import re
from collections.abc import Iterator
from itertools import pairwise

from .cache import WordCache
from .phrases import MONTH_NAMES

UNSPACED_SCRIPTS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1100-\u11ff"  # Hangul letters
    "\u1780-\u17ff"  # Khmer
    "\u3001-\u9fff"  # East Asian punctuation, kana, bopomofo, han
    "\uac00-\ud7af"  # Hangul syllables
    "\uf900-\ufaff"  # han, compatibility forms
    "\uff01-\uffdc"  # full-width and half-width forms
    "\U00020000-\U000323af"  # han, extensions
)
"""Characters that are words on their own, for the class of a regular expression."""


COLONS = (":", "：")
QUESTION_MARKS = ("?", "\uff1f", "\u061f")


_OTHER_LINE_BREAKS = "\r\u2028\u2029"
_CODE_FENCE = re.compile(r"\s*(?:```|~~~)")
_OPENING_MARKS = re.compile(
    r"""\s*(?:>\s*)*             # quotation
        (?:\#{1,6}(?=\s|$))?\s*  # heading
        (?: (?: • | (?: [-*+–] | \d{1,2}[.)] | \(\d{1,2}\) | \(?[^\W\d_]\) | [IVX]{1,4}\. )
                (?=\s|$) ) \s* ){0,2}
    """,
    re.VERBOSE,
)

_FIRST_ITEM = re.compile(r"(?<!\S)\(?1[.)](?=\s)")
_ITEM = re.compile(r"(?<!\S)\(?(\d{1,2})[.)](?=\s+\S)")
_MIN_ITEMS = 2
_CLOSING = r"""(?:["'”’»›)\]}*_」』）】]|\[\d{1,3}\])*+"""
# Possessive, and only at the first of several marks, so that the time is linear in the length of
# any text. A set of characters at the front makes the search fast.
# Without a space behind it: "14 days.Cash is"; not in "Node.js" and "e.g.The".
_END = re.compile(
    rf"""[.!?؟۔।。！？｡](?:
      (?<=[。！？｡])[。！？｡]*+{_CLOSING}
    | (?<=[.!?؟۔।])(?<![.!?؟۔।]{{2}})[.!?؟۔।]*+{_CLOSING}(?=\s|$)
    | (?<=[a-zß-ÿ]{{2}}[a-zß-ÿ)"”][.!?])(?=[A-ZÀ-Þ][a-zß-ÿ'’]{{0,30}}+[\s,])
    )""",
    re.VERBOSE,
)

_ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof rev hon sr jr st gen col sgt capt lt gov sen rep pres
    jan feb mar apr jun jul aug sep sept oct nov dec
    e.g i.e etc vs cf al approx ca est viz
    fig figs no nos ref refs vol pp ed eds eq sec ch
    u.s u.k u.n a.m p.m ph.d inc ltd co corp dept
    bzw usw ggf evtl inkl zzgl nr tel sra dra mme mlle sig dott
    """.split()
)
_NUMERO = frozenset({"no", " no"})
"""An abbreviation only in front of a digit."""

_TAIL_CHARS = max(map(len, _ABBREVIATIONS)) + 1
# A German ordinal in front of a month, or behind one of these words: "aus dem 20. Jahrhundert".
_DAY = re.compile(r"(?<!\d)\d\d?$")
_MONTH = re.compile(rf"(?:{'|'.join(MONTH_NAMES['de'])})\b")
_ORDINAL = re.compile(r"\b(?:der|dem|den|im|vom|zum|zur|beim) \d\d?$")
_WITH_UNIT = re.compile(r"\d [a-z]$")  # "9 h"
_WORD_BREAK = re.compile(r"[\s(\[\"'“‘/]")


# Between a line that ends as no sentence does, and one that begins no item of a list. A character
# at the front makes the search fast.
_LINE_BREAK = re.compile(
    r'\n(?:(?<=[\w,)%€]\n)|(?<=[\w,)%€]\r\n))[ \t>]*(?!\d{1,2}[.)]\s)(?=[\w("“$€£])(\S+)'
)
_MIN_WRAPPED = 25
"""Characters of a line that is wrapped; shorter ones may be the items of a list."""

# Not the end of a character reference. Behind another mark or an emoji the statement begins with a
# capital.
_SEPARATOR = re.compile(
    r";(?<!&amp;)(?=\s)|[|•–—…\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?(?=\s+[A-ZÀ-Þ¿¡])"
)
_FEWEST_WORDS = 4
"""Of a statement beside a separator."""


def locate_sentences(text: str) -> list[tuple[int, str]]:
    """Split a text, plain or Markdown, into sentences with their offsets in characters.

    A sentence ends at the end of its line; a row of a table is one sentence. White space, list,
    heading and quotation marks around a sentence and pieces without a letter or digit are dropped.
    """
    pieces: list[tuple[int, str]] = []
    text = without_wraps(text)
    for start, end in lines_in(text):
        pieces += sentences_of_line(text, start, end)
    return pieces


def without_wraps(text: str) -> str:
    """Return a text with spaces for the line breaks within its sentences; its length stays.

    A sentence goes on in lower case behind a line break. In a text where one does, it also goes on
    where the next word had no place in the line.
    """
    if "\n" not in text or "```" in text:
        return text
    breaks: list[tuple[int, int, re.Match[str]]] = []
    for mark in _LINE_BREAK.finditer(text):
        end = mark.start() - text.startswith("\r", mark.start() - 1)
        line = text[text.rfind("\n", 0, end) + 1 : end]
        if len(line) >= _MIN_WRAPPED and "|" not in line + mark[1] and line[0] != "#":
            breaks.append((len(line), end, mark))
    if not any(mark[1][0].islower() for *_, mark in breaks):
        return text
    width = max(length for length, *_ in breaks)
    parts, place = [], 0
    for length, end, mark in breaks:
        if mark[1][0].islower() or length + len(mark[1]) >= width:
            parts += [text[place:end], " " * (mark.start(1) - end)]
            place = mark.start(1)
    return "".join([*parts, text[place:]])


def lines_in(text: str) -> list[tuple[int, int]]:
    """Return where the lines that are not empty begin and end."""
    for line_break in _OTHER_LINE_BREAKS:
        text = text.replace(line_break, "\n")
    spans, start = [], 0
    # A third of the time of a regular expression.
    while (end := text.find("\n", start)) >= 0:
        if end > start:
            spans.append((start, end))
        start = end + 1
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def sentences_of_line(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """Return the sentences of one line.

    >>> sentences_of_line("Lamps (e.g. red ones) cost $3.50. They glow.", 0, 44)
    [(0, 'Lamps (e.g. red ones) cost $3.50.'), (34, 'They glow.')]
    """
    # Of all marks only "a)" and "II." begin with a letter.
    if not text[start].isalpha() or text[start] in "IVX" or text.startswith(")", start + 1, end):
        if _CODE_FENCE.match(text, start, end):
            return []
        marks = _OPENING_MARKS.match(text, start, end)
        start = marks.end() if marks else start
        if text.startswith("|", start, end):
            return trimmed(text, [start, end], " \t|")
    items = _items(text, start, end)
    if not items:
        return _line_sentences(text, start, end)
    return [piece for item in items for piece in _line_sentences(text, *item)]


def _items(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Split a line at the numerals of a list in it: "To reset: 1. Open the app. 2. Tap Reset."."""
    # Two searches for a text take a tenth of the time of the expression.
    has_one = text.find("1.", start, end) >= 0 or text.find("1)", start, end) >= 0
    if not has_one or not _FIRST_ITEM.search(text, start, end):
        return []
    marks: list[re.Match[str]] = []
    for mark in _ITEM.finditer(text, start, end):
        if int(mark[1]) == len(marks) + 1:
            marks.append(mark)
    if len(marks) < _MIN_ITEMS:
        return []
    starts = [start, *(mark.end() for mark in marks)]
    return list(zip(starts, [*(mark.start() for mark in marks), end], strict=True))


def _line_sentences(text: str, start: int, end: int) -> list[tuple[int, str]]:
    cuts = [start]
    is_lower = text[start:end].islower()
    for mark in _END.finditer(text, start, end):
        stop, behind = mark.span()
        if text[stop] != "." or not _stays_inside(text, stop, behind, end, is_lower=is_lower):
            cuts.append(behind)
    cuts.append(end)
    if _SEPARATOR.search(text, start, end):
        cuts = sorted({*cuts, *_between_statements(text, cuts)})
    return trimmed(text, cuts)


def _between_statements(text: str, cuts: list[int]) -> Iterator[int]:
    """Yield the separators in a sentence if they stand between statements of several words."""
    for start, end in pairwise(cuts):
        found = [mark.end() for mark in _SEPARATOR.finditer(text, start, end)]
        parts = pairwise([start, *found, end])
        if found and all(len(text[first:last].split()) >= _FEWEST_WORDS for first, last in parts):
            yield from found


def trimmed(text: str, cuts: list[int], marks: str | None = None) -> list[tuple[int, str]]:
    """Return the pieces with a letter or digit, stripped of marks (by default white space)."""
    pieces = []
    for start, end in pairwise(cuts):
        rest = text[start:end].lstrip(marks)
        piece = rest.rstrip(marks)
        if piece[:1].isalnum() or any(map(str.isalnum, piece)):
            pieces.append((end - len(rest), piece))
    return pieces


def _stays_inside(text: str, stop: int, behind: int, end: int, *, is_lower: bool) -> bool:
    """Return whether the full stops at text[stop:behind] do not end a sentence.

    A sentence begins in lower case only where all of the line is.
    """
    following = behind
    while following < end and text[following].isspace():
        following += 1
    is_one = behind == stop + 1
    if text[following : following + 1].islower() and not (is_lower and is_one):
        return True
    if not is_one:
        return False
    tail = text[max(0, stop - _TAIL_CHARS) : stop]
    # Most sentences end with a word that is longer than all abbreviations.
    if len(tail) == _TAIL_CHARS and tail.isalpha():
        return False
    is_abbreviation, is_number = _end_of[tail]
    if tail[-3:].lower() in _NUMERO and not text[following : following + 1].isdigit():
        return False
    return is_abbreviation or (is_number and _MONTH.match(text, following) is not None)


def _read_end(tail: str) -> tuple[bool, bool]:
    """Return whether a tail ends with an abbreviation, and whether with a number, maybe a day."""
    if tail[-1:].isdigit():
        return _ORDINAL.search(tail) is not None, _DAY.search(tail) is not None
    word = _WORD_BREAK.split(tail)[-1]
    is_initial = len(word) == 1 and word.isalpha() and not _WITH_UNIT.search(tail)
    return is_initial or word.lower() in _ABBREVIATIONS, False


_end_of = WordCache(_read_end)
