"""A checker that refuses some answers and answers the others: each other answer is in the files."""

from pathlib import Path

import pytest

from groundwatch import EscalationRule
from groundwatch.launch.cli.main import main
from groundwatch.transforms.grounding import client
from groundwatch.transforms.grounding.settings import CheckSettings, OutagePolicy, Screening
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, always, by_answer
from tests.support.limits import limited
from tests.support.outputs import distinct_ids_in, failures_in, record_ids_in
from tests.support.runs import an_archive, backfill, crash_in
from tests.support.watched import Watched, total, work
from tests.support.wire_faults import Fault, redirect, status

_ANSWERS = 90
_STATUSES: dict[int, Fault] = {
    **{number: status(number, "NO") for number in (400, 401, 403, 404, 405, 413, 422)},
    302: redirect("http://elsewhere/"),
}
_FINAL = (400, 413, 422)
_PLACES = {
    "one in three": range(0, _ANSWERS, 3),
    "the last 30": range(_ANSWERS - 30, _ANSWERS),
    "the first 60": range(60),
}
_CASES = [
    *(
        (number, places, "alone")
        for number in _STATUSES
        for places in ("one in three", "the last 30")
    ),
    *((number, "the last 30", "second") for number in (302, 400, 401)),
    *((403, "the first 60", which) for which in ("alone", "second")),
]
_FLAGS = {"alone": ("--checker",), "second": ("--escalate_share", "0", "--escalate")}


def an_answer(number: int) -> str:
    """An answer without support, which a first checker leaves to the second one."""
    return f"Kettle {number} votes."


_LINES = [an_envelope(number, answer=an_answer(number)) for number in range(_ANSWERS)]


def refusing(places: range, fault: Fault) -> FaultServer:
    return FaultServer(by_answer({an_answer(number): fault for number in places}))


def expect_the_others(output: Path, places: range, number: int, which: str) -> None:
    """Compare what is in the files: a record for each answer that is not refused."""
    keeps_screen = which == "second" and number in _FINAL
    failed = 0 if keeps_screen else len(places)
    assert len(distinct_ids_in(output)) == _ANSWERS - failed
    kind = ("Rejected", False) if number in _FINAL else ("AnswerRefused", True)
    failures = [(each["error_class"], each["retryable"]) for each in failures_in(output)]
    assert failures == [kind] * failed


@pytest.mark.parametrize(("number", "where", "which"), _CASES)
def test_a_backfill_and_its_replay_write_what_is_answered(
    tmp_path: Path, number: int, where: str, which: str
) -> None:
    archive, output, places = an_archive(tmp_path, *_LINES), tmp_path / "out", _PLACES[where]
    with refusing(places, _STATUSES[number]) as server:
        flags = *_FLAGS[which], server.address, "--max_in_flight", "16"
        assert backfill(archive, output, *flags) == (0 if number in _FINAL else 3)
    expect_the_others(output, places, number, which)
    if number in _FINAL:
        return
    # Of the answers that are tried again, all but the last five are answered now.
    left = places[-5:]
    with refusing(left, _STATUSES[number]) as server:
        failures = f"{output}/failures/*.jsonl"
        flags = *_FLAGS[which], server.address
        assert main(["replay", "--failures", failures, "--output", str(output), *flags]) == 3
    expect_the_others(output, left, number, which)
    assert main(["verify", str(output)]) == 0


@pytest.mark.parametrize("which", _FLAGS)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_after_a_kill_what_is_left_may_all_be_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str, workers: str
) -> None:
    archive, output = an_archive(tmp_path, *_LINES), tmp_path / "out"
    places = _PLACES["the last 30"]
    # A checker that knows no other answer, either: only the first try shows that it answers.
    with refusing(places, _STATUSES[403]) as server, limited(segment_messages=30):
        flags = *_FLAGS[which], server.address
        with monkeypatch.context() as patch:
            crash_in(patch, 3)
            assert backfill(archive, output, *flags) == 1
        paid = server.requests
        monkeypatch.setattr(client, "_KNOWN", an_answer(places[0]))
        assert backfill(archive, output, *flags, "--workers", workers) == 3
        assert server.requests - paid <= 2 * len(places)
    expect_the_others(output, places, 403, which)


def test_what_the_first_of_two_checkers_answers_is_written_though_the_second_refuses_all(
    tmp_path: Path,
) -> None:
    lines = *_LINES, an_envelope(100, query=None)
    archive, output = an_archive(tmp_path, *lines), tmp_path / "out"
    with FaultServer() as first, FaultServer(always(_STATUSES[401])) as second:
        flags = "--checker", first.address, "--escalate", second.address, "--escalate_share", "0"
        assert backfill(archive, output, *flags) == 3
    assert len(record_ids_in(output)) == 1
    assert len(failures_in(output)) == _ANSWERS


@pytest.mark.parametrize(("number", "where", "which"), _CASES)
def test_a_worker_and_the_one_after_it_write_what_is_answered(
    watched: Watched, number: int, where: str, which: str
) -> None:
    places = _PLACES[where]
    watched.publish(*_LINES)
    with refusing(places, _STATUSES[number]) as server:
        pair = Screening(
            first=CheckSettings(outage=OutagePolicy.HOLD), rule=EscalationRule(share=0.0)
        )
        screen = pair if which == "second" else None
        address = server.address
        config = watched.config(checker=address, endpoint=address, screen=screen, max_in_flight=16)
        with watched.worker(config) as worker:
            work(worker, lambda: watched.outstanding <= len(places) + 30)
        watched.drain(config)
    expect_the_others(watched.output, places, number, which)
    assert total(watched.ledger())["gap"] == 0
