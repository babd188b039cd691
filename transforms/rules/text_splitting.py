"""Count the tokens of a text, and split a longer one without losing a character."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from groundwatch.transforms.lexical.language.sentences import UNSPACED_SCRIPTS, locate_sentences

Measure = Callable[[str], int]  # the size of a text is at most the sum of its parts' sizes
_UNSPACED = re.compile(f"[{UNSPACED_SCRIPTS}]")
_WORDS_AND_SPACES = re.compile(r"\s+|\S+")
# Armenian, Arabic, Devanagari (single and double), Ethiopic
_OTHER_FULL_STOPS = re.compile("[\u0589\u06d4\u0964\u0965\u1362]")


def count_tokens(text: str) -> int:
    """Count the service's tokens: words, and every full stop, also within words.

    The service calls a token "a word or a period", and does not define the tokens of "3.14". This
    count has a margin, so that a request is within the limit in any case. In scripts without spaces
    between words every character counts.
    """
    characters = 0
    if not text.isascii():
        text, characters = _UNSPACED.subn(" ", _OTHER_FULL_STOPS.sub(".", text))
    return characters + text.count(".") + len(text.replace(".", "").split())


def split_text(text: str, limit: int, measure: Measure) -> list[str]:
    """Split a text into pieces within a limit, at sentence ends, or else at white space.

    >>> split_text("Lamps glow. They are red.", 3, count_tokens)
    ['Lamps glow. ', 'They are ', 'red.']
    """
    if measure(text) <= limit:
        return [text]
    slices = re.compile(f"(?s:.){{1,{limit}}}").findall
    return list(_pieces(text, limit, measure, (_sentences, _WORDS_AND_SPACES.findall, slices)))


def _pieces(
    text: str, limit: int, measure: Measure, splits: tuple[Callable[[str], list[str]], ...]
) -> Iterator[str]:
    """Split a text, split the parts that are too large more finely, and join adjacent parts."""
    split, *finer = splits
    piece: list[str] = []
    size = 0
    for part in split(text):
        part_size = measure(part)
        too_large = part_size > limit
        for unit in _pieces(part, limit, measure, tuple(finer)) if too_large else (part,):
            unit_size = measure(unit) if too_large else part_size
            if piece and size + unit_size > limit:
                yield "".join(piece)
                piece, size = [], 0
            piece.append(unit)
            size += unit_size
    yield "".join(piece)


def _sentences(text: str) -> list[str]:
    """Split before each sentence, and before the marks at the start of its line."""
    sentences = list(locate_sentences(text))
    starts = [
        text.rfind("\n", start + len(sentence), following) + 1 or following
        for (start, sentence), (following, _) in pairwise(sentences)
    ]
    return [text[a:b] for a, b in pairwise([0, *starts, len(text)])]
