"""The facts of one answer, each text once."""

from schemas.answer import Fact


class FactCollection:
    """Collects distinct texts in the order they come; a text's first source stays with it."""

    def __init__(self) -> None:
        self._facts: list[Fact] = []
        self._index_by_text: dict[str, int] = {}

    def add(
        self,
        text: str,
        *,
        uri: str = "",
        title: str = "",
        document: str = "",
        attributes: dict[str, str] | None = None,
    ) -> tuple[int, ...]:
        """Add a text, unless it is there already or white space alone.

        Returns:
          The index of the text in the collection, as a tuple; empty for white space alone.
        """
        if not text or text.isspace():
            return ()
        index = self._index_by_text.setdefault(text, len(self._facts))
        if index < len(self._facts):
            return (index,)
        self._facts.append(
            Fact(
                text=text,
                uri=uri or None,
                title=title or None,
                document=document or None,
                attributes=attributes or {},
            )
        )
        return (index,)

    def find(self, text: str) -> tuple[int, ...]:
        """The index of a text, as a tuple; empty if it is none of the facts."""
        index = self._index_by_text.get(text)
        return () if index is None else (index,)

    def all(self) -> tuple[Fact, ...]:
        """The facts collected so far."""
        return tuple(self._facts)


def page_attribute(page: str | int | None) -> dict[str, str]:
    """A fact's attributes that name its page, none if there is no page."""
    return {"page": str(page)} if page else {}
