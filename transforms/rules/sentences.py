"""Cutting an answer into sentences: the claims of a check, and where a long answer may be cut."""

# ruff: noqa: RUF001 - the punctuation of several scripts is this module's data
# ruff: noqa: SIM905 - a table of words reads best as text

import re
from collections.abc import Iterator
from itertools import pairwise

from schemas.record import Record
from transforms.rules.memory import Memory


class Sentence(Record, frozen=True, kw_only=True):
    """A sentence, a line of a list or a row of a table.

    Attributes:
      text: the sentence without the marks and white space around it.
      start_byte, end_byte: UTF-8 offsets into the whole text, end exclusive; they cut `text`.
    """

    text: str
    start_byte: int
    end_byte: int


_LINE = re.compile(r"[^\n\r\u2028\u2029]+")

_CODE_FENCE = re.compile(r"\s*(?:```|~~~)")

_OPENING_MARKS = re.compile(
    r"""\s*(?:>\s*)*             # quotation
        (?:\#{1,6}(?=\s|$))?\s*  # heading
        (?: (?: • | (?: [-*+–] | \d{1,2}[.)] | \(\d{1,2}\) | \(?[^\W\d_]\) ) (?=\s|$) ) \s* ){0,2}
    """,
    re.VERBOSE,
)

_CLOSING = r"""(?:["'”’»›)\]}*_」』）】]|\[\d{1,3}\])*+"""
# Possessive, and only at the first of a run of marks: linear in the length of any text. A set of
# characters at the front lets the search skip all others.
_END = re.compile(
    rf"""[.!?؟۔।。！？｡](?:
      (?<=[。！？｡])[。！？｡]*+{_CLOSING}
    | (?<=[.!?؟۔।])(?<![.!?؟۔।]{{2}})[.!?؟۔।]*+{_CLOSING}(?=\s|$)
    )""",
    re.VERBOSE,
)

_ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof rev hon sr jr st gen col sgt capt lt gov sen rep pres
    jan feb mar apr jun jul aug sep sept oct nov dec
    e.g i.e etc vs cf al approx ca est viz
    fig figs no nos vol pp ed eds eq sec ch
    u.s u.k u.n a.m p.m ph.d inc ltd co corp dept
    """.split()
)
_TAIL_CHARS = max(map(len, _ABBREVIATIONS)) + 1
_WORD_BREAK = re.compile(r"[\s(\[\"'“‘/]")
_SPACE = re.compile(r"\s*")

_Piece = tuple[int, str]
"""Where a sentence starts, in characters, and the sentence."""


def split_sentences(text: str) -> list[Sentence]:
    """Cut a text into its sentences, in order and without overlap.

    A sentence never crosses a line. White space, list, heading and quotation marks around it and
    pieces without a letter or digit are left out; a row of a table is one piece.

    Args:
      text: any text without lone surrogates, plain or Markdown.

    Returns:
      The sentences; none for a text without letters and digits.
    """
    pieces = [piece for line in _LINE.finditer(text) for piece in _line_pieces(text, *line.span())]
    if text.isascii():
        return [
            Sentence(text=piece, start_byte=start, end_byte=start + len(piece))
            for start, piece in pieces
        ]
    return list(_measure_in_bytes(text, pieces))


def _measure_in_bytes(text: str, pieces: list[_Piece]) -> Iterator[Sentence]:
    seen = byte = 0
    for start, piece in pieces:
        start_byte = byte + len(text[seen:start].encode())
        seen, byte = start + len(piece), start_byte + len(piece.encode())
        yield Sentence(text=piece, start_byte=start_byte, end_byte=byte)


def _line_pieces(text: str, start: int, end: int) -> list[_Piece]:
    """Return the sentences of one line."""
    if _CODE_FENCE.match(text, start, end):
        return []
    marks = _OPENING_MARKS.match(text, start, end)
    start = marks.end() if marks else start
    if text.startswith("|", start, end):
        return _trimmed(text, [start, end], " \t|")
    ends = [
        mark.end() for mark in _END.finditer(text, start, end) if not _stays_inside(text, mark, end)
    ]
    return _trimmed(text, [start, *ends, end])


def _trimmed(text: str, cuts: list[int], marks: str | None = None) -> list[_Piece]:
    """Return what stands between the cuts and says anything, without the marks around it.

    The marks are white space unless given.
    """
    pieces = []
    for start, end in pairwise(cuts):
        rest = text[start:end].lstrip(marks)
        piece = rest.rstrip(marks)
        if piece[:1].isalnum() or any(map(str.isalnum, piece)):
            pieces.append((end - len(rest), piece))
    return pieces


def _stays_inside(text: str, mark: re.Match[str], end: int) -> bool:
    """Tell whether a full stop belongs to an abbreviation or a number instead of ending."""
    if not mark[0].startswith("."):
        return False
    following = _SPACE.match(text, mark.end(), end)
    if following and text[following.end() : following.end() + 1].islower():
        return True
    start = mark.start()
    return mark[0] == "." and _ends_with_abbreviation(text[max(0, start - _TAIL_CHARS) : start])


def _last_is_abbreviation(tail: str) -> bool:
    """Tell whether a text ends with an abbreviation; its last `_TAIL_CHARS` characters tell it."""
    word = _WORD_BREAK.split(tail)[-1]
    return (len(word) == 1 and word.isalpha()) or word.lower() in _ABBREVIATIONS


_ends_with_abbreviation = Memory(_last_is_abbreviation).__getitem__
