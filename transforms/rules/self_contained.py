"""Tables and records rewritten so that each line says what it is about."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby

_FIELD = re.compile(r"([^\W\d][^:|]{0,39}): (\S.*)")
"""A line such as "max_power: 2,300 W", as structured data is written."""

_RULE = re.compile(r"[\s|:+-]+")
_FEWEST_FIELDS = 3
"""Fewer lines with a colon are a heading and its text."""

_LINE, _ROW, _FIELD_LINE = range(3)
_MOST_GROWTH = 4
"""The text grows to five times its length at most, however long a header is."""


def self_contained(text: str) -> str:
    """Repeat the header of a table in each row, and the name of a record in each field.

    A claim about one row uses the words of the header, which may stand a page above it; one about
    a field of a record names the record by its first field, such as its name.

    Args:
      text: any text; tables as Markdown writes them, records as lines of "key: value".

    Returns:
      The text; the same where it holds neither. Once it is five times as long as it was, the
      remaining lines stay as they are.
    """
    if "\n" not in text or ("|" not in text and ": " not in text):
        return text
    lines = text.split("\n")
    rewritten = chain.from_iterable(
        _rewritten(kind, list(block)) for kind, block in groupby(lines, key=_kind)
    )
    return "\n".join(_within(rewritten, len(text) * _MOST_GROWTH))


def _within(lines: Iterator[tuple[str, str]], most_added: int) -> Iterator[str]:
    """Return the rewritten lines until they add too many characters, then the original ones."""
    added = 0
    for line, rewritten in lines:
        added += max(0, len(rewritten) - len(line))
        yield rewritten if added <= most_added else line


def _kind(line: str) -> int:
    if "|" in line and _is_row(line.lstrip()):
        return _ROW
    return _FIELD_LINE if ": " in line and _FIELD.fullmatch(line) else _LINE


def _is_row(line: str) -> bool:
    return line[0] == "|" and line.count("|") > 1


def _rewritten(kind: int, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pair each line with its replacement; leave out the rule under a header."""
    if kind == _ROW and len(lines) > 1 and _RULE.fullmatch(lines[1]):
        header = _cells(lines[0])
        yield lines[0], lines[0]
        yield from ((line, _row(header, line)) for line in lines[2:])
    elif kind == _FIELD_LINE and len(lines) >= _FEWEST_FIELDS:
        subject = lines[0].partition(": ")[2]
        yield lines[0], lines[0]
        yield from ((line, f"{subject}; {line}") for line in lines[1:])
    else:
        yield from zip(lines, lines, strict=True)


def _row(header: Sequence[str], line: str) -> str:
    cells = zip(header, _cells(line), strict=False)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
