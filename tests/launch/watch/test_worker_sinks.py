"""Disks, buckets and topics that take nothing for a while: all waits, and goes there in the end."""

import io
import itertools
import threading
from typing import Any

import fastavro
import pytest
from msgspec.structs import replace

from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.pipeline import storage
from groundwatch.transforms.persistence.database import Database
from groundwatch.transforms.runtime.retry_schedule import RetrySchedule
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.buckets import Trouble, when
from tests.support.outputs import failures_in
from tests.support.storage_server import storage_server
from tests.support.watched import ALERTS, Watched, total, work


def full(*_: object, **__: object) -> Any:
    raise OSError("no space left on device")


def test_a_full_disk_holds_the_messages_until_there_is_room(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    watched.publish(*map(an_envelope, range(5)), b"no answer")
    with watched.worker() as worker:
        with monkeypatch.context() as disk:
            disk.setattr(EngineDatabase, "write", full)
            work(worker, lambda: worker.waiting == 6)
            assert (watched.outstanding, watched.ledger()) == (6, [])
        work(worker, lambda: not watched.outstanding)
        worker.finish()
    assert len(watched.record_ids()) == 5
    assert len(failures_in(watched.output)) == 1
    assert total(watched.ledger())["duplicates"] == 0
    assert "no space left" in caplog.text


_DATABASE_CALLS = ("read", "write", "write_returning", "write_many")
_CALLS_OF_A_BATCH = 20


def test_a_disk_that_fills_at_any_call_of_the_database_holds_the_messages_until_there_is_room(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwatch.launch.watch.worker._AFTER_ERROR_S", 0.0)
    short = RetrySchedule(first_s=0.001, longest_s=0.001)
    monkeypatch.setattr("groundwatch.launch.watch.retry_queue._SCHEDULE", short)
    calls, fails_at = itertools.count(), range(0)
    for name in _DATABASE_CALLS:
        whole = getattr(Database, name)

        def or_full(*given: Any, whole: Any = whole) -> Any:
            if next(calls) in fails_at:
                full()
            return whole(*given)

        monkeypatch.setattr(Database, name, or_full)
    with watched.worker(alert_topic=ALERTS) as worker:
        for first in range(_CALLS_OF_A_BATCH):
            number = b"no answer %d" % first
            watched.publish(an_unsupported_envelope(first), number, an_envelope(-1))
            calls, fails_at = itertools.count(), range(first, first + 3)
            work(worker, lambda: not watched.outstanding)
        assert next(calls) >= _CALLS_OF_A_BATCH
        fails_at = range(0)
        worker.finish()
    assert len(watched.record_ids()) == _CALLS_OF_A_BATCH + 1
    assert len(failures_in(watched.output)) == _CALLS_OF_A_BATCH
    alerts = [alert["kind"] for alert in watched.published(ALERTS)]
    assert alerts.count("answer") == _CALLS_OF_A_BATCH
    assert total(watched.ledger())["duplicates"] == _CALLS_OF_A_BATCH - 1


def test_alerts_wait_for_a_topic_that_is_not_there_and_the_worker_says_so(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    watched.publish(an_unsupported_envelope(1))
    missing = "projects/lamps/topics/missing"
    with watched.worker(alert_topic=missing) as worker:
        work(worker, lambda: not watched.outstanding)
        worker.finish()
    assert "it does not exist; create it" in caplog.text
    assert len(watched.record_ids()) == 1
    watched.server.create(missing, missing.replace("topics", "subscriptions"))
    watched.drain(alert_topic=missing)
    assert len(watched.published(missing)) == 1


def test_alerts_do_not_wait_for_files_that_take_their_time(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, publish = threading.Event(), storage.publish_new

    def slow(*paths: str) -> None:
        assert release.wait(30)
        publish(*paths)

    monkeypatch.setattr(storage, "publish_new", slow)
    watched.publish(an_unsupported_envelope(1))
    with watched.worker(alert_topic=ALERTS) as worker:
        work(worker, lambda: not watched.outstanding)
        assert worker.publisher._running
        watched.publish(an_unsupported_envelope(2))
        work(worker, lambda: not watched.outstanding)
        assert len(watched.published(ALERTS)) == 2
        assert watched.record_ids() == []
        release.set()
        worker.finish()
    assert len(watched.record_ids()) == 2


def test_records_go_into_a_bucket_once_it_can_be_reached(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    watched.publish(*map(an_envelope, range(5)), an_unsupported_envelope(5))
    with storage_server(monkeypatch) as buckets:
        buckets.plan = when("begin", ".avro", Trouble(503))
        config = replace(watched.config(), output="gs://out/live")
        with watched.worker(config) as worker:
            work(worker, lambda: not watched.outstanding)
            worker.finish()
            assert "cannot write gs://out/live/enriched/event_date=" in caplog.text
            assert worker.journal.undelivered() == {"enriched": 6, "alerts": 1}
            buckets.plan = lambda _: None
            worker.finish()
        objects = buckets.below("gs://out/live/")
    rows = [
        row
        for name, content in objects.items()
        if name.endswith(".avro")
        for row in fastavro.reader(io.BytesIO(content))
    ]
    assert len({row["record_id"] for row in rows}) == len(rows) == 6
    visible = [name.split("/")[0] for name in objects if not name.startswith(".")]
    expected = ["alerts", "enriched", "manifest", "runs", "summary.json"]
    assert visible == expected
