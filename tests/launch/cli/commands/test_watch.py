"""`groundwatch watch` as a person runs it, and as a machine kills it."""

import base64
import random
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.pipeline.settings.checker import DATABASE
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.clocks import ManualClock
from tests.support.fault_server import FaultServer, always
from tests.support.outputs import (
    Json,
    alerts_in,
    distinct_ids_in,
    failures_in,
    records_in,
    summary_in,
    visible_files,
)
from tests.support.pubsub_servers import ServerUnderTest
from tests.support.pubsub_topics import OneTopic
from tests.support.results_server import ResultsServer, results_server
from tests.support.watched import ALERTS, ENRICHED, SUBSCRIPTION, Watched, total
from tests.support.watching import WatchProcess, alerts_delivered_in, ledger_in
from tests.support.wire_faults import hang

MANY = 400
SIGNING_KEY = base64.b64encode(bytes(24)).decode()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ResultsServer]:
    """Take the requests to the webhook in the environment variable HOOK."""
    with results_server() as server:
        monkeypatch.setenv("HOOK", f"{server.url}/hook {SIGNING_KEY}")
        yield server


def begin(watched: Watched, *flags: str, limits: Sequence[str] = ()) -> WatchProcess:
    address, output = watched.server.address, watched.output
    return WatchProcess(address, SUBSCRIPTION, output, *flags, limits=limits)


def messages_of(log: list[Json]) -> str:
    return "\n".join(line["message"] for line in log)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2])
def test_a_signal_drains_and_closes_the_counts(watched: Watched, number: signal.Signals) -> None:
    watched.publish(
        *map(an_envelope, range(30)), an_unsupported_envelope(30), b"no answer", an_envelope(3)
    )
    with begin(watched, "--alert_topic", ALERTS) as worker:
        worker.wait_for(lambda: not watched.outstanding)
        ended = worker.end(number)
    assert ended[0] == 0
    began, alerted, drained, ended_with = messages_of(ended[1]).splitlines()
    assert began == (
        f"watching {SUBSCRIPTION} with the checker local+small; records go to {watched.output}"
    )
    assert alerted.startswith("ALERT CRITICAL answer LOW_GROUNDED shop ")
    assert drained == "draining: finishing the current batch"
    assert ended_with.startswith("33 messages: 31 enriched, 1 failure")
    assert len(watched.distinct_ids()) == 31
    assert len(failures_in(watched.output)) == 1
    assert [alert["record_id"] for alert in watched.published(ALERTS)] == [
        record["record_id"]
        for record in records_in(watched.output)
        if record["verdict"] == "LOW_GROUNDED"
    ]
    summary = summary_in(watched.output)
    ends = ("read", "enriched", "failures", "duplicates", "alerts", "closes")
    assert [summary[name] for name in ends] == [33, 31, 1, 1, 1, True]
    assert main(["verify", str(watched.output)]) == 0


def test_a_signal_that_nohup_ignores_does_not_end_the_worker(watched: Watched) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        # It inherits this.
        worker = begin(watched)
    finally:
        signal.signal(signal.SIGHUP, before)
    with worker:
        watched.publish(an_envelope(0))
        worker.wait_for(lambda: not watched.outstanding)
        worker.process.send_signal(signal.SIGHUP)
        watched.publish(an_envelope(1))
        worker.wait_for(lambda: not watched.outstanding)
        exit_status, log = worker.end()
    assert exit_status == 0
    assert messages_of(log).count("draining") == 1
    assert len(watched.record_ids()) == 2


def test_every_server_there_is_can_be_watched_and_left(
    pubsub_server: ServerUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    with (
        OneTopic(pubsub_server.address, monkeypatch, ack_deadline_seconds=10) as answers,
        WatchProcess(pubsub_server.address, answers.subscription, output) as worker,
    ):
        answers.publish(
            *map(an_envelope, range(100)),
            an_unsupported_envelope(100),
            b"no answer",
            an_envelope(7),
        )
        worker.wait_for(lambda: total(ledger_in(output))["read"] >= 103)
        assert worker.end()[0] == 0
        assert answers.at_once() == []
    assert len(distinct_ids_in(output)) == 101
    assert (len(alerts_in(output)), len(failures_in(output))) == (1, 1)
    assert summary_in(output)["closes"] is True


def test_a_worker_that_is_killed_again_and_again_loses_nothing_and_doubles_nothing(
    watched: Watched, clock: ManualClock, server: ResultsServer
) -> None:
    watched.server.create(ENRICHED, ENRICHED.replace("topics", "subscriptions"))
    chance = random.Random(5)  # noqa: S311 - the same moments in every run
    watched.server.faults.duplicated_share = 0.1
    watched.server.faults.lost_acks_share = 0.05
    watched.publish(
        *(an_unsupported_envelope(n) if n % 10 == 0 else an_envelope(n) for n in range(MANY))
    )
    flags = ["--alert_topic", ALERTS, "--file_age_s", "0.3"]
    flags += ["--enriched_topic", ENRICHED, "--alert_webhook", "json:HOOK"]
    for _ in range(2):
        enough = watched.server.counts(SUBSCRIPTION).acknowledged + chance.randint(10, 100)
        with begin(watched, *flags, limits=["batch_messages=20"]) as worker:
            worker.wait_for(lambda: watched.server.counts(SUBSCRIPTION).acknowledged >= enough)  # noqa: B023
            worker.kill()
        # What can be seen by now is whole, and holds each answer once at most.
        watched.distinct_ids()
        assert watched.outstanding
        watched.end_leases(clock)
    watched.server.faults.lost_acks_share = 0.0
    for said in (1, 0):
        watched.publish(an_envelope(1))
        with begin(watched, *flags) as worker:
            worker.wait_for(lambda: not watched.outstanding)
            exit_status, log = worker.end()
            assert exit_status == 0
            assert messages_of(log).count("the worker before this one was killed") == said
    assert len(watched.distinct_ids()) == MANY
    alerts = Counter(alert["record_id"] for alert in watched.published(ALERTS))
    assert len(alerts) == MANY // 10
    # Elsewhere nothing is missing either, and what was sent twice has the same id.
    posted = {alert["record_id"] for body in server.bodies() for alert in body["data"]["alerts"]}
    assert posted == set(alerts)
    records = {message.attributes["record_id"] for message in watched.messages(ENRICHED)}
    assert records == set(watched.record_ids())
    sums = total(ledger_in(watched.output))
    assert (sums["enriched"], sums["gap"]) == (MANY, 0)
    assert sums["duplicates"] == sums["read"] - MANY > 0
    assert summary_in(watched.output)["closes"] is True


def test_a_server_that_goes_away_and_returns_is_waited_for(watched: Watched) -> None:
    watched.publish(*map(an_envelope, range(20)))
    # No alert of a rate is raised at the end, which would have to wait.
    with begin(watched, "--alert_topic", ALERTS, "--rate_burn", "1000000") as worker:
        worker.wait_for(lambda: not watched.outstanding)
        watched.server.go_away()
        watched.server.come_back()
        watched.publish(*map(an_unsupported_envelope, range(20, 40)))
        worker.wait_for(lambda: not watched.outstanding)
        worker.wait_for(lambda: alerts_delivered_in(watched.output) == 20)
        watched.server.go_away()
        started_s = time.monotonic()
        exit_status, log = worker.end()
        assert exit_status == 0, messages_of(log)
    assert time.monotonic() - started_s < 30
    assert len(watched.distinct_ids()) == 40
    assert summary_in(watched.output)["closes"] is True


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
        assert "could not drain in time; nothing is lost: start the worker again" in messages_of(
            log
        )
    assert watched.outstanding == 5
    assert visible_files(watched.output) == []


def test_a_drain_ends_in_time_while_another_process_locks_the_database(watched: Watched) -> None:
    watched.publish(an_envelope(1))
    with begin(watched, "--drain_s", "2") as worker, ExitStack() as opened:
        worker.wait_for(lambda: not watched.outstanding)
        [path] = watched.output.glob(f".groundwatch-*/{DATABASE}")
        other = opened.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
        other.execute("BEGIN IMMEDIATE")
        watched.publish(*map(an_envelope, range(2, 20)))
        began_s = time.monotonic()
        status, log = worker.end(signal.SIGHUP)
        assert time.monotonic() - began_s < 30
        assert status == 1
        assert "could not drain in time; nothing is lost" in messages_of(log)
    assert watched.outstanding == 18


def test_a_second_signal_insists(watched: Watched) -> None:
    watched.publish(an_envelope(1))
    with FaultServer(always(hang)) as checker, ExitStack() as opened:
        flags = ["--checker", checker.address, "--timeout_s", "60"]
        worker = opened.enter_context(begin(watched, *flags))
        worker.wait_for(lambda: checker.requests)
        worker.process.send_signal(signal.SIGTERM)
        assert worker.process.stderr
        assert "watching" in worker.process.stderr.readline()
        assert "draining" in worker.process.stderr.readline()
        assert worker.end()[0] == 128 + signal.SIGTERM
    assert watched.outstanding == 1
