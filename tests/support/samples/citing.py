"""Where the sentences of an answer stand, in bytes, and which passage each is taken from."""

import re
from collections.abc import Iterator, Sequence

from groundwatch.schemas import Record

_SENTENCE = re.compile(r"[^\n]+?(?:[.!?](?=\s|$)|[\u3002\uff01\uff1f\u061f]|(?=\n)|$)")
_WORD = re.compile(r"\w+")


class Span(Record, frozen=True):
    """A span of an answer: UTF-8 byte offsets, end exclusive, and its text."""

    start: int
    end: int
    text: str


def sentences(answer: str) -> Iterator[Span]:
    """Cut an answer into its sentences and list items, without marks and white space."""
    for match in _SENTENCE.finditer(answer):
        text = match[0].strip().removeprefix("- ")
        if text:
            start = len(answer[: match.start() + match[0].index(text)].encode())
            yield Span(start, start + len(text.encode()), text)


def best_passage(sentence: str, passages: Sequence[str]) -> int:
    """Find the passage that shares the most words (for Japanese, signs) with a sentence."""
    wanted = _signs(sentence)
    return max(range(len(passages)), key=lambda place: len(wanted & _signs(passages[place])))


def _signs(text: str) -> set[str]:
    words = _WORD.findall(text.lower())
    return {sign for word in words for sign in ([word] if word.isascii() else [*word, word])}
