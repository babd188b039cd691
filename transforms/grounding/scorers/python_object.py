"""Score claims by a Python object."""

import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from inspect import iscoroutinefunction, signature
from pathlib import Path
from traceback import extract_tb
from typing import cast

import httpx

from groundwatch.transforms.grounding.errors import AnswerRefused, Misconfigured, Unavailable
from groundwatch.transforms.grounding.python_checker import AnswerText, Checker, is_checker
from groundwatch.transforms.lexical.scores import claim_result
from groundwatch.transforms.runtime.errors import type_name

_NO_METHOD = "has no method check(answer, facts, question)"
_MOST_OF_DETAIL = 500
_MOST_OF_REVISION = 200


def find_object(name: str) -> object:
    """Import what ``module:name`` names, also from the current folder.

    Raises:
      Misconfigured: there is no such object, or it neither is a checker nor could return one.
    """
    module, _, attribute = name.partition(":")
    if (folder := os.getcwd()) not in sys.path:  # noqa: PTH109 - an entry of sys.path is a text
        sys.path.append(folder)
    try:
        found = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:
        raise _unusable(name, f"cannot be imported: {type(error).__name__}: {error}") from error
    if not (is_checker(found) or callable(found)):
        raise _unusable(name, _NO_METHOD)
    return found


@cache
def load_object(name: str) -> Checker:
    """Import what ``module:name`` names: a checker, or a class or function that returns one.

    Raises:
      Misconfigured: there is no such object, it cannot be made, or it is not a checker.
    """
    found = find_object(name)
    if not is_checker(found) and callable(found):
        try:
            found = found()
        except Exception as error:
            raise _unusable(name, f"cannot be made: {type(error).__name__}: {error}") from error
    if not is_checker(found):
        raise _unusable(name, _NO_METHOD)
    return cast(Checker, found)


class PythonObject:
    """Score claims by an object, whose errors get its name.

    Args:
      name: of the object, in errors and records.
      checker: the object.

    Attributes:
      revision: what it states of itself; empty if it states nothing.

    Raises:
      Misconfigured: its method is async or takes other arguments, or its revision is none.
    """

    def __init__(self, name: str, checker: Checker) -> None:
        self._name = name
        self._checker = checker
        try:
            signature(checker.check).bind("", (), None)
        except TypeError:
            raise _unusable(
                name, "has a check that does not take (answer, facts, question)"
            ) from None
        except ValueError:
            pass  # What is written in C may have no signature.
        if iscoroutinefunction(checker.check):
            raise _unusable(name, "has an async check: make it a plain function that returns")
        self.revision = self._read_revision()

    def score(
        self,
        answer: claim_result.ScoredAnswer,
        facts: Sequence[str],
        threshold: float,  # noqa: ARG002 - an object cites no facts
    ) -> list[claim_result.ClaimResult]:
        """Score claims; raise Unavailable or AnswerRefused, with the detail of the error."""
        claims = [claim.text for claim in answer.claims]
        if not claims:
            return []
        text = AnswerText(answer.text, claims)
        try:
            scores = _scores_of(self._checker.check(text, facts, answer.question), len(claims))
        except (OSError, httpx.TransportError) as error:
            failed = Unavailable(f"the checker {self._name} is not available: {_place_of(error)}")
            failed.detail = str(error)[:_MOST_OF_DETAIL] or None
            raise failed from None
        except _InvalidScores as error:
            raise AnswerRefused(f"the checker {self._name} returned {error}") from None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it raises is of this answer
            refused = AnswerRefused(f"the checker {self._name} raised {_place_of(error)}")
            refused.detail = str(error)[:_MOST_OF_DETAIL] or None
            raise refused from None
        return [claim_result.ClaimResult(claim_result.bounded_log_odds(score)) for score in scores]

    def _read_revision(self) -> str:
        revision = getattr(self._checker, "revision", None)
        if revision is None:
            return ""
        is_text = isinstance(revision, str) and revision.isascii() and revision.isprintable()
        if not is_text or len(revision) > _MOST_OF_REVISION:
            text = f"a text of at most {_MOST_OF_REVISION} printable ASCII characters"
            raise _unusable(self._name, f"has a revision that is not {text}")
        return str(revision)


class _InvalidScores(Exception):
    """What an object returned instead of scores, without any text of it."""


def _scores_of(returned: object, claims: int) -> list[float]:
    """Return a score for each claim; a single one is that of all."""
    if isinstance(returned, Iterable) and not isinstance(returned, str | bytes | dict):
        scores = [_score(each) for each in returned]
        if len(scores) != claims:
            raise _InvalidScores(f"{len(scores)} scores instead of {claims}")
        return scores
    return [_score(returned)] * claims


def _score(value: object) -> float:
    try:
        score = float("a text" if isinstance(value, str | bytes) else cast(float, value))
    except (TypeError, ValueError):
        raise _InvalidScores(f"{type_name(value)}, which is not a score") from None
    if not 0 <= score <= 1:
        raise _InvalidScores(f"the score {score:g}, which is outside 0..1")
    return score


def _place_of(error: BaseException) -> str:
    """Name an error and the line that raised it; its message could quote the answer."""
    frames = extract_tb(error.__traceback__, limit=-1)
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def _unusable(name: str, why: str) -> Misconfigured:
    return Misconfigured(f"the checker {name} {why}")
