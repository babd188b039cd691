"""Results of a worker to other tools: each at least once, and never in the way of an alert."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from msgspec.structs import replace

from groundwatch.launch.engine.outbox_rows import Delivered, OutboxRows
from groundwatch.launch.watch import destinations
from groundwatch.pipeline.settings.config import Config
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.http_messages import Received, Reply
from tests.support.journals import open_journal
from tests.support.results_server import ResultsServer, results_server
from tests.support.vendor_replies import documented_reply
from tests.support.watched import ALERTS, Watched, work

TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ResultsServer]:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk")
    monkeypatch.setattr(destinations, "_FINISH_WITHIN_S", 0.5)
    with results_server() as server:
        yield server


def config_of(watched: Watched) -> Config:
    return replace(watched.config(), keeps_results=True)


def sending_to(*urls: str) -> dict[str, Any]:
    names = ("langfuse", "phoenix")
    return {"results_to": tuple(zip(names, urls, strict=False)), "alert_topic": ALERTS}


def scored(server: ResultsServer) -> list[str]:
    bodies = [each.json for each in server.received if each.path == "/api/public/scores"]
    return [body["metadata"]["record_id"] for body in bodies if "verdict" in body["name"]]


def delivered(watched: Watched) -> tuple[dict[str, int], dict[str, Delivered]]:
    with closing(open_journal(watched.work_folder)) as journal:
        return journal.outbox.pending(), journal.outbox.delivered()


def test_each_answer_of_a_trace_is_scored_and_counted(
    watched: Watched, server: ResultsServer
) -> None:
    watched.publish(*map(an_envelope, range(3)), trace_id=TRACE)
    watched.publish(an_envelope(3))
    with watched.worker(config_of(watched), **sending_to(server.url)) as worker:
        work(worker, lambda: len(scored(server)) == 3 and not watched.outstanding)
        worker.finish()
    ids = watched.record_ids()
    assert set(scored(server)) < set(ids)
    assert delivered(watched) == ({}, {"langfuse": Delivered(sent=3, skipped=1)})


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_results_that_were_sent_and_not_deleted_are_sent_again_with_the_same_ids(
    watched: Watched, server: ResultsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.publish(*map(an_envelope, range(5)), trace_id=TRACE)
    died = threading.Event()

    def die(*_: object) -> None:
        died.set()
        raise SystemExit  # ends the thread, as a kill ends the process

    with monkeypatch.context() as crash:
        crash.setattr(OutboxRows, "record_delivered", die)
        with watched.worker(config_of(watched), **sending_to(server.url)) as worker:
            work(worker, died.is_set)
    first = scored(server)
    with watched.worker(config_of(watched), **sending_to(server.url)) as worker:
        work(worker, lambda: len(scored(server)) == len(first) + 5)
        worker.finish()
    assert sorted(scored(server)[len(first) :]) == watched.record_ids()
    assert {*first} <= {*watched.record_ids()}
    assert first
    assert delivered(watched) == ({}, {"langfuse": Delivered(sent=5)})


def test_a_tool_that_hangs_delays_neither_an_alert_nor_another_tool(
    watched: Watched, server: ResultsServer
) -> None:
    release = threading.Event()

    def hang(request: Received) -> Reply:
        is_phoenix = "annotations" in request.path
        return documented_reply(request)._replace(wait_for=release if is_phoenix else None)

    server.answer = hang
    settings = sending_to(server.url, server.url)
    with watched.worker(config_of(watched), **settings) as worker:
        watched.publish(an_envelope(0), trace_id=TRACE)
        work(worker, lambda: len(server.received) >= 3)
        started_s = time.monotonic()
        watched.publish(*map(an_unsupported_envelope, range(1, 9)), trace_id=TRACE)
        work(worker, lambda: len(scored(server)) == 9 and not watched.outstanding)
        assert len(watched.published(ALERTS)) == 8
        assert time.monotonic() - started_s < 20.0
    pending, ends = delivered(watched)
    assert pending == {"phoenix": 9}
    assert ends["langfuse"] == Delivered(sent=9)
    release.set()
