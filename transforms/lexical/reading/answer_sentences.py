"""Split an answer into its sentences: the claims of a check."""

# ruff: noqa: RUF001 - the signs of several scripts are this module's data

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from math import inf
from typing import NamedTuple

from groundwatch.schemas import Record
from groundwatch.transforms.lexical.language.sentences import (
    COLONS,
    lines_in,
    sentences_of_line,
    trimmed,
    without_wraps,
)
from .citation_marks import NO_SOURCES, Sources
from .markup import Markup
from .plain_text import read_plain


class Role(Enum):
    """What a line is in an answer."""

    TEXT = auto()
    HEADING = auto()
    """Marked by ``#``, or all in bold."""
    TABLE_HEADING = auto()
    """The row above the rule of a table."""
    SOURCE = auto()
    """In a list of sources, a footnote, or behind the mark of a source."""
    CODE = auto()
    """In a fence of code."""


class Sentence(Record, frozen=True, kw_only=True):
    """A sentence, a line of a list or a row of a table, and its bytes in the answer.

    The text is without markup and marks. A row below a heading row is also `named`: each cell
    behind its heading.
    """

    text: str
    start_byte: int
    end_byte: int
    role: Role = Role.TEXT
    named: str | None = None


class _Line(NamedTuple):
    start: int
    end: int
    role: Role
    headings: Sequence[str] = ()


_RULE = re.compile(r"(?=.*[|])[ \t|:+-]*-[ \t|:+-]*")
_SOURCES_LABEL = re.compile(
    r"""[\s\#>*-]{0,9}(?:(?:cited|used|further|main|key)\s)?
    (?:sources?|references?|citations?|bibliography|further\sreading|footnotes?|learn\smore|see\salso
      |quellen?|quellenangaben?|belege|literatur|r[ée]f[ée]rences|bibliographie|fuentes?|referencias
      |bibliograf[ií]a|fonti|riferimenti|fontes?|refer[êe]ncias|bron(?:nen)?
      |出典|参考(?:文献|資料|资料)?|參考(?:資料)?|来源|來源|资料来源)
    (?:\s(?:used|cited|consulted|and\slinks))?
    \s?(?:[:：]|\Z)""",
    re.IGNORECASE | re.VERBOSE,
)
_PREFIX_CHARS = 2
_PREFIXES_OF_LABELS = frozenset(
    {
        *("ci", "us", "fu", "ma", "ke", "so", "re", "bi", "fo", "le", "se", "qu", "be", "li", "ré"),
        *("ri", "br", "出典", "参考", "參考", "来源", "來源", "资料"),
    }
)
"""With what a label of sources begins, in lower case; a fast test."""

_ROW_NUMBER = re.compile(r"[ \t]*[|]?[ \t]*\d{1,2}[.)]?[ \t]*[|]")
_MAX_SIGNS = 4
"""Characters of an emoji and a space before the first button of a line."""
_COLUMNS_OF_LIST = 2
_NAMES_OF_NUMBERS = frozenset({"", "#", "\u2116", "no", "nr", "n"})
"""Headings of a column that numbers rows, as does one beside a single column of sentences."""

_CHECKED = frozenset({*"✓✔✅☑", "✔️", "☑️", "yes"})
_CROSSED = frozenset({*"✗✘❌✖×", "✖️"})


def split_sentences(answer: str, sources: Sources = NO_SOURCES) -> list[Sentence]:
    """Split an answer, in any form, into sentences, in order and without overlap.

    A sentence ends at the end of its line; a row of a table is one sentence. White space, list,
    heading and quotation marks around a sentence and pieces without a letter or digit are dropped.
    """
    plain = read_plain(answer, sources)
    sentences = []
    behind = byte = 0
    is_ascii = answer.isascii()
    for start, text, role, named in _located(plain.markup):
        first, last = plain.source_span(start, start + len(text))
        first = max(first, behind)
        start_byte = first if is_ascii else byte + len(answer[behind:first].encode())
        byte = last if is_ascii else start_byte + len(answer[first:last].encode())
        behind = last
        sentences.append(
            Sentence(text=text, start_byte=start_byte, end_byte=byte, role=role, named=named)
        )
    return sentences


def _located(markup: Markup) -> Iterator[tuple[int, str, Role, str | None]]:
    """Yield the sentences of a text, each with its place in characters."""
    text = without_wraps(markup.text)
    for line in _lines(markup, text):
        if line.headings or line.role is Role.TABLE_HEADING:
            headings, begin = line.headings, line.start
            if end := _row_number_end(text, line):
                headings, begin = headings[1:], end
            for start, row in trimmed(text, [begin, line.end], " \t|"):
                yield start, row, line.role, _named(headings, row)
            continue
        for start, piece in sentences_of_line(text, line.start, line.end):
            role = _role_of(markup, start, piece) if line.role is Role.TEXT else line.role
            yield start, piece, role, None


def _row_number_end(text: str, line: _Line) -> int | None:
    """Return the end of the cell that only numbers a row; None if a row has no such cell."""
    number = _ROW_NUMBER.match(text, line.start, line.end)
    if not number or len(line.headings) < _COLUMNS_OF_LIST:
        return None
    rest = text[number.end() : line.end].rstrip(" |")
    is_list = len(line.headings) == _COLUMNS_OF_LIST and rest.endswith((".", "!"))
    is_named = line.headings[0].strip(".:\u00b0\u00ba").lower() in _NAMES_OF_NUMBERS
    return number.end() if is_list or is_named else None


def _lines(markup: Markup, text: str) -> Iterator[_Line]:
    """Yield the lines of a text with what they are."""
    lines = lines_in(text)
    has_table = "|" in text
    are_sources = False
    headings: Sequence[str] = ()
    for number, (start, end) in enumerate(lines):
        line = text[start:end]
        has_cells = has_table and "|" in line
        if has_cells and _RULE.fullmatch(line):
            continue
        is_last = number + 1 == len(lines)
        if has_cells and not is_last and _RULE.fullmatch(text, *lines[number + 1]):
            headings = _cells_of(line)
            yield _Line(start, end, Role.TABLE_HEADING)
            continue
        if headings and not has_cells:
            headings = () if line.strip() else headings
        if markup.code and _is_code(markup, start):
            yield _Line(start, end, Role.CODE)
            continue
        if label := _label(line):
            are_sources = not line[label.end() :].strip()
            yield _Line(start, end, Role.SOURCE)
            continue
        are_sources = are_sources and not line.startswith("#")
        yield _Line(start, end, Role.SOURCE if are_sources else Role.TEXT, headings)


def _label(line: str) -> re.Match[str] | None:
    """Return the label of sources that a line begins with."""
    first = line.lstrip(" \t#>*-")[:_PREFIX_CHARS].lower()
    return _SOURCES_LABEL.match(line) if first in _PREFIXES_OF_LABELS else None


def _is_code(markup: Markup, place: int) -> bool:
    number = bisect_right(markup.code, (place, inf)) - 1
    return number >= 0 and place < markup.code[number][1]


def _named(headings: Sequence[str], row: str) -> str | None:
    """Return a row with the heading before each cell; a check mark affirms the heading itself.

    >>> _named(["lamp", "price", "dimmable"], "| red | 3 € | ✓ |")
    'lamp: red; price: 3 €; dimmable'
    """
    if len(headings) < _COLUMNS_OF_LIST:
        return None
    named = []
    for heading, cell in zip(headings, _cells_of(row), strict=False):
        if heading and cell.lower() in _CHECKED:
            named.append(heading)
        elif cell:
            shown = "no" if heading and cell in _CROSSED else cell
            named.append(f"{heading}: {shown}" if heading else shown)
    return "; ".join(named)


def _cells_of(row: str) -> list[str]:
    """Return the cells of a row, with or without outer bars."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _role_of(markup: Markup, start: int, piece: str) -> Role:
    """Return what a piece of a line of text is."""
    text = markup.text
    if not markup.notes.isdisjoint(range(start, start + _MAX_SIGNS)):
        return Role.SOURCE
    end = start + len(piece)
    if text[max(0, start - 2) : start] == "# " or piece.startswith("#"):
        return Role.HEADING
    return Role.HEADING if markup.bold and _is_bold(markup, start, end) else Role.TEXT


def _is_bold(markup: Markup, start: int, end: int) -> bool:
    """Return whether a piece is all in bold, and one of several lines."""
    text, bold = markup.text, markup.bold
    first, behind = bisect_left(bold, start), bisect_right(bold, start)
    if first == behind or "\n" not in text:
        return False
    last = end - 1 if text[start:end].endswith(COLONS) else end
    closing = bisect_left(bold, end - 1)
    return closing == behind and closing < len(bold) and last <= bold[closing] <= end
