"""A case: a conversation that something particular happened to."""

from collections.abc import Callable
from functools import cache

from msgspec.structs import replace

from groundwatch.schemas import Record
from tests.support.samples.articles import Conversation, Truth, read_conversations
from tests.support.samples.events import Event

Write = Callable[[Event], bytes]


class Case(Record, frozen=True):
    """What was asked and answered, and how its message is written."""

    conversation: Conversation
    write: Write


@cache
def _conversations() -> dict[str, Conversation]:
    """The first truthful conversation about each article."""
    known = [each for each in read_conversations() if each.truth is Truth.SUPPORTED]
    return {each.articles[0].slug: each for each in reversed(known)}


def about(slug: str, question: str | None = None, answer: str | None = None) -> Conversation:
    """Take the first conversation about an article, with another question or answer.

    Raises:
      KeyError: no conversation is about this article.
    """
    known = _conversations()[slug]
    return replace(known, question=question or known.question, answer=answer or known.answer)
