"""What runs leave on disk: no text that the settings keep out, and nothing for others to read."""

import gzip
import io
import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import fastavro
import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.pipeline.settings.checker import DATABASE
from groundwatch.pipeline.sinks.row_formats import EnrichedFiles
from groundwatch.transforms.rules.redaction import TextMode
from tests.support.archives import an_envelope, avro_of, lines_of
from tests.support.commands import start
from tests.support.fault_server import FaultServer, always
from tests.support.limits import LIMITED, limited
from tests.support.modes import too_open
from tests.support.outputs import failures_in, records_in, summary_in
from tests.support.runs import an_archive, backfill, crash_in
from tests.support.waiting import wait_until
from tests.support.wire_faults import UNAVAILABLE, after

PLACE_NAME = "Zanzibar"
_TIMEOUT_S = 120.0


@pytest.fixture
def without_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def a_secret(number: int) -> bytes:
    text = f"{PLACE_NAME} {number} glows."
    fact = {"text": f"{text} At night.", "title": PLACE_NAME, "attributes": {"place": PLACE_NAME}}
    return an_envelope(number, answer=text, query=f"Does {text}", facts=[fact])


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    unreadable = json.dumps({PLACE_NAME: f"{PLACE_NAME} is an island. " * 20}).encode()
    return an_archive(tmp_path, *map(a_secret, range(40)), unreadable)


def holding_text(folder: Path) -> list[str]:
    """The files below a folder in which the secret stands, in whatever codec."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [str(path.relative_to(folder)) for path in found if PLACE_NAME.encode() in plain(path)]


def plain(path: Path) -> bytes:
    content = path.read_bytes()
    if path.name == DATABASE:
        return content + unpacked_rows(path)
    if path.suffix == ".avro":
        return repr(list(fastavro.reader(io.BytesIO(content)))).encode()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def unpacked_rows(path: Path) -> bytes:
    """The enriched rows of a run that wait in its database for their file."""
    with closing(EngineDatabase(str(path.parent), is_read_only=True)) as database:
        header = EnrichedFiles(TextMode.FULL, database.run or "").header
        query = "SELECT content FROM chunks WHERE kind = 'enriched'"
        files = [header + content for (content,) in database.read(query)]
    return repr([list(fastavro.reader(io.BytesIO(file))) for file in files]).encode()


NO_TEXT = "--failure_payload", "none"


@limited(segment_messages=10)
def test_a_run_that_keeps_no_text_leaves_none_when_it_is_stopped_or_done(
    tmp_path: Path, archive: Path
) -> None:
    output = tmp_path / "out"
    with FaultServer() as server:
        flags = "--checker", server.address, "--text", "hash", *NO_TEXT
        assert backfill(archive, output, *flags, "--max_calls", "15") == 3
        [work] = output.glob(".groundwatch-*")
        assert (work / DATABASE).exists()
        assert holding_text(output) == []
        assert backfill(archive, output, *flags) == 0
        assert server.requests == 40
    assert holding_text(output) == []


@pytest.mark.parametrize("mode", ["none", "full"])
def test_a_run_that_keeps_no_text_leaves_none_when_it_is_killed(
    tmp_path: Path, archive: Path, mode: str
) -> None:
    output = tmp_path / "out"
    with FaultServer(always(after(0.05))) as server:
        flags = "--checker", server.address, "--text", mode, *NO_TEXT, "--max_in_flight", "4"
        places = "--input", str(archive), "--output", str(output)
        command = *LIMITED, "segment_messages=5", "--", "backfill"
        with start(*command, *places, *flags) as process:
            wait_until(lambda: server.requests >= 30, _TIMEOUT_S)
            process.kill()
    assert bool(holding_text(output)) == (mode == "full")


def test_rows_that_were_made_with_text_leave_as_the_settings_in_force_say(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    with monkeypatch.context() as patched:
        crash_in(patched, 4)
        with limited(segment_messages=10):
            assert backfill(archive, output) == 1
    assert holding_text(output)
    assert backfill(archive, output, "--text", "hash", *NO_TEXT) == 0
    assert holding_text(output) == []
    assert len(records_in(output)) == 40
    [failure] = failures_in(output)
    assert failure["payload_base64"] is None


@limited(segment_messages=10)
@pytest.mark.parametrize("is_finished", [True, False])
def test_texts_of_a_run_do_not_outlast_the_same_command_without_them(
    tmp_path: Path, archive: Path, capsys: pytest.CaptureFixture[str], *, is_finished: bool
) -> None:
    output = tmp_path / "out"
    limit = () if is_finished else ("--max_calls", "15")
    with FaultServer() as server:
        given = "--checker", server.address
        assert backfill(archive, output, *given, *limit) == (0 if is_finished else 3)
        assert holding_text(output)
        paid = server.requests
        if is_finished:
            for changed in (("--text", "none"), NO_TEXT):
                assert backfill(archive, output, *given, *changed) == 2
                assert f"{changed[0]} is none, and was full" in capsys.readouterr().err
            again = ("--again",)
        else:
            again = ()
        assert backfill(archive, output, *given, "--text", "none", *NO_TEXT, *again) == 0
        assert server.requests == (80 if is_finished else 40)
        assert paid < server.requests
        assert holding_text(output) == []
        assert backfill(archive, output, *given, "--text", "none", *NO_TEXT) == 0
    assert "nothing was checked or written" in capsys.readouterr().err
    assert len(records_in(output)) == summary_in(output)["enriched"] == 40


def test_failures_without_payload_hold_nothing_of_the_message(
    tmp_path: Path, archive: Path
) -> None:
    output = tmp_path / "out"
    with FaultServer(always(UNAVAILABLE["503"])) as server:
        flags = "--checker", server.address, "--text", "none", *NO_TEXT, "--max_attempts", "1"
        assert backfill(archive, output, *flags) == 3
    assert holding_text(output) == []


def unreadable_inputs() -> dict[str, bytes]:
    """Files of answers that cannot be read, with the secret in names, in values and around them."""
    other = {"id": "1", "name": "c", "startTime": "2026-03-02T08:00:00Z"}
    long = f"{PLACE_NAME} is an island. " * 20
    lines = [
        {PLACE_NAME: long},
        {"answer": "Lamps glow.", PLACE_NAME: [{"text": long}]},
        {"answer": {"answerText": "Lamps glow.", "state": "SUCCEEDED", PLACE_NAME: [long]}},
        {"answers": [{"answer": "a", "facts": ["a"]}], PLACE_NAME: [long]},
        {"answer": [{PLACE_NAME: 1}], "facts": []},
        {"answer": {"answerText": {PLACE_NAME: long}}},
        {"answer": "a", "facts": [[PLACE_NAME]]},
        {"span_kind": "INTERNAL", "attributes": {"openinference.span.kind": PLACE_NAME}},
        {**other, "type": PLACE_NAME, "input": long, "output": long, "traceId": PLACE_NAME},
        {"data": "e30=", "attributes": {"format": PLACE_NAME}, "messageId": "1"},
    ]
    torn = [f'{{"{PLACE_NAME}": {PLACE_NAME}}}'.encode(), f'{{"a": "\\{PLACE_NAME}"}}'.encode()]
    row = avro_of([{PLACE_NAME: long, "n": "a"}], (PLACE_NAME, "string"), ("n", "string"))
    return {
        "lines.jsonl": lines_of(*(json.dumps(line).encode() for line in lines), *torn),
        "columns.csv": f"answer,{PLACE_NAME}\nLamps glow.,{long}\n".encode(),
        "twice.csv": f"{PLACE_NAME},{PLACE_NAME}\na,b\n".encode(),
        "row.avro": row,
        "codec.avro": row.replace(b"\x08null", bytes([2 * len(PLACE_NAME)]) + PLACE_NAME.encode()),
    }


@pytest.mark.parametrize("name", unreadable_inputs())
def test_failures_without_payload_quote_nothing_of_the_input(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    archive, output = tmp_path / name, tmp_path / "out"
    archive.write_bytes(unreadable_inputs()[name])
    backfill(archive, output, "--text", "none", *NO_TEXT)
    assert len(failures_in(output)) == summary_in(output)["read"] > 0
    assert holding_text(output) == []
    printed = capsys.readouterr()
    assert PLACE_NAME not in printed.out + printed.err + caplog.text
    backfill(archive, tmp_path / "kept")
    kept = [failure["error"] for failure in failures_in(tmp_path / "kept")]
    short = [failure["error"] for failure in failures_in(output)]
    assert any(PLACE_NAME in error for error in kept)
    assert [error[: len(cut) - 1] for error, cut in zip(kept, short, strict=True)] == [
        cut.removesuffix(".") for cut in short
    ]


def test_the_replies_of_a_run_hold_no_text_even_where_records_do(
    tmp_path: Path, archive: Path
) -> None:
    output = tmp_path / "out"
    with FaultServer() as server:
        assert backfill(archive, output, "--checker", server.address, "--max_calls", "15") == 3
    assert holding_text(output)
    [work] = output.glob(".groundwatch-*")
    with closing(EngineDatabase(str(work), is_read_only=True)) as database:
        replies = [reply for (reply,) in database.read("SELECT reply FROM replies")]
    assert len(replies) == 15
    assert not [reply for reply in replies if PLACE_NAME.encode() in reply]


@limited(segment_messages=10)
@pytest.mark.usefixtures("without_umask")
def test_nothing_that_a_run_writes_can_be_read_by_others(tmp_path: Path, archive: Path) -> None:
    root = tmp_path / "new"
    output, work = root / "out", root / "work"
    with FaultServer(always(after(0.05))) as server:
        flags = "--checker", server.address, "--work_folder", str(work), "--max_in_flight", "4"
        given = "--input", str(archive), "--output", str(output)
        with start(*LIMITED, "segment_messages=10", "--", "backfill", *given, *flags) as process:
            wait_until(lambda: server.requests >= 20, _TIMEOUT_S)
            assert too_open(root) == {}
            process.kill()
        assert main(["backfill", *given, *flags, "--workers", "2"]) == 0
    assert main(["estimate", *given]) == 0
    assert main(["report", str(output)]) == 0
    gold = tmp_path / "gold.jsonl"
    gold.write_bytes(lines_of(b'{"id": "answer-1", "grounded": true}'))
    evaluated = "--output", str(root / "evaluation" / "found.json")
    assert main(["evaluate", "--answers", str(archive), "--gold", str(gold), *evaluated]) == 0
    assert too_open(root) == {}
    assert len(list(root.rglob("*"))) > 10


@pytest.mark.usefixtures("without_umask")
def test_a_folder_of_the_users_own_keeps_its_mode(tmp_path: Path, archive: Path) -> None:
    output = tmp_path / "out"
    output.mkdir(mode=0o777)
    assert backfill(archive, output) == 0
    assert output.stat().st_mode & 0o777 == 0o777
