"""A replay passes over the failures that another one into the same folder has resolved."""

import shutil
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.results.report.write_report import read_output
from groundwatch.pipeline.sources.output_folder import find_files
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, by_answer
from tests.support.limits import limited
from tests.support.outputs import distinct_ids_in, record_ids_in, summary_in
from tests.support.runs import an_archive, backfill, crash_in
from tests.support.wire_faults import status

ANSWERS, FAILURES = 20, 10
AWAY = status(503, "UNAVAILABLE")
REMOTE = "--runner", "FnApiRunner"
PLACES = pytest.mark.parametrize("flags", [(), REMOTE], ids=["here", "on a runner"])


def failing_backfill(folder: Path, *flags: str) -> Path:
    """The output of a backfill of twenty answers, of which ten could not be checked."""
    lamps = (an_envelope(number, answer=f"Lamp {number} glows.") for number in range(ANSWERS))
    archive, output = an_archive(folder, *lamps), folder / "out"
    faults = {f"Lamp {number} glows.": AWAY for number in range(FAILURES)}
    with FaultServer(by_answer(faults)) as server:
        given = "--checker", server.address, "--max_attempts", "1", *flags
        assert backfill(archive, output, *given) == 3
    return output


LOCAL = "--checker", "local"
"""The failures' run had one that is gone, unless a test names another."""


def replay(output: Path, *flags: str) -> int:
    return replay_file(output / "failures" / "*.jsonl", output, *flags)


def saved_failures(output: Path, first: int = 0, last: int = FAILURES, name: str = "saved") -> Path:
    """A copy of some failures of a folder, which a person has made beside it."""
    [failures] = (output / "failures").glob("*.jsonl")
    saved = output.with_name(f"{name}.jsonl")
    saved.write_bytes(b"".join(failures.read_bytes().splitlines(keepends=True)[first:last]))
    return saved


def replay_file(path: Path, output: Path, *flags: str) -> int:
    return main(["replay", "--failures", str(path), "--output", str(output), *LOCAL, *flags])


def assert_once(output: Path) -> None:
    """Every answer is there once, no failure is open, and the counts close."""
    assert len(distinct_ids_in(output)) == ANSWERS
    summary = summary_in(output)
    assert (summary["closes"], summary["failures"]) == (True, 0)
    assert main(["verify", str(output)]) == 0


@PLACES
def test_failures_of_which_a_copy_has_resolved_a_part_are_not_paid_for_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...]
) -> None:
    output = failing_backfill(tmp_path)
    with FaultServer() as server:
        given = "--checker", server.address, *flags
        assert replay_file(saved_failures(output, last=4), output, *given) == 0
        assert server.requests == 4
        capsys.readouterr()
        assert replay(output, *given) == 0
        assert server.requests == FAILURES
    said = capsys.readouterr().err
    assert "4 answers had been resolved, or came twice: not checked again" in said
    assert_once(output)


def test_copies_of_resolved_failures_are_not_paid_for_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = failing_backfill(tmp_path)
    copies = [saved_failures(output, name=name) for name in ("first", "second")]
    with FaultServer() as server:
        given = "--checker", server.address
        assert replay(output, *given) == 0
        for copy in copies:
            assert replay_file(copy, output, *given) == 0
        copy.write_bytes(copy.read_bytes() * 2)
        assert replay_file(copy, output, *given) == 0
        assert server.requests == FAILURES
    said = capsys.readouterr().err
    assert said.count("10 answers had been resolved, or came twice: not checked again") == 2
    assert_once(output)


@PLACES
def test_a_second_replay_of_a_name_adds_its_answers_or_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...]
) -> None:
    output = failing_backfill(tmp_path)
    with FaultServer() as server:
        given = "--checker", server.address, "--run_id", "again", *flags
        assert replay_file(saved_failures(output, last=4), output, *given) == 0
        before = record_ids_in(output)
        ended = replay_file(saved_failures(output), output, *given)
        if flags:
            assert (ended, server.requests, record_ids_in(output)) == (2, 4, before)
            assert "a replay on a runner would replace them" in capsys.readouterr().err
            ended = replay_file(saved_failures(output), output, *given, "--run_id", "other")
        assert (ended, server.requests) == (0, FAILURES)
    assert len(distinct_ids_in(output)) == ANSWERS


@pytest.mark.parametrize(
    "changed", [(), ("--low_grounded_threshold", "0.3")], ids=["resumed", "begun anew"]
)
def test_an_interrupted_replay_passes_over_what_another_has_resolved_meanwhile(
    tmp_path: Path, changed: tuple[str, ...]
) -> None:
    output = failing_backfill(tmp_path)
    saved = saved_failures(output)
    with FaultServer() as server, limited(segment_messages=3):
        given = "--checker", server.address
        assert replay_file(saved, output, *given, "--max_calls", "4") == 3
        assert replay(output, *given) == 0
        assert replay_file(saved, output, *given, "--max_calls", "99", *changed) == 0
        assert server.requests == FAILURES
    assert_once(output)


STOPPED: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "twice, and resumed": ((2, 7), ()),
    "in the last batch, and begun anew": ((9,), ("--low_grounded_threshold", "0.3")),
    "once, and ended by another": ((4,), ("--run_id", "other")),
}


@pytest.mark.parametrize(("stops", "last"), STOPPED.values(), ids=STOPPED)
def test_a_replay_that_its_budget_stops_leaves_each_answer_in_one_place(
    tmp_path: Path, stops: tuple[int, ...], last: tuple[str, ...]
) -> None:
    output = failing_backfill(tmp_path)
    again = {"Lamp 1 glows.": AWAY}
    with FaultServer(by_answer(again)) as server, limited(segment_messages=3):
        given = "--checker", server.address
        for stop in stops:
            assert replay(output, *given, "--max_calls", str(stop)) == 3
            assert_in_one_place(output)
        assert summary_in(output)["failures"] == ANSWERS - len(distinct_ids_in(output))
        replay(output, *given, "--max_calls", "99", *last)
        assert_in_one_place(output)
        paid = server.requests
    # The one that fails is asked again by another run.
    assert paid == FAILURES + (1 if last else 0)
    assert replay(output, "--run_id", "last") == 0
    assert_once(output)


def assert_in_one_place(output: Path) -> None:
    """Count by the files: each answer is a record, or a failure that is open."""
    found = read_output(find_files(str(output)), {}).tally
    failures = sum(each.failures for each in found.failures())
    assert found.answers + failures == ANSWERS
    summary = summary_in(output)
    counted = summary["read"] - summary["duplicates"], summary["enriched"], summary["failures"]
    assert counted == (ANSWERS, found.answers, failures)
    assert (summary["closes"], main(["verify", str(output)])) == (True, 0)


RENAMED = "renamed.jsonl"
MEANWHILE: dict[str, tuple[int, tuple[int, int]]] = {
    "another replay resolves them": (0, (0, 0)),
    "another replay resolves all but one": (3, (0, 0)),
    "another run makes them again": (0, (2, 2)),
    "another run makes one of them again": (3, (0, 0)),
    "they are renamed": (0, (2, 2)),
}
"""What becomes of the failures of a stopped replay, and how that and its command twice end."""


@pytest.mark.parametrize("named", [(), ("--run_id", "stopped")], ids=["", "named"])
@pytest.mark.parametrize("what", MEANWHILE)
def test_a_stopped_replay_goes_on_with_what_others_have_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str, named: tuple[str, ...]
) -> None:
    output = failing_backfill(tmp_path)
    [failures] = (output / "failures").glob("*.jsonl")
    ended, ends = MEANWHILE[what]
    with FaultServer() as server, limited(segment_messages=3):
        given = "--checker", server.address, *named
        assert replay(output, *given, "--max_calls", "4") == 3
        with FaultServer(by_answer({"Lamp 7 glows.": AWAY} if ended else {})) as other:
            flags = "--checker", other.address, "--max_attempts", "1"
            if "replay" in what:
                assert replay(output, *flags, "--run_id", "other") == ended
            elif "run" in what:
                again = backfill(tmp_path / "answers.jsonl", output, *flags, "--again")
                assert again == ended
            else:
                failures.rename(failures.with_name(RENAMED))
        paid, before = server.requests, record_ids_in(output)
        capsys.readouterr()
        for end in ends:
            assert replay(output, *given, "--max_calls", "99") == end
            assert set(before) <= set(record_ids_in(output))
        said = capsys.readouterr().err
        if what == "they are renamed":
            assert f"{failures} is gone, and the replay that had begun it cannot go on" in said
            assert replay(output, *given, "--run_id", "new") == 0
            assert (len(distinct_ids_in(output)), server.requests) == (ANSWERS, FAILURES)
            return
        # That the other one has left is checked by the second of them, or is all that is new.
        assert server.requests - paid == (1 if ended else 0)
    if "replay" in what:
        assert "6 failures that waited went to other" in said
        assert "nothing is left" in said
    assert_once(output)


@pytest.mark.parametrize("calls", [3, 7], ids=["in the first file", "in the second file"])
def test_a_stopped_replay_goes_on_with_the_file_that_is_left(tmp_path: Path, calls: int) -> None:
    output, files = tmp_path / "out", []
    for run in ("one", "two"):
        lamps = (
            an_envelope(f"{run}-{number}", answer=f"Lamp {run} {number}.") for number in range(10)
        )
        archive = an_archive(tmp_path, *lamps, name=f"{run}.jsonl")
        faults = {f"Lamp {run} {number}.": AWAY for number in range(5)}
        with FaultServer(by_answer(faults)) as failing:
            flags = "--checker", failing.address, "--max_attempts", "1", "--run_id", run
            assert backfill(archive, output, *flags) == 3
        files += (output / "failures").glob(f"{run}-*.jsonl")
    with FaultServer() as server, limited(segment_messages=3):
        given = "--checker", server.address
        assert replay(output, *given, "--max_calls", str(calls)) == 3
        assert_in_one_place(output)
        assert replay_file(files[0], output, *given, "--run_id", "other") == 0
        assert_in_one_place(output)
        assert replay(output, *given, "--max_calls", "99") == 0
        assert server.requests == FAILURES
    assert_in_one_place(output)
    assert_once(output)


@pytest.mark.parametrize("batch", [1, 3], ids=["that has read nothing", "that has checked some"])
@pytest.mark.parametrize("of", ["the same files", "a copy", "a copy, beside a copy"])
def test_a_killed_replay_is_finished_before_another_begins(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    batch: int,
    of: str,
) -> None:
    output = failing_backfill(tmp_path)
    copy = saved_failures(output)
    first = saved_failures(output, name="first") if "beside" in of else output / "failures/*.jsonl"
    with FaultServer() as server, limited(segment_messages=3):
        given = "--checker", server.address
        with monkeypatch.context() as patched:
            crash_in(patched, batch)
            assert replay_file(first, output, *given) == 1
        paid = server.requests
        capsys.readouterr()
        others = replay_file(copy, output) if "copy" in of else replay(output, "--run_id", "other")
        assert (others, server.requests) == (2, paid)
        assert "was interrupted, or still runs" in capsys.readouterr().err
        assert replay_file(first, output, *given) == 0
    assert len(record_ids_in(output)) == ANSWERS
    if "beside" not in of:
        assert_once(output)
    assert replay_file(copy, output) == 0
    assert len(record_ids_in(output)) == ANSWERS


def test_a_killed_replay_does_not_hold_up_one_of_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = failing_backfill(tmp_path, "--run_id", "one")
    [one] = (output / "failures").glob("*.jsonl")
    two = one.with_name("two.jsonl")
    lines = one.read_bytes().splitlines(keepends=True)
    one.write_bytes(b"".join(lines[:4]))
    two.write_bytes(b"".join(lines[4:]))
    with monkeypatch.context() as patched, limited(segment_messages=3):
        crash_in(patched, 2)
        assert replay_file(one, output) == 1
    assert replay_file(two, output, "--run_id", "other") == 0
    assert replay_file(one, output) == 0
    assert len(record_ids_in(output)) == len(distinct_ids_in(output)) == ANSWERS


def test_a_replay_whose_work_folder_is_gone_keeps_what_it_has_resolved(tmp_path: Path) -> None:
    output = failing_backfill(tmp_path)
    with FaultServer() as server:
        given = "--checker", server.address, "--run_id", "r"
        assert replay(output, *given, "--max_calls", "4") == 3
        shutil.rmtree(output / ".groundwatch-r")
        with FaultServer(by_answer({"Lamp 7 glows.": AWAY})) as failing:
            flags = "--checker", failing.address, "--run_id", "other", "--max_attempts", "1"
            assert replay(output, *flags) == 3
        assert replay(output, *given) == 0
        assert server.requests == 5
    assert len(distinct_ids_in(output)) == ANSWERS


def test_a_replay_whose_results_are_gone_is_made_again(tmp_path: Path) -> None:
    output = failing_backfill(tmp_path, "--run_id", "r")
    saved = saved_failures(output)
    assert replay(output) == 0
    for path in output.glob("enriched/*/*.avro"):
        if not path.name.startswith("r-"):
            path.unlink()
    assert replay_file(saved, output) == 0
    assert len(distinct_ids_in(output)) == ANSWERS


@PLACES
def test_a_damaged_file_of_an_earlier_replay_is_named_before_anything_is_paid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...]
) -> None:
    output = failing_backfill(tmp_path, "--run_id", "r")
    saved = saved_failures(output)
    assert replay(output) == 0
    [path] = (path for path in output.glob("enriched/*/*.avro") if path.name[:2] != "r-")
    path.write_bytes(path.read_bytes()[:-100])
    with FaultServer() as server:
        assert replay_file(saved, output, "--checker", server.address, *flags) == 1
        assert server.requests == 0
    said = capsys.readouterr().err
    assert f"{path}: is damaged" in said
    assert "Traceback" not in said
