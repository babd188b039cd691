"""A text with replacements, and where its parts came from."""

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from groundwatch.transforms.lexical.language.cache import CachedAttribute


class Edit(NamedTuple):
    """The part of a source that a text replaces, in characters, and where the text stands.

    A mark is left out, and belongs to what it stands beside.
    """

    at: int
    start: int
    end: int
    text: str
    is_mark: bool


class EditedText:
    """A text made from a source by edits, from its beginning to its end.

    Attributes:
      edits: those made.
      behind: where the part begins that the next edit may change.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.edits: list[Edit] = []
        self.behind = 0
        self._shift = 0

    def place_of(self, start: int) -> int:
        """Return where a character behind all replaced parts stands in the text."""
        return start + self._shift

    def replace(self, start: int, end: int, text: str, *, is_mark: bool = False) -> None:
        """Replace a part that does not begin before the last one ended."""
        self.edits.append(Edit(start + self._shift, start, end, text, is_mark))
        self._shift += len(text) - (end - start)
        self.behind = end

    @CachedAttribute
    def text(self) -> str:
        """The text after all edits."""
        parts, place = [], 0
        for edit in self.edits:
            parts += [self.source[place : edit.start], edit.text]
            place = edit.end
        return "".join([*parts, self.source[place:]])

    @CachedAttribute
    def _places(self) -> list[int]:
        return [edit.at for edit in self.edits]

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where the source has a part that is not empty, with the markup around it."""
        first, last = self._source_of(start)[0], self._source_of(end - 1)[1]
        number = bisect_right(self._places, start) - 1
        while number >= 0 and self.edits[number].end == first and self.edits[number].is_mark:
            first = self.edits[number].start
            number -= 1
        number = bisect_left(self._places, end)
        while (
            number < len(self.edits)
            and self.edits[number].start == last
            and self.edits[number].is_mark
        ):
            last = self.edits[number].end
            number += 1
        return first, last

    def _source_of(self, place: int) -> tuple[int, int]:
        number = bisect_right(self._places, place) - 1
        if number < 0:
            return place, place + 1
        edit = self.edits[number]
        behind = place - edit.at - len(edit.text)
        if behind < 0:
            return edit.start, edit.end
        return edit.end + behind, edit.end + behind + 1
