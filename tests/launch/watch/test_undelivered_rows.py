"""Rows that were acknowledged and are not where they go: they are named, kept and delivered."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from groundwatch.launch.cli.main import main
from groundwatch.pipeline.settings.config import Destination
from groundwatch.pipeline.sinks.summary_file import read_summaries, write_summary
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.outputs import alerts_in, failures_in, summary_in
from tests.support.watched import ALERTS, FAILURES, SUBSCRIPTION, Watched
from tests.support.watching import WatchProcess

TO_TOPICS = ("--alert_topic", ALERTS, "--failure_topic", FAILURES)
LOW, UNREADABLE = 3, 2


def watch(watched: Watched, *flags: str, output: Path | None = None) -> WatchProcess:
    # No rate of answers is an alert here.
    flags = (*flags, "--rate_burn", "1000000")
    return WatchProcess(watched.server.address, SUBSCRIPTION, output or watched.output, *flags)


@pytest.fixture
def left(watched: Watched) -> str:
    """Let a worker end whose topics have been deleted; return the last line of its log."""
    with watch(watched, *TO_TOPICS, "--drain_s", "12") as worker:
        watched.publish(an_envelope(0))
        worker.wait_for(lambda: not watched.outstanding)
        for topic in (ALERTS, FAILURES):
            watched.server.delete(topic)
        watched.publish(*map(an_unsupported_envelope, range(1, LOW + 1)))
        watched.publish(*(b"no answer %d" % number for number in range(UNREADABLE)))
        worker.wait_for(lambda: not watched.outstanding)
        exit_status, log = worker.end()
    assert exit_status == 3
    assert "every message is accounted for" not in str(log)
    return str(log[-1]["message"])


def work_folder_of(watched: Watched) -> Path:
    (folder,) = watched.output.glob(".groundwatch-*")
    return folder


def verified(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    capsys.readouterr()
    return main(["verify", *map(str, arguments)]), capsys.readouterr().out


def assert_missed_without_the_work_folder(
    watched: Watched, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows are missed while their work folder is elsewhere, unless it is named."""
    folder = work_folder_of(watched)
    folder.rename(elsewhere)
    exit_status, page = verified(capsys, watched.output)
    assert exit_status == 1
    for kind, rows in (("alerts", LOW), ("failures", UNREADABLE)):
        sentence = f"rows of {kind} in a work folder that was not found: {rows};"
        assert sentence in page
    assert verified(capsys, watched.output, "--work_folder", elsewhere)[0] == 3
    elsewhere.rename(folder)


def assert_unknown_if_not_noted(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows of a worker that did not note what its topics took are unknown; the output changes."""
    (summary,) = read_summaries(str(output))
    destination = Destination(root=str(output), run=summary.run)
    write_summary(destination, replace(summary, published=None, waiting={}))
    (folder,) = output.glob(".groundwatch-*")
    shutil.rmtree(folder)
    exit_status, page = verified(capsys, output)
    assert exit_status == 3
    assert f"{LOW} alerts and {UNREADABLE} failures are in no file: a topic has them" in page
    lines = [line.split() for line in page.splitlines()]
    assert ["unknown", "0", str(UNREADABLE), str(LOW)] in lines


def assert_written_to_files_without_topics(
    watched: Watched, output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A worker without the topics writes what waited for them to files of this output."""
    with watch(watched, output=output) as worker:
        watched.publish(an_envelope(8))
        worker.wait_for(lambda: not watched.outstanding)
        exit_status, log = worker.end()
    assert exit_status == 0
    messages = [line["message"] for line in log]
    for kind, rows in (("alert", LOW), ("failure", UNREADABLE)):
        sentence = f"{rows} rows that waited for a topic of each {kind} go to files"
        assert any(message.startswith(sentence) for message in messages)
    assert len(alerts_in(output)) == LOW
    assert len(failures_in(output)) == UNREADABLE
    assert verified(capsys, output)[0] == 0


def test_the_last_line_and_verify_name_what_is_left_and_a_later_start_delivers_it(
    watched: Watched, tmp_path: Path, left: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = work_folder_of(watched)
    assert left == (
        f"not delivered, but kept in {folder}: alerts {LOW}, failures {UNREADABLE};"
        " start the worker again with this folder"
    )
    exit_status, page = verified(capsys, watched.output)
    assert exit_status == 3
    assert (
        f"{LOW} alerts and {UNREADABLE} failures wait in {folder} for their topic: the worker"
        " delivers them." in page
    )
    assert "Verified" not in page
    assert_missed_without_the_work_folder(watched, tmp_path / "elsewhere", capsys)
    copies = [Path(shutil.copytree(watched.output, tmp_path / name)) for name in ("one", "two")]
    assert_unknown_if_not_noted(copies[0], capsys)
    assert_written_to_files_without_topics(watched, copies[1], capsys)
    for topic in (ALERTS, FAILURES):
        watched.server.create(topic, f"{topic.replace('topics', 'subscriptions')}-again")
    with watch(watched, *TO_TOPICS) as worker:
        watched.publish(an_envelope(9))
        worker.wait_for(lambda: not watched.outstanding)
        assert worker.end()[0] == 0
    assert len(watched.published(f"{ALERTS}-again")) == LOW
    assert len(watched.messages(f"{FAILURES}-again")) == UNREADABLE
    assert summary_in(watched.output)["published"] == {"alerts": LOW, "failures": UNREADABLE}
    assert verified(capsys, watched.output)[0] == 0


def test_a_topic_that_comes_back_during_the_drain_gets_its_rows(watched: Watched) -> None:
    with watch(watched, *TO_TOPICS, "--drain_s", "60") as worker:
        watched.publish(an_envelope(0))
        worker.wait_for(lambda: not watched.outstanding)
        watched.server.delete(ALERTS)
        watched.publish(an_unsupported_envelope(1))
        worker.wait_for(lambda: not watched.outstanding)
        worker.process.send_signal(15)
        watched.server.create(ALERTS, f"{ALERTS.replace('topics', 'subscriptions')}-again")
        assert worker.ended()[0] == 0
    assert len(watched.published(f"{ALERTS}-again")) == 1


def test_records_and_a_summary_that_cannot_be_written_wait_for_the_next_worker(
    watched: Watched,
) -> None:
    in_the_way = [watched.output / name for name in ("enriched", "runs")]
    with watch(watched, "--drain_s", "12") as worker:
        worker.wait_for(lambda: list(watched.output.glob(".groundwatch-*")))
        for path in in_the_way:
            path.write_bytes(b"")
        watched.publish(*map(an_envelope, range(5)))
        worker.wait_for(lambda: not watched.outstanding)
        exit_status, log = worker.end()
    assert exit_status == 3
    folder = work_folder_of(watched)
    assert log[-1]["message"] == (
        f"not delivered, but kept in {folder}: enriched 5; start the worker again with this folder"
    )
    for path in in_the_way:
        path.unlink()
    with watch(watched) as worker:
        watched.publish(an_envelope(5))
        worker.wait_for(lambda: not watched.outstanding)
        assert worker.end()[0] == 0
    assert len(watched.record_ids()) == 6
    assert main(["verify", str(watched.output)]) == 0
