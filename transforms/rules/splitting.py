"""Cutting a text that is too long for one call, without losing a character of it."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from transforms.rules.sentences import locate_sentences

Measure = Callable[[str], int]
"""How long a text is, in the unit of the limit; of a whole never more than of its parts."""


def split_text(text: str, limit: int, measure: Measure) -> list[str]:
    """Cut a text into pieces within a limit: at sentence ends, else white space, else anywhere.

    Args:
      text: any text.
      limit: what a piece may measure, at least 1.
      measure: the unit of the limit; of a single character never more than 1.

    Returns:
      The pieces in order; joined they are the text.
    """
    return _split(text, limit, measure, (_sentences, _words, partial(_slices, length=limit)))


def _split(
    text: str, limit: int, measure: Measure, cuts: tuple[Callable[[str], list[str]], ...]
) -> list[str]:
    if measure(text) <= limit:
        return [text]
    return list(_joined(_units(text, limit, measure, cuts), limit))


def _units(
    text: str, limit: int, measure: Measure, cuts: tuple[Callable[[str], list[str]], ...]
) -> Iterator[tuple[str, int]]:
    """Cut a text into units within the limit; yields each with what it measures."""
    cut, *finer_cuts = cuts
    for coarse in cut(text):
        size = measure(coarse)
        if size <= limit:
            yield coarse, size
        else:
            for unit in _split(coarse, limit, measure, tuple(finer_cuts)):
                yield unit, measure(unit)


def _joined(units: Iterator[tuple[str, int]], limit: int) -> Iterator[str]:
    """Join neighbours as long as they fit together."""
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
    """Cut before each sentence, and before the marks that begin its line.

    A row of a table or an item of a list that lost its mark would be another sentence.
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
    """Cut anywhere; as many characters as the limit are always within it."""
    return [text[start : start + length] for start in range(0, len(text), length)]
