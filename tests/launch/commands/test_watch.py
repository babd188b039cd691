"""`groundwatch watch` as a person runs it, and as a machine kills it."""

import random
import signal
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from launch.local import work_folder as work_folder_module
from launch.local.work_folder import WorkFolder
from launch.main import main
from launch.pubsub_server.server import PubSubServer
from tests.support.archives import an_envelope
from tests.support.clocks import ManualClock
from tests.support.commands import run
from tests.support.fault_server import FaultServer, always
from tests.support.outputs import (
    Json,
    alerts_in,
    failures_in,
    records_in,
    summary_in,
    visible_files,
)
from tests.support.pubsub_servers import ServerUnderTest
from tests.support.pubsub_topics import OneTopic
from tests.support.watched import ALERTS, SUBSCRIPTION, Watched, total
from tests.support.watching import WatchProcess, ledger_in
from tests.support.wire_faults import hang, status

MANY = 600


@pytest.fixture
def watched(own_server: PubSubServer, tmp_path: Path) -> Watched:
    return Watched(own_server, tmp_path)


def begin(watched: Watched, *flags: str) -> WatchProcess:
    return WatchProcess(watched.server.address, SUBSCRIPTION, watched.output, *flags)


def low(number: int) -> bytes:
    return an_envelope(number, answer="Kettles vote in Senegal.")


def ids_in(output: Path) -> Counter[str]:
    return Counter(record["record_id"] for record in records_in(output))


def messages_of(log: list[Json]) -> str:
    return "\n".join(line["message"] for line in log)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda it: it.name)
def test_a_signal_drains_and_closes_the_counts(watched: Watched, number: signal.Signals) -> None:
    watched.publish(*map(an_envelope, range(30)), low(30), b"no answer", an_envelope(3))
    with begin(watched, "--alert_topic", ALERTS) as worker:
        worker.wait_for(lambda: not watched.outstanding)
        ended = worker.end(number)
    assert (ended[0], messages_of(ended[1])) == (0, "draining; what is in work is finished first")
    assert len(ids_in(watched.output)) == 31
    assert len(failures_in(watched.output)) == 1
    assert [alert["record_id"] for alert in watched.published(ALERTS)] == [
        record["record_id"]
        for record in records_in(watched.output)
        if record["verdict"] == "LOW_GROUNDED"
    ]
    summary = summary_in(watched.output)
    ends = ("read", "enriched", "failures", "duplicates", "alerts", "closes")
    assert [summary[name] for name in ends] == [33, 31, 1, 1, 1, True]
    assert main(["status", str(watched.output)]) == 0


def test_every_server_there_is_can_be_watched_and_left(
    pubsub_server: ServerUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    with (
        OneTopic(pubsub_server.address, monkeypatch, ack_deadline_seconds=10) as answers,
        WatchProcess(pubsub_server.address, answers.subscription, output) as worker,
    ):
        answers.publish(*map(an_envelope, range(100)), low(100), b"no answer", an_envelope(7))
        worker.wait_for(lambda: total(ledger_in(output))["read"] >= 103)
        assert worker.end()[0] == 0
        assert answers.at_once() == []
    assert len(ids_in(output)) == 101
    assert (len(alerts_in(output)), len(failures_in(output))) == (1, 1)
    assert summary_in(output)["closes"] is True


def test_a_worker_that_is_killed_again_and_again_loses_nothing_and_doubles_nothing(
    watched: Watched, clock: ManualClock
) -> None:
    chance = random.Random(5)  # noqa: S311 - the same moments in every run
    watched.server.faults.duplicated_share = 0.1
    watched.server.faults.lost_acks_share = 0.05
    watched.publish(*(low(n) if n % 10 == 0 else an_envelope(n) for n in range(MANY)))
    flags = ["--alert_topic", ALERTS, "--batch_messages", "20", "--file_age_s", "0.3"]
    for _ in range(3):
        delivered = watched.server.counts(SUBSCRIPTION).delivered
        with begin(watched, *flags) as worker:
            worker.wait_for(lambda: watched.server.counts(SUBSCRIPTION).delivered > delivered)  # noqa: B023
            worker.let_work(chance.uniform(0.0, 1.0))
            worker.kill()
        # What can be seen by now is whole, and holds each answer once at most.
        assert set(ids_in(watched.output).values()) <= {1}
        assert watched.outstanding
        clock.advance(61)
    watched.server.faults.lost_acks_share = 0.0
    with begin(watched, *flags) as worker:
        worker.wait_for(lambda: not watched.outstanding)
        assert worker.end()[0] == 0
    assert sorted(ids_in(watched.output).values()) == [1] * MANY
    alerts = Counter(alert["record_id"] for alert in watched.published(ALERTS))
    assert len(alerts) == MANY // 10
    sums = total(ledger_in(watched.output))
    assert (sums["enriched"], sums["gap"]) == (MANY, 0)
    assert sums["duplicates"] == sums["read"] - MANY > 0
    assert summary_in(watched.output)["closes"] is True


def test_a_server_that_goes_away_and_returns_is_waited_for(watched: Watched) -> None:
    watched.publish(*map(an_envelope, range(20)))
    with begin(watched, "--alert_topic", ALERTS) as worker:
        worker.wait_for(lambda: not watched.outstanding)
        watched.server.go_away()
        watched.server.come_back()
        watched.publish(*map(low, range(20, 40)))
        worker.wait_for(lambda: not watched.outstanding)
        worker.wait_for(lambda: watched.server.counts(_subscription_of(ALERTS)).published == 20)
        watched.server.go_away()
        started_s = time.monotonic()
        assert worker.end()[0] == 0
    assert time.monotonic() - started_s < 30
    assert len(ids_in(watched.output)) == 40
    assert summary_in(watched.output)["closes"] is True


def _subscription_of(topic: str) -> str:
    return topic.replace("topics", "subscriptions")


def test_a_worker_that_cannot_drain_in_time_says_so_and_the_next_one_does_the_work(
    watched: Watched,
) -> None:
    watched.publish(*map(an_envelope, range(5)))
    with FaultServer(always(hang)) as checker, ExitStack() as opened:
        flags = ["--checker", checker.address, "--timeout_s", "60", "--drain_s", "0.5"]
        worker = opened.enter_context(begin(watched, *flags))
        worker.wait_for(lambda: checker.requests)
        exit_status, log = worker.end()
        assert exit_status == 1
        assert "could not drain in time; nothing is lost, start it again" in messages_of(log)
    assert watched.outstanding == 5
    assert visible_files(watched.output) == []


def test_a_second_signal_insists(watched: Watched) -> None:
    watched.publish(an_envelope(1))
    with FaultServer(always(hang)) as checker, ExitStack() as opened:
        flags = ["--checker", checker.address, "--timeout_s", "60"]
        worker = opened.enter_context(begin(watched, *flags))
        worker.wait_for(lambda: checker.requests)
        worker.process.send_signal(signal.SIGTERM)
        assert worker.process.stderr
        assert "draining" in worker.process.stderr.readline()
        assert worker.end()[0] == 128 + signal.SIGTERM
    assert watched.outstanding == 1


def watch(watched: Watched, *flags: str) -> int:
    """Run the command in this process; returns its exit status."""
    places = ["--subscription", SUBSCRIPTION, "--output", str(watched.output)]
    return main(["watch", *places, "--pubsub_address", watched.server.address, *flags])


def test_a_second_worker_on_the_same_output_is_refused(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(work_folder_module, "_LOCK_TIMEOUT_S", 0.1)
    folder = str(watched.output / "work")
    with WorkFolder(folder).held():
        assert watch(watched, "--work_folder", folder) == 1
    assert f"another run of the same id is at work: it holds {folder}" in capsys.readouterr().err


def test_the_work_of_another_run_is_not_mixed_with_this_ones(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(watched.output / "work")
    with FaultServer(always(status(403, "Forbidden"))) as checker:
        watched.publish(an_envelope(1))
        shared = ["--work_folder", folder, "--checker", checker.address]
        assert watch(watched, "--run_id", "r1", *shared) == 1
        assert watch(watched, "--run_id", "r2", *shared) == 1
    assert "belongs to the run 'r1', and this is 'r2'" in capsys.readouterr().err


def test_a_refusal_of_the_checker_ends_the_watch_with_a_sentence(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    watched.publish(*map(an_envelope, range(5)))
    with FaultServer(always(status(403, "Forbidden"))) as checker:
        assert watch(watched, "--checker", checker.address) == 1
    told = capsys.readouterr().err
    assert "the monitoring failed: " in told
    assert "403" in told
    assert "Lamps" not in told
    assert watched.outstanding == 5


def test_a_subscription_that_is_not_there_ends_the_watch_with_a_sentence(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = ["--subscription", "projects/lamps/subscriptions/missing"]
    assert watch(watched, *missing) == 1
    told = capsys.readouterr().err
    assert "cannot pull from projects/lamps/subscriptions/missing: it does not exist" in told


def test_the_run_is_named_after_the_subscription_wherever_it_is_started(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with FaultServer(always(status(403, "Forbidden"))) as checker:
        watched.publish(an_envelope(1))
        for folder in ("here", "there"):
            (tmp_path / folder).mkdir()
            monkeypatch.chdir(tmp_path / folder)
            watch(watched, "--checker", checker.address)
    assert len(list(watched.output.glob(".groundwatch-*"))) == 1


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        ([], "--subscription is missing"),
        (["--subscription", "answers"], "must have the form projects/P/subscriptions/S"),
        (["--alert_topic", "alerts"], "must have the form projects/P/topics/T"),
        (["--batch_messages", "0"], "must be a whole number from 1"),
        (["--input", "x"], "--input is unknown"),
        (["--workers", "2"], "--workers is unknown"),
        (["--demo", "--subscription", "x"], "--subscription is unknown"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_line_that_makes_no_sense_is_refused(
    flags: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", "--output", str(tmp_path / "out"), *flags]) == 2
    assert complaint in capsys.readouterr().err


_DEMO = """
import os, sys

def refuse(event, arguments):
    if event in {"socket.connect", "socket.sendto", "socket.getaddrinfo"}:
        sys.stderr.write(f"network: {event} {arguments}")
        os._exit(97)

sys.addaudithook(refuse)
import grpc

def within(open_channel):
    def open_within(target, *given, **named):
        if not target.startswith("127.0.0.1:"):
            sys.stderr.write(f"network: {target}")
            os._exit(97)
        return open_channel(target, *given, **named)
    return open_within

grpc.insecure_channel, grpc.secure_channel = map(
    within, (grpc.insecure_channel, grpc.secure_channel)
)
from launch.main import main
from launch.watch import demo
demo._PER_S = 400
for _ in range(2):
    exit_status = main(["watch", "--demo", "--output", sys.argv[1]])
sys.exit(exit_status)
"""


def test_the_demo_shows_alerts_and_closes_without_a_network_and_so_does_a_second_one(
    tmp_path: Path,
) -> None:
    # What an earlier demo could have left, of another day.
    left_over = tmp_path / "enriched/event_date=2020-01-01/watch-demo-batch0000000001-0-00000.avro"
    left_over.parent.mkdir(parents=True)
    left_over.touch()
    exit_status, told, complained = run("-c", _DEMO, str(tmp_path))
    assert (exit_status, complained) == (0, "")
    assert told.count("every message is accounted for") == 2
    assert "ALERT WARNING answer LOW_GROUNDED" in told
    assert " answers: grounded " in told
    summary: Any = summary_in(tmp_path)
    assert summary["closes"] is True
    assert len(records_in(tmp_path)) == len(ids_in(tmp_path)) == summary["enriched"]
    assert len(failures_in(tmp_path)) == summary["failures"]
