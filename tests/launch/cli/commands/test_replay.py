"""`groundwatch replay`: what a backfill left behind, finished later."""

import json
from base64 import b64encode
from pathlib import Path

import pytest

from groundwatch.launch.backfill import run_backfill
from groundwatch.launch.cli.main import main
from groundwatch.pipeline.settings import config
from groundwatch.pipeline.sinks.topic_messages import encode_failure
from groundwatch.schemas.message import Message
from tests.support import wire_faults
from tests.support.archives import an_envelope, avro_of
from tests.support.builders import a_failure
from tests.support.fault_server import FaultServer, always, by_answer
from tests.support.limits import limited
from tests.support.outputs import (
    distinct_ids_in,
    failures_in,
    original_bytes,
    record_ids_in,
    summary_in,
)
from tests.support.runs import an_archive, backfill, crash_in

LAMPS = [an_envelope(number, answer=f"Lamp {number} glows.") for number in range(6)]


def replay(failures: Path, output: Path, *flags: str) -> int:
    return main(
        ["replay", "--failures", f"{failures}/failures/*.jsonl", "--output", str(output), *flags]
    )


def test_a_replay_resolves_the_failures_of_its_folder(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, *LAMPS, b"no answer")
    output = tmp_path / "out"
    away = wire_faults.status(503, "UNAVAILABLE")
    flags = "--max_attempts", "1"
    with FaultServer(always(away)) as server:
        assert backfill(archive, output, "--checker", server.address, *flags) == 3
    assert totals(output) == {"read": 7, "enriched": 0, "failures": 7, "retryable_failures": 6}
    with FaultServer(by_answer({"Lamp 2 glows.": away})) as server:
        assert replay(output, output, "--checker", server.address, *flags) == 3
    assert totals(output) == {"read": 7, "enriched": 5, "failures": 2, "retryable_failures": 1}
    assert len(failures_in(output)) == 2
    assert replay(output, output, "--checker", "local") == 0
    assert totals(output) == {"read": 7, "enriched": 6, "failures": 1, "retryable_failures": 0}
    assert [original_bytes(failure) for failure in failures_in(output)] == [b"no answer"]
    assert sorted(record_ids_in(output)) == sorted(set(record_ids_in(output)))
    summary = summary_in(output)
    assert summary["closes"] is True
    assert summary["failures_by_error"] == {"UnreadableAnswer": 1}
    assert [run["read"] for run in summary["runs"]] == [7, 7, 2]
    # The original bytes of all failures are still there.
    assert len(list((output / "replayed").glob("*.jsonl"))) == 2


def totals(output: Path) -> dict[str, int]:
    names = ("read", "enriched", "failures", "retryable_failures")
    return {name: summary_in(output)[name] for name in names}


UNREADABLE = [b"no answer %d" % number for number in range(4)]


def failed_run(folder: Path) -> Path:
    """The output of a run whose checks have all failed, and which could not read four lines."""
    lamps = [an_envelope(number, answer=f"Lamp {number} glows.") for number in range(20)]
    archive, output = an_archive(folder, *lamps, *UNREADABLE), folder / "out"
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        assert backfill(archive, output, "--checker", server.address, "--max_attempts", "1") == 3
    return output


def assert_replayed(output: Path) -> None:
    """Every answer is a record, every unreadable line a failure, each once."""
    assert len(distinct_ids_in(output)) == 20
    assert sorted(map(original_bytes, failures_in(output))) == UNREADABLE
    assert totals(output) == {"read": 24, "enriched": 20, "failures": 4, "retryable_failures": 0}
    assert summary_in(output)["closes"] is True
    assert main(["verify", str(output)]) == 0


def test_a_replay_that_a_limit_stopped_never_reads_its_own_failures(tmp_path: Path) -> None:
    output = failed_run(tmp_path)
    with FaultServer() as server, limited(segment_messages=6):
        given = "--checker", server.address
        assert replay(output, output, *given, "--max_calls", "10") == 3
        assert len(record_ids_in(output)) == 10
        assert replay(output, output, *given, "--max_calls", "15") == 3
        assert replay(output, output, *given, "--max_calls", "100") == 0
        assert server.requests == 20
    assert_replayed(output)


def test_the_same_replay_again_keeps_what_the_first_has_resolved(tmp_path: Path) -> None:
    output = failed_run(tmp_path)
    with FaultServer() as server:
        flags = "--run_id", "again", "--checker", server.address
        # The second one can read nothing of what is left.
        for expected in (0, 1):
            assert replay(output, output, *flags) == expected
            assert_replayed(output)


@pytest.mark.parametrize("number", [1, 4])
def test_a_replay_that_died_never_reads_its_own_failures(tmp_path: Path, number: int) -> None:
    output = failed_run(tmp_path)
    with FaultServer() as server, limited(segment_messages=6):
        flags = "--run_id", "again", "--checker", server.address
        with pytest.MonkeyPatch.context() as patched:
            # Files are published as they fill, failures too.
            patched.setattr(config, "MEGABYTE", 1)
            patched.setattr(run_backfill, "_PUBLISH_EVERY_S", 0.01)
            crash_in(patched, number)
            assert replay(output, output, *flags) == 1
        assert replay(output, output, *flags) == 0
        assert server.requests == 20
    assert_replayed(output)


def test_failures_that_come_later_are_no_input_of_an_interrupted_replay(tmp_path: Path) -> None:
    output = failed_run(tmp_path)
    with FaultServer() as server:
        flags = "--run_id", "again", "--checker", server.address
        assert replay(output, output, *flags, "--max_calls", "10") == 3
        away = always(wire_faults.status(503, "UNAVAILABLE"))
        later = an_archive(tmp_path, an_envelope(50, answer="Late lamps glow."), name="later.jsonl")
        with FaultServer(away) as broken:
            given = "--checker", broken.address, "--max_attempts", "1"
            assert backfill(later, output, *given) == 3
        assert replay(output, output, *flags) == 0
    assert len(record_ids_in(output)) == 20
    assert len(failures_in(output)) == 4 + 1
    assert replay(output, output, "--checker", "local") == 0
    assert len(distinct_ids_in(output)) == 21
    assert len(failures_in(output)) == 4


def test_what_fails_again_keeps_its_first_time_and_its_attempts(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, LAMPS[0])
    first, second = tmp_path / "first", tmp_path / "second"
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        flags = "--checker", server.address, "--max_attempts", "2"
        assert backfill(archive, first, *flags) == 3
        assert replay(first, second, *flags) == 3
    [before], [after] = failures_in(first), failures_in(second)
    assert after["first_failed_at"] == before["first_failed_at"]
    assert after["last_failed_at"] > before["last_failed_at"]
    assert (before["attempts"], after["attempts"]) == (2, 4)
    assert original_bytes(after) == LAMPS[0]
    assert after["source"] == before["source"]


def test_failures_without_their_bytes_cannot_be_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = an_archive(tmp_path, b"no answer", an_envelope(1))
    assert backfill(archive, tmp_path / "first", "--failure_payload", "none") == 0
    assert replay(tmp_path / "first", tmp_path / "second") == 1
    assert "without its original bytes" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["as pulled by gcloud", "of a Cloud Storage subscription"])
def test_published_failures_are_checked_again_by_a_backfill(tmp_path: Path, form: str) -> None:
    message = Message(payload=LAMPS[1], place="message-7", attributes={"engine": "shop"})
    published = encode_failure(a_failure(message=message))
    path, data, attributes = tmp_path / "failures", published.data, published.attributes
    if form == "as pulled by gcloud":
        pulled = {"data": b64encode(data).decode(), "messageId": "1", "attributes": attributes}
        path.write_text(json.dumps([{"ackId": "a", "message": pulled}], indent=2))
    else:
        fields = ("attributes", {"type": "map", "values": "string"}), ("data", "bytes")
        path.write_bytes(avro_of([{"attributes": attributes, "data": data}], *fields))
    assert backfill(an_archive(tmp_path, LAMPS[1]), tmp_path / "direct") == 0
    assert backfill(path, tmp_path / "out") == 0
    assert record_ids_in(tmp_path / "out") == record_ids_in(tmp_path / "direct")
