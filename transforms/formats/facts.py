"""The facts of one answer, each text once."""

from collections.abc import Iterable

from schemas.answer import Fact
from schemas.message import UnreadableAnswer

MAX_FACTS_CHARACTERS = 20_000_000
"""What the facts of one answer may hold with their sources: twice the largest message.

More than a message's size comes about only where one source is said once and kept with each of its
passages; without a bound, a message of 10 MB could become a record of 1,000 GB.
"""


class FactCollection:
    """Collects distinct texts in the order they come; a text's first source stays with it."""

    def __init__(self) -> None:
        self._facts: list[Fact] = []
        self._index_by_text: dict[str, int] = {}
        self._characters = 0

    def add(
        self,
        text: str,
        *,
        uri: str = "",
        title: str = "",
        document: str = "",
        attributes: Iterable[tuple[str, str]] = (),
    ) -> tuple[int, ...]:
        """Add a text, unless it is there already or white space alone.

        Returns:
          The index of the text in the collection, as a tuple; empty for white space alone.

        Raises:
          UnreadableAnswer: the facts and their sources have over 20,000,000 characters.
        """
        if not text or text.isspace():
            return ()
        index = self._index_by_text.setdefault(text, len(self._facts))
        if index < len(self._facts):
            return (index,)
        self._count(len(text) + len(uri) + len(title) + len(document))
        self._facts.append(
            Fact(
                text=text,
                uri=uri or None,
                title=title or None,
                document=document or None,
                attributes=self._kept(attributes),
            )
        )
        return (index,)

    def _kept(self, attributes: Iterable[tuple[str, str]]) -> dict[str, str]:
        kept = {}
        for name, value in attributes:
            self._count(len(name) + len(value))
            kept[name] = value
        return kept

    def _count(self, characters: int) -> None:
        self._characters += characters
        if self._characters > MAX_FACTS_CHARACTERS:
            raise UnreadableAnswer(
                f"The facts and their sources have over {MAX_FACTS_CHARACTERS} characters."
            )

    def find(self, text: str) -> tuple[int, ...]:
        """The index of a text, as a tuple; empty if it is none of the facts."""
        index = self._index_by_text.get(text)
        return () if index is None else (index,)

    def all(self) -> tuple[Fact, ...]:
        """The facts collected so far."""
        return tuple(self._facts)


def page_attribute(page: str | int | None) -> tuple[tuple[str, str], ...]:
    """A fact's attributes that name its page, none if there is no page."""
    return (("page", str(page)),) if page else ()
