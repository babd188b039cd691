"""`groundwatch export` to a tool: every record once, resumed after any end, counted."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.cli.commands.export import ExportSettings
from groundwatch.launch.cli.main import main
from groundwatch.launch.results.export import export_folder
from groundwatch.launch.results.export.export_folder import FolderExport
from groundwatch.launch.targets.target import TargetUnavailable
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.definition import build
from groundwatch.pipeline.sources.output_folder import find_files
from groundwatch.pipeline.storage.output_lock import lock_output
from groundwatch.schemas.quantities import to_us
from tests.support.builders import an_enriched
from tests.support.commands import GROUNDWATCH, start
from tests.support.http_messages import Received, Reply
from tests.support.reports import write_enriched, write_summary
from tests.support.results import ATarget
from tests.support.results_server import ResultsServer, results_server
from tests.support.vendor_replies import documented_reply
from tests.support.waiting import wait_until

DAY_US = 86_400_000_000


@pytest.fixture
def server() -> Iterator[ResultsServer]:
    with results_server() as server:
        yield server


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk")


def a_folder(root: Path, *sizes: int, **fields: Any) -> Path:
    """A folder with files of so many records, named by numbers."""
    for number, size in enumerate(sizes):
        first = sum(sizes[:number])
        records = [
            an_enriched(**{"record_id": f"r{first + at}", "trace_id": "t1", **fields})
            for at in range(size)
        ]
        write_enriched(root, records, f"run{number}")
    write_summary(root, enriched=sum(sizes))
    return root


def export_to(folder: Path, target: ATarget, **settings: Any) -> FolderExport:
    given = {"folder": str(folder), "to": "langfuse"} | settings
    run = FolderExport(build(ExportSettings, given), sleep=lambda _: None)
    run.send_all(target)
    return run


def scored_ids(server: ResultsServer) -> list[str]:
    return [body["id"].partition("-")[0] for body in server.bodies() if "verdict" in body["name"]]


def test_every_record_is_sent_once_and_a_further_file_later(
    tmp_path: Path, server: ResultsServer, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = a_folder(tmp_path, 30, 5)
    arguments = ["export", str(folder), "--to", "langfuse", "--endpoint", server.url]
    assert main(arguments) == 0
    assert sorted(scored_ids(server)) == sorted(f"r{number}" for number in range(35))
    progress = tmp_path / ".groundwatch-export-langfuse.json"
    assert (
        capsys.readouterr().out
        == f"langfuse: 35 records sent and confirmed; {progress} keeps what is done.\n"
    )
    write_enriched(folder, [an_enriched(record_id="late", trace_id="t1")], "run9")
    assert main(arguments) == 0
    assert scored_ids(server)[35:] == ["late"]
    assert "langfuse: 1 record sent and confirmed, 35 sent before; " in capsys.readouterr().out
    assert main(arguments) == 0
    assert len(scored_ids(server)) == 36
    assert "langfuse: nothing new to send, 36 sent before; " in capsys.readouterr().out


def test_a_record_that_is_refused_is_named_and_the_others_are_sent(
    tmp_path: Path, server: ResultsServer, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse_one(request: Received) -> Reply:
        is_refused = request.json["id"].startswith("r7-")
        return Reply(400) if is_refused else documented_reply(request)

    server.answer = refuse_one
    folder = a_folder(tmp_path, 30)
    status = main(["export", str(folder), "--to", "langfuse", "--endpoint", server.url])
    assert status == 1
    assert "29 records sent and confirmed, 1 refused" in capsys.readouterr().out
    assert set(scored_ids(server)) == {f"r{number}" for number in range(30)}


def test_a_refused_record_beside_one_without_a_trace_is_not_called_traceless(
    tmp_path: Path, server: ResultsServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = lambda _: Reply(400)
    rows = [an_enriched(record_id="r1", trace_id="t"), an_enriched(record_id="r2", trace_id=None)]
    write_enriched(tmp_path, rows)
    assert main(["export", str(tmp_path), "--to", "langfuse", "--endpoint", server.url]) == 1
    printed = capsys.readouterr()
    assert "1 skipped (no trace id), 1 refused" in printed.out
    assert "no record has a trace" not in printed.err


def test_a_damaged_file_is_named_and_all_other_records_are_sent(
    tmp_path: Path, server: ResultsServer, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = a_folder(tmp_path, 20, 20)
    damaged, _ = find_files(str(folder)).enriched
    content = Path(damaged).read_bytes()
    Path(damaged).write_bytes(content[:-30])
    command = ["export", str(folder), "--to", "langfuse", "--endpoint", server.url]
    for sent in ("20 records sent and confirmed", "nothing new to send"):
        assert main(command) == 1
        said = capsys.readouterr().err
        assert f"{damaged}: is damaged" in said
        assert sent in said
        assert "restore what is damaged" in said
    Path(damaged).write_bytes(content)
    assert main(command) == 0
    assert sorted(scored_ids(server)) == sorted(f"r{number}" for number in range(40))


def test_a_wrong_key_ends_it_and_the_same_command_resumes(
    tmp_path: Path, server: ResultsServer, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = a_folder(tmp_path, 45)

    def refuse_some(request: Received) -> Reply:
        return Reply(401) if len(server.received) > 70 else documented_reply(request)

    server.answer = refuse_some
    arguments = ["export", str(folder), "--to", "langfuse", "--endpoint", server.url]
    assert main(arguments) == 1
    assert "correct the address, LANGFUSE_PUBLIC_KEY" in capsys.readouterr().err
    server.answer = documented_reply
    assert main(arguments) == 0
    assert "45 records sent" in capsys.readouterr().out
    assert set(scored_ids(server)) == {f"r{number}" for number in range(45)}


def test_an_export_that_skips_everything_says_so_with_a_status_of_its_own(
    tmp_path: Path, server: ResultsServer, capsys: pytest.CaptureFixture[str]
) -> None:
    write_enriched(tmp_path, [an_enriched(record_id="r1", trace_id=None)])
    arguments = ["export", str(tmp_path), "--to", "langfuse", "--endpoint", server.url]
    for _ in range(2):
        assert main(arguments) == 3
        printed = capsys.readouterr()
        assert "0 records sent, 1 skipped (no trace id)" in printed.out
        assert "no record has a trace, and langfuse has no place for it without one" in printed.err
    assert not server.received


def test_a_progress_that_is_no_file_is_refused(
    tmp_path: Path, server: ResultsServer, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--to", "langfuse", "--endpoint", server.url, "--progress", "/dev/null"]
    assert main(["export", str(tmp_path), *arguments]) == 2
    assert "--progress /dev/null: must be a file" in capsys.readouterr().err


def test_since_and_traceless_records_are_counted(tmp_path: Path) -> None:
    noon_us = to_us(datetime(2026, 3, 3, 12))  # noqa: DTZ001 - UTC
    records = [
        an_enriched(record_id="old", trace_id="t", event_time_us=noon_us - DAY_US),
        an_enriched(record_id="timeless", trace_id="t", event_time_us=None),
        an_enriched(record_id="traceless", trace_id=None, event_time_us=noon_us),
        an_enriched(record_id="new", trace_id="t", event_time_us=noon_us),
    ]
    write_enriched(tmp_path, records)
    target = ATarget()
    run = export_to(tmp_path, target, since=noon_us)
    assert target.sent == ["new"]
    assert (
        "1 record sent and confirmed, 1 skipped (no trace id), 2 before --since, or without a time;"
        in run.describe()
    )


def test_a_text_is_sent_only_where_it_is_allowed(tmp_path: Path, server: ResultsServer) -> None:
    folder = a_folder(tmp_path, 1)
    arguments = ["export", str(folder), "--to", "langfuse", "--endpoint", server.url]
    assert main(arguments) == 0
    without = len(server.bodies())
    assert main([*arguments, "--alert_text"]) == 0
    texts = [claim.text for claim in an_enriched().claims]
    comments = [body["comment"] for body in server.bodies()]
    assert not any(text in comment for text in texts for comment in comments[:without])
    assert any(text in comments[without] for text in texts)


@given(st.lists(st.booleans(), max_size=30))
def test_outages_lose_and_reorder_nothing(outages: list[bool]) -> None:
    class Failing(ATarget):
        max_rows = 2

        def send(self, rows: Any) -> None:
            if outages and outages.pop():
                raise TargetUnavailable("away", retry_after_s=0.1)
            super().send(rows)

    import tempfile  # noqa: PLC0415 - a folder for each example

    with tempfile.TemporaryDirectory() as root:
        target = Failing()
        export_to(a_folder(Path(root), 5, 4), target)
        assert target.sent == [f"r{number}" for number in range(9)]


def test_a_target_that_stays_away_is_named_once_and_ends_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    target = ATarget()
    target.error = TargetUnavailable("tool does not answer")
    with pytest.raises(TargetUnavailable):
        export_to(a_folder(tmp_path, 1), target)
    assert 4 < target.calls < 12
    assert caplog.messages == ["waiting: tool does not answer"]


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (
            ["--to", "langfuse", "--output", "x.csv"],
            "--output: has no effect without --to csv or --to parquet",
        ),
        (["--to", "csv"], "--output is missing"),
        (
            ["--to", "csv", "--output", "x", "--since", "2026-03-02"],
            "--since: has no effect without --to langfuse",
        ),
        (["--to", "langfuse", "--since", "soon"], "must be a date or a time"),
        (["--to", "langfuse", "--endpoint", "ftp://x"], "must be an address"),
    ],
)
def test_flags_that_cannot_be_meant_are_refused(
    flags: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "out", *flags]) == 2
    assert problem in capsys.readouterr().err


def test_a_tool_gets_no_table_that_the_environment_names(
    tmp_path: Path, server: ResultsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWATCH_EXPORT_OUTPUT", str(tmp_path / "x.csv"))
    tool = "--to", "langfuse", "--endpoint", server.url
    assert main(["export", str(a_folder(tmp_path, 1)), *tool]) == 0
    assert not (tmp_path / "x.csv").exists()


def test_a_killed_export_resumes_and_loses_nothing(
    tmp_path: Path, server: ResultsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = a_folder(tmp_path, 200)
    monkeypatch.setattr(export_folder, "_WRITE_EVERY_S", 0.0)
    arguments = ["export", str(folder), "--to", "langfuse", "--endpoint", server.url]
    with start(*GROUNDWATCH, *arguments) as process:
        wait_until(lambda: len(server.received) > 110, 60.0)
        process.kill()
    first = len(server.received)
    assert main(arguments) == 0
    assert set(scored_ids(server)) == {f"r{number}" for number in range(200)}
    repeated = len(server.received) - 400
    assert first < 400
    assert 0 <= repeated <= first
    progress = msgspec.json.decode((tmp_path / ".groundwatch-export-langfuse.json").read_bytes())
    [done] = progress["places"].values()
    assert done["delivered"]["sent"] == 200
    assert os.listdir(tmp_path / "enriched")  # noqa: PTH208 - nothing else was touched


def test_two_exports_do_not_share_a_file_of_progress(
    tmp_path: Path,
    server: ResultsServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = a_folder(tmp_path, 3)
    monkeypatch.setattr(export_folder, "LOCK_WAIT_S", 0.0)
    arguments = ["export", str(folder), "--to", "langfuse", "--endpoint", server.url]
    with lock_output(f"{folder}/.groundwatch-export-langfuse.json.lock", 0.0):
        assert main(arguments) == 1
    assert "another process holds" in capsys.readouterr().err
    assert not server.received
    assert main(arguments) == 0


@contextmanager
def two_servers() -> Iterator[tuple[ResultsServer, ResultsServer]]:
    with results_server() as first, results_server() as second:
        yield first, second


VARIABLES = {
    "langfuse": "LANGFUSE_HOST",
    "mlflow": "MLFLOW_TRACKING_URI",
    "opentelemetry": "OTEL_EXPORTER_OTLP_ENDPOINT",
    "phoenix": "PHOENIX_COLLECTOR_ENDPOINT",
}


@pytest.mark.parametrize("tool", VARIABLES)
def test_what_was_sent_to_one_address_is_sent_to_another_and_once_to_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tool: str
) -> None:
    folder = a_folder(tmp_path, 3, trace_id="0" * 31 + "1")
    with two_servers() as servers:
        counts = []
        for number in (0, 1, 0, 1):
            address = servers[number].url.replace("://", "://user:s3cret@")
            monkeypatch.setenv(VARIABLES[tool], address)
            assert main(["export", str(folder), "--to", tool]) == 0
            counts.append(len(servers[number].received))
    assert counts[0] == counts[1] == counts[2] == counts[3] > 0
    printed = capsys.readouterr().out.splitlines()
    assert ["3 records sent and confirmed;" in line for line in printed] == [
        True,
        True,
        False,
        False,
    ]
    kept = (tmp_path / f".groundwatch-export-{tool}.json").read_text()
    assert not any(each in kept for each in ("s3cret", "user", "127.0.0.1", '"sk"', "pk"))


def test_another_project_at_the_same_address_gets_all(
    tmp_path: Path, server: ResultsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = a_folder(tmp_path, 2)
    for project in ("pk", "pk-other", "pk"):
        monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", project)
        assert main(["export", str(folder), "--to", "langfuse", "--endpoint", server.url]) == 0
    assert sorted(scored_ids(server)) == ["r0", "r0", "r1", "r1"]


@pytest.mark.parametrize("is_flag", [True, False])
def test_progress_of_an_earlier_release_counts_for_the_address_that_is_used_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, is_flag: bool
) -> None:
    folder = a_folder(tmp_path, 2)
    [path] = find_files(str(folder)).enriched
    with two_servers() as (first, second):
        old = {
            "purpose": msgspec.json.encode([first.url if is_flag else None, None, False]).decode(),
            "files": {f"{path} {storage.version(path)}": 1},
            "delivered": {"sent": 1},
        }
        (tmp_path / ".groundwatch-export-langfuse.json").write_bytes(msgspec.json.encode(old))
        for server in (first, second, first):
            monkeypatch.setenv("LANGFUSE_HOST", server.url)
            flags = ["--endpoint", server.url] if is_flag else []
            assert main(["export", str(folder), "--to", "langfuse", *flags]) == 0
        assert (scored_ids(first), sorted(scored_ids(second))) == (["r1"], ["r0", "r1"])
    named = [message for message in caplog.messages if "does not name its address" in message]
    assert len(named) == (not is_flag)


def test_a_file_that_another_run_has_replaced_is_sent_again(tmp_path: Path) -> None:
    folder, target = a_folder(tmp_path, 3, 1), ATarget()
    export_to(folder, target)
    records = [an_enriched(record_id=f"r{at}", trace_id="t1", verdict="BLOCKED") for at in range(3)]
    write_enriched(folder, records, "run0")
    assert "3 records sent and confirmed, 4 sent before" in export_to(folder, target).describe()
    assert target.sent == ["r0", "r1", "r2", "r3", "r0", "r1", "r2"]
