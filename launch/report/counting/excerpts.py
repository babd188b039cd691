"""Cutting answers and facts to what a person can read, on the bytes that offsets mean."""

from collections.abc import Iterable, Iterator

from schemas import Record
from schemas.checked_answer import Claim

_ANSWER_BYTES = 6_000
_FACT_BYTES = 1_600
_LEAD_BYTES = 600
_CONTINUATION = 0b1000_0000
_CONTINUATION_MASK = 0b1100_0000


class Excerpt(Record, frozen=True, kw_only=True):
    """A stretch of a text.

    Attributes:
      start, end: its UTF-8 bytes, on the borders of characters, end exclusive.
      text: the stretch.
      bytes: how many the whole text has.
    """

    start: int
    end: int
    text: str
    bytes: int

    @property
    def bytes_after(self) -> int:
        """How many bytes of the text come after it."""
        return self.bytes - self.end


class ShownClaim(Record, frozen=True, kw_only=True):
    """A claim and its number in the answer, from 1."""

    number: int
    claim: Claim


class Passage(Record, frozen=True, kw_only=True):
    """A piece of an answer that belongs to one claim, or to none."""

    text: str
    shown: ShownClaim | None = None


def excerpt(text: str, around: int, most_bytes: int) -> Excerpt:
    """Cut a text to a length, keeping what stands at one place and a little before it.

    Args:
      text: the whole.
      around: the UTF-8 byte to keep in sight.
      most_bytes: how long the stretch may be.

    Returns:
      The whole text where it is no longer.
    """
    whole = text.encode(errors="replace")
    latest_start = max(len(whole) - most_bytes, 0)
    start = _border(whole, min(max(around - _LEAD_BYTES, 0), latest_start))
    end = _border(whole, min(start + most_bytes, len(whole)))
    return Excerpt(
        start=start, end=end, text=whole[start:end].decode(errors="replace"), bytes=len(whole)
    )


def answer_excerpt(text: str, worst: Claim) -> Excerpt:
    """Cut an answer, keeping its worst claim in sight."""
    return excerpt(text, worst.start, _ANSWER_BYTES)


def fact_excerpt(text: str, cited_byte: int) -> Excerpt:
    """Cut a fact, keeping the part in sight that is cited."""
    return excerpt(text, cited_byte, _FACT_BYTES)


def passages(stretch: Excerpt, claims: Iterable[ShownClaim]) -> Iterator[Passage]:
    """Divide an excerpt of an answer by its claims.

    Args:
      stretch: the excerpt.
      claims: the answer's claims, in any order; of two that overlap the second is cut.

    Yields:
      Passages that together are the excerpt.
    """
    whole = stretch.text.encode()
    position = 0
    for shown in sorted(claims, key=_place):
        start = max(shown.claim.start - stretch.start, position)
        end = min(shown.claim.end - stretch.start, len(whole))
        if start < end:
            yield from _passage(whole[position:start])
            yield from _passage(whole[start:end], shown)
            position = end
    yield from _passage(whole[position:])


def _place(shown: ShownClaim) -> tuple[int, int]:
    return shown.claim.start, shown.claim.end


def _passage(piece: bytes, shown: ShownClaim | None = None) -> Iterator[Passage]:
    if piece:
        yield Passage(text=piece.decode(errors="replace"), shown=shown)


def _border(whole: bytes, position: int) -> int:
    """The border of a character at or before a byte."""
    while 0 < position < len(whole) and whole[position] & _CONTINUATION_MASK == _CONTINUATION:
        position -= 1
    return position
