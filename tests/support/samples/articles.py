"""The help centre of Quillow and what people asked about it, read from `content/*.md`.

An article is a `# Title`, a `slug:` line and its passages; a conversation is a `Q:` line, an
`A:` block and sometimes one sentence more, by whose mark the answer is known. `Invented:`
stands in no article and uses words of its own. `Changed:` denies a sentence of the article or
changes a value of it. The other two are blind spots of every checker that compares words:
`Unseen:` contradicts the article in the article's words and passes; `Reworded:` says what the
article says in other words and is flagged.
"""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from groundwatch.schemas import Record


class Truth(StrEnum):
    """How an answer stands to the articles."""

    SUPPORTED = "A"
    INVENTED = "Invented"
    UNSEEN = "Unseen"
    CHANGED = "Changed"
    REWORDED = "Reworded"


class Article(Record, frozen=True):
    """A page of the help centre."""

    slug: str
    title: str
    passages: tuple[str, ...]

    @property
    def uri(self) -> str:
        """Where a reader finds the article."""
        return f"https://help.quillow.example/{self.slug}"


class Conversation(Record, frozen=True):
    """A question, the chatbot's answer, and the articles it was given, the right one first."""

    question: str
    answer: str
    articles: tuple[Article, ...]
    truth: Truth = Truth.SUPPORTED

    @property
    def passages(self) -> tuple[tuple[Article, str], ...]:
        """All passages given, each with its article."""
        return tuple((article, text) for article in self.articles for text in article.passages)


class _Exchange(NamedTuple):
    question: str
    answer: str
    truth: Truth


def _exchange(block: str) -> _Exchange:
    question, _, reply = block.removeprefix("Q: ").partition("\nA: ")
    for truth in (Truth.INVENTED, Truth.UNSEEN, Truth.CHANGED, Truth.REWORDED):
        answer, mark, slip = reply.partition(f"\n{truth}: ")
        if mark:
            return _Exchange(question, f"{answer} {slip}", truth)
    return _Exchange(question, reply, Truth.SUPPORTED)


def _read_page(section: str) -> tuple[Article, list[_Exchange]]:
    head, *blocks = section.split("\n\n")
    title, _, slug = head.removeprefix("# ").partition("\nslug: ")
    passages = tuple(block for block in blocks if not block.startswith("Q: "))
    exchanges = [_exchange(block) for block in blocks if block.startswith("Q: ")]
    return Article(slug, title, passages), exchanges


def read_conversations() -> list[Conversation]:
    """Read the content of the help centre, in its own order.

    Returns:
      Every conversation. Each was given its own article and the next one of the same file,
      the way a search returns a near miss beside the hit.
    """
    conversations: list[Conversation] = []
    for path in sorted((Path(__file__).parent / "content").glob("*.md")):
        text = path.read_text(encoding="utf-8").strip()
        pages = [_read_page(section.strip()) for section in text.split("\n# ")]
        neighbours = [*pages[1:], pages[0]]
        for (article, exchanges), (neighbour, _) in zip(pages, neighbours, strict=True):
            given = (article, neighbour)
            conversations += [
                Conversation(each.question, each.answer, given, each.truth) for each in exchanges
            ]
    return conversations
