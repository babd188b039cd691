"""A checker of one's own, as a Python object, by its name and as an argument."""

import pickle
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to

from groundwatch import CheckGrounding, EscalationRule, check, check_many
from groundwatch.launch.cli.main import main
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.transforms.check_grounding import CHECKED
from groundwatch.transforms.grounding.errors import AnswerRefused
from groundwatch.transforms.grounding.python_checker import AnswerText, CheckerObject
from groundwatch.transforms.grounding.scorers.python_object import load_object
from groundwatch.transforms.grounding.settings import OBJECT_IN_FLIGHT, settings_for
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.builders import an_answer
from tests.support.commands import GROUNDWATCH, run
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.outputs import failures_in, records_in, summary_in
from tests.support.own_checkers import Fragile, Hanging, Unmakeable, Verbatim, named
from tests.support.repository import ROOT
from tests.support.runs import an_archive, backfill
from tests.support.watched import Watched

SUPPORTED, UNSUPPORTED = 12, 8
LINES = [
    *(an_envelope(number, query=None) for number in range(SUPPORTED)),
    *(an_unsupported_envelope(number, query=None) for number in range(100, 100 + UNSUPPORTED)),
]
SURE, UNSURE = ("Lamps glow.", ["Lamps glow."]), ("Kettles whistle.", ["Lamps glow."])


def test_a_backfill_is_checked_by_it(tmp_path: Path) -> None:
    archive, output = an_archive(tmp_path, *LINES), tmp_path / "out"
    assert backfill(archive, output, "--checker", named(Verbatim)) == 0
    checks = {(each["check"]["checker"], each["check"]["revision"]) for each in records_in(output)}
    assert checks == {(named(Verbatim), "verbatim-1")}
    verdicts = Counter(each["verdict"] for each in records_in(output))
    assert verdicts == {"GROUNDED": SUPPORTED, "LOW_GROUNDED": UNSUPPORTED}
    # Equal requests are checked once.
    assert summary_in(output)["calls"] == 2


def test_it_decides_what_the_first_checker_is_uncertain_of(tmp_path: Path) -> None:
    archive, output = an_archive(tmp_path, *LINES), tmp_path / "out"
    flags = "--escalate", named(Verbatim), "--escalate_share", "0", "--workers", "2"
    assert backfill(archive, output, *flags) == 0
    deciding = Counter(each["check"]["checker"] for each in records_in(output))
    assert deciding == {"local+small": SUPPORTED, named(Verbatim): UNSUPPORTED}


def test_its_error_is_a_failure_of_the_answer_and_the_others_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, output = an_archive(tmp_path, *LINES), tmp_path / "out"
    flags = "--escalate", named(Fragile), "--escalate_share", "1"
    assert backfill(archive, output, *flags) == 3
    failures = failures_in(output)
    assert len(failures) == UNSUPPORTED
    assert {each["error_class"] for each in failures} == {"AnswerRefused"}
    [error] = {each["error"] for each in failures}
    assert error.startswith(f"the checker {named(Fragile)} raised ValueError in own_checkers.py")
    assert "Kettles" not in error
    assert len(records_in(output)) == SUPPORTED
    # Once it is repaired, a replay checks what had failed.
    monkeypatch.setattr(Fragile, "is_repaired", True)
    places = "--failures", str(output / "failures"), "--output", str(output)
    assert main(["replay", *places, *flags]) == 0
    assert Counter(each["check"]["checker"] for each in records_in(output)) == {
        named(Fragile): SUPPORTED + UNSUPPORTED
    }


def test_a_worker_is_checked_by_it(tmp_path: Path) -> None:
    with FakePubSub() as pubsub:
        watched = Watched(pubsub, tmp_path)
        watched.publish(*LINES)
        watched.drain(watched.config(checker=named(Verbatim), max_in_flight=OBJECT_IN_FLIGHT))
        assert {each["check"]["revision"] for each in records_in(watched.output)} == {"verbatim-1"}
        assert len(records_in(watched.output)) == len(LINES)


class Away(Verbatim):
    """Cannot reach what it needs at its first calls."""

    def __init__(self, calls: int) -> None:
        self.calls_away = calls

    def check(self, answer: AnswerText, facts: Sequence[str], question: str | None) -> list[float]:
        if self.calls_away:
            self.calls_away -= 1
            raise ConnectionRefusedError("Lamps glow.")
        return super().check(answer, facts, question)


def test_what_is_away_is_asked_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.support.own_checkers.away", Away(2), raising=False)
    archive, output = an_archive(tmp_path, LINES[0]), tmp_path / "out"
    assert backfill(archive, output, "--checker", "tests.support.own_checkers:away") == 0
    [record] = records_in(output)
    assert record["check"]["attempts"] == 3


def test_a_run_ends_while_it_hangs(tmp_path: Path) -> None:
    archive, output = an_archive(tmp_path, LINES[0]), tmp_path / "out"
    places = "--input", str(archive), "--output", str(output)
    flags = "--checker", named(Hanging), "--timeout_s", "0.2", "--max_attempts", "2"
    status, _, errors = run(*GROUNDWATCH, "backfill", *places, *flags)
    assert (status, errors) == (3, "")
    [failure] = failures_in(output)
    told = f"no reply of {named(Hanging)} within 0.2 s; --timeout_s allows more"
    assert failure["error"] == told


@pytest.mark.parametrize(
    ("name", "status", "why"),
    [
        (named(Unmakeable), 1, "cannot be made: RuntimeError: the model is not here"),
        ("no_such_module:model", 2, "cannot be imported: ModuleNotFoundError"),
        ("json:model", 2, "cannot be imported: AttributeError"),
        ("json:__name__", 2, "has no method check(answer, facts, question)"),
        ("module:", 2, "must be local, discoveryengine, an address such as"),
    ],
)
def test_what_is_no_checker_ends_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, status: int, why: str
) -> None:
    archive = an_archive(tmp_path, *LINES)
    load_object.cache_clear()
    for flag in ("--checker", "--escalate"):
        assert backfill(archive, tmp_path / "out", flag, name) == status
        errors = capsys.readouterr().err
        assert name in errors
        assert why in errors
        assert "Traceback" not in errors


def test_the_library_takes_it() -> None:
    record = check(*UNSURE, checker=Verbatim())
    assert record.check is not None
    assert (record.check.checker, record.check.revision) == (named(Verbatim), "verbatim-1")
    assert record.claims[0].score == pytest.approx(0.1)
    sure, unsure = check_many([SURE, UNSURE], escalate=Verbatim(), rule=EscalationRule(share=0))
    assert [each.check and each.check.checker for each in (sure, unsure)] == [
        "local+small",
        named(Verbatim),
    ]
    both = check(*UNSURE, checker=Verbatim(), escalate=f"{Verbatim.__module__}:verbatim")
    assert both.screen is not None
    assert both.screen.checker == named(Verbatim)
    with pytest.raises(AnswerRefused, match="raised ValueError"):
        check("Kettles whistle.", ["Lamps glow."], checker=Fragile())


@pytest.mark.parametrize(
    ("checker", "kind", "why"),
    [
        (Verbatim, TypeError, "checker is the class Verbatim: pass"),
        ("nowhere", ValueError, "'nowhere' is neither 'local', nor an address such as"),
    ],
)
def test_the_library_refuses_what_is_no_checker(
    checker: Any, kind: type[Exception], why: str
) -> None:
    with pytest.raises(kind, match=why):
        check(*SURE, checker=checker)


def test_a_step_of_a_pipeline_takes_it() -> None:
    class Local(Verbatim):
        """A class that no process could import."""

    def describe(checked: CheckedAnswer) -> tuple[str, str]:
        assert checked.check is not None
        return checked.answer.record_id, checked.check.checker.rpartition(".")[2]

    ids = {"a" * 64: SURE, "b" * 64: UNSURE}
    routed = [
        CheckedAnswer(answer=an_answer(text, *facts, record_id=record_id))
        for record_id, (text, facts) in ids.items()
    ]
    pipeline = beam.Pipeline(runner=FnApiRunner())
    step = CheckGrounding(escalate=Local(), rule=EscalationRule(share=0))
    outputs = pipeline | beam.Create(routed, reshuffle=False) | step
    described = outputs[CHECKED] | beam.Map(describe)
    assert_that(described, equal_to([("a" * 64, "local+small"), ("b" * 64, "Local")]))
    pipeline.run().wait_until_finish()


def test_copies_of_a_given_object_share_a_session() -> None:
    given = settings_for(Verbatim()).given
    assert isinstance(given, CheckerObject)
    assert pickle.loads(pickle.dumps(given)) == given  # noqa: S301 - made just now
    assert settings_for(Verbatim()).given != given


def test_the_example_of_the_page_is_a_checker() -> None:
    [_, section] = (ROOT / "docs/checkers.md").read_text().split("\n## A Python object\n")
    program = section.partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(program, names)  # noqa: S102 - our own page
    record = check(
        "It costs 3 euros. It is red.", ["The fee is 3 euros."], checker=names["NamedSources"]()
    )
    assert [claim.score for claim in record.claims] == pytest.approx([0.9, 0.1])
