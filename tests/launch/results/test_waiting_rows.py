"""Rows that no file has yet are told of by the commands that look for them in an output folder."""

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.engine.journal import FILE_AGE, Journal
from groundwatch.launch.engine.plan import Plan
from groundwatch.launch.results.waiting_rows import describe_empty, describe_waiting
from groundwatch.launch.watch.destinations import alert_place
from groundwatch.pipeline.settings.checker import DATABASE
from groundwatch.schemas.planned_run import PlannedRun
from tests.support.archives import an_envelope
from tests.support.builders import RECORD_ID, a_failure, an_enriched
from tests.support.journals import an_alert, commit_batch, open_journal
from tests.support.reports import write_enriched, write_summary
from tests.support.reviews import served
from tests.support.watched import Watched, work

ID = "a" * 64
BY = r"by \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"


@contextmanager
def a_worker(folder: Path, file_age_s: float | None = 3_600.0) -> Iterator[Journal]:
    """The journal of a worker over an output folder, with nothing in it."""
    place = folder / ".groundwatch-live"
    with closing(open_journal(place, topics=())) as journal:
        journal.database.assign_run("live")
        if file_age_s is not None:
            journal.database.keep_note(FILE_AGE, file_age_s)
        yield journal


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """The output of a worker whose only two records wait for their file."""
    folder = tmp_path / "out"
    with a_worker(folder) as journal:
        commit_batch(journal)
    return folder


COMMANDS = (("show", ID), ("report",), ("export", "--to", "csv", "--output", "-"))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_folder_whose_rows_all_wait_says_so(
    output: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    name, *given = command
    places = [given[0], str(output), *given[1:]] if name == "show" else [str(output), *given]
    assert main([name, *places]) == 1
    said = capsys.readouterr().err
    assert f"2 records wait in {output / '.groundwatch-live'}, in no file yet" in said
    assert re.search(f"the worker publishes them {BY} \\(--file_age_s 3600\\)", said)
    assert "not an output folder" not in said
    assert "pass an output folder" not in said


def test_a_record_that_waits_is_shown(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = RECORD_ID[:9], str(output)
    assert main(["show", *wanted]) == 0
    shown = capsys.readouterr()
    assert RECORD_ID in shown.out
    assert "2 records wait in" in shown.err
    # Beside files that do not have it, and as JSON.
    write_enriched(output, [an_enriched(record_id=ID)])
    write_summary(output)
    assert main(["show", *wanted, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["record_id"] == RECORD_ID
    # Once it is in a file, nothing waits for it.
    write_enriched(output, [an_enriched()])
    assert main(["show", *wanted]) == 0
    assert capsys.readouterr().err == ""


def test_a_record_is_shown_from_a_work_folder_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    output.mkdir()
    with a_worker(tmp_path / "elsewhere") as journal:
        commit_batch(journal)
    place = alert_place(str(output), str(tmp_path / "elsewhere" / ".groundwatch-live"))
    command = shlex.split(place.show(RECORD_ID) or "")
    assert main(command[1:]) == 0
    assert RECORD_ID in capsys.readouterr().out
    assert main(["show", RECORD_ID, str(output)]) == 2


def test_a_prefix_can_mean_a_record_in_a_file_and_one_that_waits(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = RECORD_ID[:9] + "f" * 55
    write_enriched(output, [an_enriched(record_id=other)])
    assert main(["show", RECORD_ID[:9], str(output)]) == 1
    assert "can mean 2 records" in capsys.readouterr().err


def test_export_to_a_tool_says_so(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--to", "opentelemetry", "--endpoint", "http://127.0.0.1:1"]
    assert main(["export", str(output), *given]) == 1
    assert "2 records wait in" in capsys.readouterr().err


def test_review_says_so_on_its_page(output: Path) -> None:
    with served(output, is_empty=True) as address:
        page = httpx.get(address).text
    assert f"2 records wait in {output / '.groundwatch-live'}, in no file yet" in page


def test_what_waits_beside_published_rows_is_said(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_enriched(output, [an_enriched(record_id=ID)])
    write_summary(output)
    assert main(["show", ID, str(output)]) == 0
    assert "wait" not in capsys.readouterr().err
    assert main(["show", "b" * 64, str(output)]) == 1
    assert "has the id or the name 'bbbb" in (said := capsys.readouterr().err)
    assert "2 records wait in" in said
    assert main(["report", str(output)]) == 0
    assert "2 records wait in" in (said := capsys.readouterr().err)
    assert "the report counts what is published" in said
    with served(output) as address:
        assert "2 records wait in" in httpx.get(address).text


def test_rows_of_all_kinds_are_counted_and_an_overdue_worker_is_named(tmp_path: Path) -> None:
    with a_worker(tmp_path, file_age_s=0.0) as journal:
        commit_batch(journal, 1, an_enriched(), failures=[a_failure()], alerts=[an_alert()] * 2)
        [sentence] = describe_waiting(str(tmp_path))
    assert sentence.startswith("2 alerts, 1 record, 1 failure wait in ")
    assert re.search(f"was to publish them {BY}; if it does not run, start it again", sentence)


def test_a_worker_of_an_earlier_release_has_no_time(tmp_path: Path) -> None:
    with a_worker(tmp_path, file_age_s=None) as journal:
        commit_batch(journal, 1, an_enriched())
    [sentence] = describe_waiting(str(tmp_path))
    assert sentence.startswith("1 record waits in ")
    assert sentence.endswith("the worker publishes them within its --file_age_s")


def test_an_interrupted_backfill_is_told_to_go_on(tmp_path: Path) -> None:
    with a_worker(tmp_path, file_age_s=None) as journal:
        plan = PlannedRun(fingerprint="", inputs=(), versions=(), messages=1)
        Plan(journal.database).begin(plan, [])
        commit_batch(journal)
    [sentence] = describe_waiting(str(tmp_path))
    assert "the run live has not ended; give its command again to finish it" in sentence


def test_a_worker_without_rows_is_no_missing_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with a_worker(tmp_path):
        pass
    assert describe_waiting(str(tmp_path)) == []
    assert describe_empty(str(tmp_path)) == f"{tmp_path / '.groundwatch-live'} has no rows yet"
    assert main(["report", str(tmp_path)]) == 1
    assert "has no rows yet" in capsys.readouterr().err
    assert describe_empty(str(tmp_path / "elsewhere")) is None


def test_a_database_that_cannot_be_read_is_named_and_costs_no_answer(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_enriched(output, [an_enriched(record_id=ID)])
    database = output / ".groundwatch-live" / DATABASE
    database.write_bytes(b"SQLite format 3\0" + b"x" * 5_000)
    assert main(["show", ID, str(output)]) == 0
    assert main(["show", "b" * 64, str(output)]) == 1
    assert f"what waits in {database.parent} cannot be read" in capsys.readouterr().err


def test_a_worker_notes_when_it_publishes(watched: Watched) -> None:
    watched.work_folder = str(watched.output / ".groundwatch-r1")
    sentences: list[str] = []

    def waits() -> list[str]:
        sentences.extend(describe_waiting(str(watched.output)))
        return sentences

    with watched.worker(file_age_s=1_234) as worker:
        watched.publish(an_envelope(1))
        work(worker, lambda: waits() or watched.record_ids())
        # A worker's first file is due at its start.
        watched.publish(an_envelope(2))
        work(worker, waits)
    assert "--file_age_s 1234" in sentences[-1]
