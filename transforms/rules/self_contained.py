"""Tables and records whose lines say by themselves what they are about."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby

_ROW = re.compile(r"\s*\|(.*\|.*?)\|?\s*")
_RULE = re.compile(r"[\s|:+-]+")
_MEMBER = re.compile(r"([^\W\d][^:|]{0,39}): (\S.*)")
"""A line such as "max_power: 2,300 W", as structured data is written."""

_FEWEST_MEMBERS = 3
"""Fewer lines with a colon are no record, but a heading and its text."""


def self_contained(text: str) -> str:
    """Repeat in each row of a table its header, and in each line of a record what it is of.

    A claim about one row uses the words of the header, which may stand a page above it; one about
    a member of a record names the record by its first member, such as its name.

    Args:
      text: any text; tables as Markdown writes them, records as lines of "key: value".

    Returns:
      The text; the same where it holds neither.
    """
    if "\n" not in text:
        return text
    blocks = groupby(text.split("\n"), key=_kind)
    return "\n".join(chain.from_iterable(_told(kind, list(lines)) for kind, lines in blocks))


def _kind(line: str) -> re.Pattern[str] | None:
    return next((kind for kind in (_ROW, _MEMBER) if kind.fullmatch(line)), None)


def _told(kind: re.Pattern[str] | None, lines: Sequence[str]) -> Iterator[str]:
    if kind is _ROW and len(lines) > 1 and _RULE.fullmatch(lines[1]):
        yield lines[0]
        yield from _rows(_cells(lines[0]), lines[2:])
    elif kind is _MEMBER and len(lines) >= _FEWEST_MEMBERS:
        yield lines[0]
        yield from _members(lines)
    else:
        yield from lines


def _rows(header: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        cells = zip(header, _cells(line), strict=False)
        yield "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _members(lines: Sequence[str]) -> Iterator[str]:
    subject = lines[0].partition(": ")[2]
    for line in lines[1:]:
        yield f"{subject}; {line}"
