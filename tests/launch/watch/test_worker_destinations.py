"""What a worker sends elsewhere: records to a topic, alerts to channels; none holds it up."""

import io
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import fastavro
import pytest
from msgspec.structs import replace

from groundwatch.launch.targets.target import TargetUnavailable
from groundwatch.launch.watch import destinations
from groundwatch.launch.watch.file_publisher import FilePublisher
from groundwatch.launch.watch.topic import Topic
from groundwatch.pipeline.settings.config import Config
from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.message import Message
from groundwatch.transforms.persistence.database import DamagedDatabase
from groundwatch.transforms.rules.alerting import AlertRule
from groundwatch.transforms.rules.redaction import TextMode
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.journals import damage_rows, open_journal
from tests.support.outputs import records_in
from tests.support.results_server import ResultsServer, results_server
from tests.support.waiting import wait_until
from tests.support.watched import ENRICHED, Watched, work


def publishing(watched: Watched, **fields: Any) -> Config:
    watched.server.create(ENRICHED, ENRICHED.replace("topics", "subscriptions"))
    return replace(watched.config(), publishes_enriched=True, **fields)


def row_of(message: Message) -> Any:
    stream = io.BytesIO(message.payload)
    return fastavro.schemaless_reader(stream, load_schema("enriched_answer"), None)


def test_the_topic_gets_each_record_as_the_files_have_it(watched: Watched) -> None:
    config = publishing(watched)
    watched.publish(*map(an_envelope, range(20)), an_unsupported_envelope(20))
    watched.drain(config, enriched_topic=ENRICHED)
    messages = watched.messages(ENRICHED)
    rows = sorted(map(row_of, messages), key=lambda row: str(row["record_id"]))
    assert rows == sorted(records_in(watched.output), key=lambda row: str(row["record_id"]))
    assert len(rows) == 21
    assert {message.attributes["verdict"] for message in messages} == {"GROUNDED", "LOW_GROUNDED"}
    assert all(message.attributes["record_id"] in str(rows) for message in messages)


def test_text_that_is_not_kept_leaves_for_no_topic(watched: Watched) -> None:
    config = publishing(watched, text=TextMode.NONE)
    watched.publish(an_envelope(1))
    watched.drain(config, enriched_topic=ENRICHED)
    [row] = map(row_of, watched.messages(ENRICHED))
    assert (row["answer_text"], row["facts"][0]["text"]) == ("", "")


def test_records_wait_for_a_topic_that_does_not_answer_and_hold_up_nothing(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unpublished(*_: object) -> None:
        raise TargetUnavailable("no answer")

    config = publishing(watched)
    watched.publish(*map(an_envelope, range(5)))
    with monkeypatch.context() as outage:
        outage.setattr(Topic, "send", unpublished)
        watched.drain(config, enriched_topic=ENRICHED)
    assert len(watched.record_ids()) == 5
    watched.drain(config, enriched_topic=ENRICHED)
    assert len(watched.messages(ENRICHED)) == 5


def test_large_requests_of_records_have_more_time_than_alerts(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = publishing(watched)
    monkeypatch.setattr(destinations, "_ALERTS_WITHIN_S", 0.05)
    watched.publish(an_envelope(1))
    watched.server.faults.slow_s = 0.2
    watched.drain(config, enriched_topic=ENRICHED)
    watched.server.faults.slow_s = 0.0
    assert len(watched.messages(ENRICHED)) == 1


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ResultsServer]:
    with results_server() as server:
        monkeypatch.setenv("SLACK", f"{server.url}/slack")
        monkeypatch.setenv("AWAY", "http://127.0.0.1:9/away")
        yield server


def test_alerts_reach_one_channel_while_another_one_is_away(
    watched: Watched, server: ResultsServer
) -> None:
    rule = AlertRule(record_url="https://viewer.example/r/{record_id}")
    config = replace(watched.config(), alerts=rule)
    watched.publish(an_unsupported_envelope(1))
    with watched.worker(config, alert_webhook=(("slack", "AWAY"), ("slack", "SLACK"))) as worker:
        work(worker, lambda: not watched.outstanding)
        wait_until(lambda: bool(server.received))
        wait_until(lambda: "cannot_deliver" in worker.health.reasons())
        assert worker.health.reasons()["cannot_deliver"].startswith("slack:AWAY: ")
        worker.finish()
    [body] = server.bodies()
    [record] = records_in(watched.output)
    section = body["blocks"][1]["text"]["text"]
    assert section.startswith("*LOW_GROUNDED, shop*")
    assert f"<https://viewer.example/r/{record['record_id']}|" in section
    assert "Kettles" not in str(body)
    with closing(open_journal(watched.work_folder)) as journal:
        assert journal.outbox.count("slack:AWAY") == 1
        assert journal.outbox.count("slack:SLACK") == 0
        assert journal.outbox.delivered()["slack:SLACK"].sent == 1


def test_a_database_that_is_damaged_before_it_is_published_ends_the_worker(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.publish(*map(an_envelope, range(5)))
    monkeypatch.setattr(FilePublisher, "publish_due", lambda _: None)
    with watched.worker() as worker:
        work(worker, lambda: not watched.outstanding)
        damage = "UPDATE chunks SET content = zeroblob(length(content))"
        damage_rows(worker.journal.database.path, damage)
        with pytest.raises(DamagedDatabase, match="is damaged"):
            worker.publisher.finish()
        assert worker.journal.waiting()["enriched"].rows == 5
    assert watched.record_ids() == []


def test_rows_of_a_channel_that_no_flag_names_any_more_are_dropped_and_counted(
    watched: Watched, server: ResultsServer, caplog: pytest.LogCaptureFixture
) -> None:
    watched.publish(an_unsupported_envelope(1))
    with watched.worker(alert_webhook=(("slack", "AWAY"),)) as worker:
        work(worker, lambda: not watched.outstanding)
    with watched.worker(alert_webhook=(("slack", "SLACK"),)) as worker:
        assert worker.journal.outbox.pending() == {}
        assert worker.journal.outbox.delivered()["slack:AWAY"].dropped == 1
    [message] = [each for each in caplog.messages if "no flag names it" in each]
    assert message.startswith("1 rows for slack:AWAY are dropped")
    assert not server.received
