"""A checker of one's own as a Python object: what it has to have."""

import re
from collections.abc import Sequence
from typing import Protocol, Self
from uuid import uuid4

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*:[A-Za-z_]\w*(?:\.\w+)*")


class AnswerText(str):
    """The text of an answer, with its claims.

    Attributes:
      claims: the sentences that require a check, in their order. A short answer has its question in
        front: "Is it free? Yes.".
    """

    __slots__ = ("claims",)
    claims: tuple[str, ...]

    def __new__(cls, text: str, claims: Sequence[str] = ()) -> Self:
        answer = super().__new__(cls, text)
        answer.claims = tuple(claims)
        return answer


class Checker(Protocol):
    """Score the claims of answers: a model, a rule or a client of one's own.

    It may have an attribute `revision`, the version of its model or rules, which each record keeps:
    at most 200 printable ASCII characters.
    """

    def check(
        self, answer: AnswerText, facts: Sequence[str], question: str | None
    ) -> float | Sequence[float]:
        """Return for each claim the probability, 0..1, that the facts support it.

        Threads call it at the same time, at most `max_in_flight` of them.

        Args:
          answer: the text, with its sentences in `answer.claims`; there is at least one.
          facts: their texts, with titles and attributes.
          question: what the user asked, if that is known.

        Returns:
          A score for each claim, in the order of `answer.claims`, or one for all of them.

        Raises:
          OSError: what it needs is away, as with httpx.TransportError: it is called again later.
          Exception: any other is a failure of this answer.
        """


class CheckerObject:
    """A checker that was given as an object, and its name.

    Copies of it, which Beam makes of steps, are equal, so that a process opens one session for all.

    Args:
      checker: the object.
    """

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.name = f"{type(checker).__module__}:{type(checker).__qualname__}"
        self.key = uuid4().hex

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CheckerObject) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)


def is_checker(value: object) -> bool:
    """Return whether an object, which is not a class, has a method `check`."""
    return not isinstance(value, type) and callable(getattr(value, "check", None))


def is_object_name(text: str) -> bool:
    """Return whether a text has the form ``module:name``."""
    return _NAME.fullmatch(text) is not None
