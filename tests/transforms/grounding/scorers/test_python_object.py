"""A Python object that scores claims."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from msgspec.structs import replace

from groundwatch.transforms.grounding.errors import (
    AnswerRefused,
    CheckFailed,
    Misconfigured,
    Unavailable,
)
from groundwatch.transforms.grounding.python_checker import AnswerText
from groundwatch.transforms.grounding.scorers.python_object import (
    PythonObject,
    find_object,
    load_object,
)
from groundwatch.transforms.lexical.check_claims import check_grounding
from tests.support import own_checkers
from tests.support.checks import check_request

REQUEST = replace(
    check_request("Hello! Lamps glow. Tea is hot.", "Lamps glow.", "Kettles whistle."),
    query="What glows?",
)


class Returning:
    """Returns what it was given, or raises it, and keeps what it was asked."""

    def __init__(self, given: Any, revision: Any = None) -> None:
        self.given = given
        self.asked: list[tuple[AnswerText, Sequence[str], str | None]] = []
        if revision is not None:
            self.revision = revision

    def check(self, answer: AnswerText, facts: Sequence[str], question: str | None) -> Any:
        self.asked.append((answer, facts, question))
        if isinstance(self.given, BaseException):
            raise self.given
        return self.given() if callable(self.given) else self.given


def scores(checker: Any) -> list[float | None]:
    """The scores of the claims of `REQUEST`, the first of which requires no check."""
    scorer = PythonObject("my:model", checker)
    return [claim.score for claim in check_grounding(REQUEST, scorer.score).claims]


def generated() -> Iterator[float]:
    yield 0.25
    yield 0.75


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ([0.25, 0.75], [0.25, 0.75]),
        ((1, 0), [1, 0]),
        (0.5, [0.5, 0.5]),
        (True, [1, 1]),
        (np.array([0.25, 0.75], np.float32), [0.25, 0.75]),
        (np.float64(0.5), [0.5, 0.5]),
        (generated, [0.25, 0.75]),
    ],
)
def test_each_claim_gets_its_score(returned: object, expected: list[float]) -> None:
    first, *others = scores(Returning(returned))
    assert first is None
    assert others == pytest.approx(expected, abs=1e-5)


def test_it_gets_the_answer_its_claims_the_facts_and_the_question() -> None:
    checker = Returning(0.5)
    scores(checker)
    [(answer, facts, question)] = checker.asked
    assert answer == REQUEST.answer_candidate
    assert answer.claims == ("Lamps glow.", "Tea is hot.")
    assert json.dumps(answer) == json.dumps(str(answer))
    assert (list(facts), question) == (["Lamps glow.", "Kettles whistle."], "What glows?")


def test_an_answer_without_claims_needs_no_call() -> None:
    checker = Returning(0.5)
    reply = check_grounding(check_request("Hello!", "Lamps."), PythonObject("m:c", checker).score)
    assert (reply.support_score, checker.asked) == (None, [])


@pytest.mark.parametrize(
    ("returned", "why"),
    [
        ([0.5], "1 scores instead of 2"),
        ([], "0 scores instead of 2"),
        ([0.5, 1.5], "the score 1.5, which is outside 0..1"),
        (float("nan"), "the score nan, which is outside 0..1"),
        (-0.1, "the score -0.1, which is outside 0..1"),
        (None, "None, which is not a score"),
        (object(), "an object, which is not a score"),
        ("0.5", "a str, which is not a score"),
        (["0.5", 1], "a str, which is not a score"),
        ({"Lamps glow.": 1, "Tea is hot.": 0}, "a dict, which is not a score"),
    ],
)
def test_what_is_no_score_is_refused_with_its_name(returned: object, why: str) -> None:
    with pytest.raises(AnswerRefused) as refused:
        scores(Returning(returned))
    assert str(refused.value) == f"the checker my:model returned {why}"
    assert refused.value.retryable


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (ValueError("Lamps glow."), AnswerRefused, "raised ValueError in test_python_object.py"),
        (KeyError("Tea"), AnswerRefused, "raised KeyError in test_python_object.py"),
        (SystemExit(3), AnswerRefused, "raised SystemExit in test_python_object.py"),
        (StopIteration("Tea"), AnswerRefused, "raised StopIteration in test_python_object.py"),
        (ConnectionResetError("Tea"), Unavailable, "is not available: ConnectionResetError in"),
        (TimeoutError("Tea"), Unavailable, "is not available: TimeoutError in"),
        (httpx.ReadError("Tea"), Unavailable, "is not available: ReadError in"),
    ],
)
def test_an_error_gets_its_name_and_place_and_quotes_nothing(
    error: BaseException, kind: type[CheckFailed], said: str
) -> None:
    with pytest.raises(kind) as failed:
        scores(Returning(error))
    assert str(failed.value).startswith(f"the checker my:model {said}")
    assert "line" in str(failed.value)
    assert not any(text in str(failed.value) for text in ("Tea", "Lamps"))
    assert failed.value.detail == str(error)


def test_another_revision_than_a_short_text_is_refused() -> None:
    assert PythonObject("m:c", Returning(0.5)).revision == ""
    assert PythonObject("m:c", Returning(0.5, "model 3")).revision == "model 3"
    for revision in (3, "é", "a\nb", "x" * 201):
        with pytest.raises(Misconfigured, match="the checker m:c has a revision"):
            PythonObject("m:c", Returning(0.5, revision))


def test_another_form_of_the_method_is_refused() -> None:
    with pytest.raises(Misconfigured, match=r"does not take \(answer, facts, question\)"):
        PythonObject("m:c", own_checkers.OtherMethod())  # type: ignore[arg-type]


def test_an_async_method_is_refused() -> None:
    class Async:
        async def check(self, answer: str, facts: Sequence[str], question: str | None) -> float:  # noqa: ARG002
            return 1.0

    with pytest.raises(Misconfigured, match="the checker m:c has an async check: make it a plain"):
        PythonObject("m:c", Async())  # type: ignore[arg-type]


def in_own(name: str) -> str:
    return f"{own_checkers.MODULE}:{name}"


@pytest.mark.parametrize("name", ["verbatim", "Verbatim", "make_verbatim"])
def test_an_object_a_class_and_a_function_can_be_named(name: str) -> None:
    assert isinstance(load_object(in_own(name)), own_checkers.Verbatim)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (in_own("nothing"), "cannot be imported: AttributeError: module"),
        ("no_such_module:model", "cannot be imported: ModuleNotFoundError: No module named"),
        (in_own("Unmakeable"), "cannot be made: RuntimeError: the model is not here"),
        (in_own("MODULE"), "has no method check"),
        (in_own("make_a_number"), "has no method check"),
    ],
)
def test_what_is_no_checker_is_refused_with_its_name(name: str, why: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        load_object(name)
    assert str(refused.value).startswith(f"the checker {name} {why}")


def test_a_module_of_the_current_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_checker_here.py").write_text("class Model:\n    make = dict\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    assert find_object("own_checker_here:Model.make") is dict
