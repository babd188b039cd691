"""Split a text that is too long for one call, without losing a character."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from transforms.rules.sentences import locate_sentences

Measure = Callable[[str], int]
"""Returns the size of a text in the unit of the limit, at most the sum of its parts' sizes."""

_Split = Callable[[str], list[str]]


def split_text(text: str, limit: int, measure: Measure) -> list[str]:
    """Split a text into pieces within a limit: at sentence ends, else white space, else anywhere.

    Args:
      text: any text.
      limit: the maximum size of a piece, at least 1.
      measure: the unit of the limit; a single character has at most size 1.

    Returns:
      The pieces in order; joined they are the text.
    """
    return _split(text, limit, measure, (_sentences, _words, partial(_slices, length=limit)))


def _split(text: str, limit: int, measure: Measure, splits: tuple[_Split, ...]) -> list[str]:
    if measure(text) <= limit:
        return [text]
    return list(_join(_units(text, limit, measure, splits), limit))


def _units(
    text: str, limit: int, measure: Measure, splits: tuple[_Split, ...]
) -> Iterator[tuple[str, int]]:
    """Split a text into units within the limit, each with its size."""
    split, *finer = splits
    for coarse in split(text):
        size = measure(coarse)
        if size <= limit:
            yield coarse, size
        else:
            for unit in _split(coarse, limit, measure, tuple(finer)):
                yield unit, measure(unit)


def _join(units: Iterator[tuple[str, int]], limit: int) -> Iterator[str]:
    """Join adjacent units as long as they are within the limit."""
    piece: list[str] = []
    size = 0
    for unit, unit_size in units:
        if piece and size + unit_size > limit:
            yield "".join(piece)
            piece, size = [], 0
        piece.append(unit)
        size += unit_size
    yield "".join(piece)


def _sentences(text: str) -> list[str]:
    """Split before each sentence, and before the marks at the start of its line.

    Without its mark, a row of a table or an item of a list would be another sentence.
    """
    sentences = list(locate_sentences(text))
    starts = [
        text.rfind("\n", start + len(sentence), following) + 1 or following
        for (start, sentence), (following, _) in pairwise(sentences)
    ]
    return [text[a:b] for a, b in pairwise([0, *starts, len(text)])]


def _words(text: str) -> list[str]:
    return re.findall(r"\s+|\S+", text)


def _slices(text: str, length: int) -> list[str]:
    return [text[start : start + length] for start in range(0, len(text), length)]
