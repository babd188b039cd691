"""Checkers of one's own, as Python objects, which tests name as ``module:name``."""

import time
from collections.abc import Sequence

from groundwatch.transforms.grounding.python_checker import AnswerText

MODULE = __name__


class Verbatim:
    """Supports the claims that a fact has word for word."""

    revision = "verbatim-1"

    def check(self, answer: AnswerText, facts: Sequence[str], question: str | None) -> list[float]:
        del question
        return [0.9 if any(claim in fact for fact in facts) else 0.1 for claim in answer.claims]


class Lenient:
    """Supports each answer."""

    def check(self, answer: AnswerText, facts: Sequence[str], question: str | None) -> float:
        del answer, facts, question
        return 0.9


class Fragile(Verbatim):
    """Raises an error that quotes the answer, if that is about kettles, until it is repaired."""

    is_repaired = False

    def check(self, answer: AnswerText, facts: Sequence[str], question: str | None) -> list[float]:
        if "Kettles" in answer and not self.is_repaired:
            raise ValueError(f"cannot read {answer!r}")
        return super().check(answer, facts, question)


class Hanging(Verbatim):
    """Never returns."""

    def check(self, answer: AnswerText, facts: Sequence[str], question: str | None) -> list[float]:
        time.sleep(3_600)
        return super().check(answer, facts, question)


class Unmakeable(Verbatim):
    """Cannot be made."""

    def __init__(self) -> None:
        raise RuntimeError("the model is not here")


class OtherMethod:
    """Has a method of another form."""

    def check(self, answer: str) -> float:
        return float(bool(answer))


verbatim = Verbatim()


def make_verbatim() -> Verbatim:
    """Make a checker."""
    return Verbatim()


def make_a_number() -> float:
    """Make something that is no checker."""
    return 1.0


def named(checker: type) -> str:
    """The name of a checker here, as a command line has it."""
    return f"{MODULE}:{checker.__name__}"
