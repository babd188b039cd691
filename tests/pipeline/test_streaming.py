"""A streaming pipeline loses no row, writes none twice and replaces no file."""

import json
from pathlib import Path
from typing import Any

import pytest
from apache_beam.testing.test_stream import TestStream as Stream
from apache_beam.transforms.window import TimestampedValue

from groundwatch.pipeline import storage
from groundwatch.pipeline.build import build_pipeline
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.sink import stream_sink
from groundwatch.pipeline.sinks.write_windows import Windows
from groundwatch.pipeline.sources.read_subscription import ReadSubscription
from groundwatch.transforms.grounding.settings import CheckSettings, OutagePolicy, RetrySettings
from tests.support import wire_faults
from tests.support.fault_server import FaultServer, always
from tests.support.outputs import alerts_in, failures_in, records_in, visible_files
from tests.support.streams import START_S, a_stream, pulled, stream_pipeline, streaming_from

WIDTH_S = 300
DAY_S = 24 * 3600
ALERTS, FAILURES = "projects/p/topics/alerts", "projects/p/topics/failures"
ENRICHED = "projects/p/topics/enriched"
UNSUPPORTED = "Kettles vote in Senegal."


def envelope(number: int, published_s: float, answer: str = "Lamps glow red.") -> TimestampedValue:
    """An answer with an id of its own, given a second before it was published."""
    fields = {"id": f"a{number}", "answer": answer, "facts": ["Lamps glow red."], "engine": "shop"}
    return pulled(number, json.dumps(fields).encode(), published_s)


def run(
    stream: Stream,
    output: Path,
    now_s: float = START_S,
    *,
    alert_topic: str | None = None,
    failure_topic: str | None = None,
    enriched_topic: str | None = None,
    **fields: Any,
) -> dict[str, list[Any]]:
    """Run a stream to its end; returns what was published, by topic."""
    config = Config(inputs=(), output=str(output), run="run", **fields)
    topics = (alert_topic, failure_topic, enriched_topic)
    sink = stream_sink(config, Windows(width_s=WIDTH_S, shards=1), *topics)
    root = stream_pipeline()
    with streaming_from(stream, now_s) as published:
        build_pipeline(root, ReadSubscription("projects/p/subscriptions/s"), sink, config)
        root.run().wait_until_finish()
        return dict(published)


def ended(stream: Stream) -> Stream:
    """Let all that has come be worked off."""
    settled = stream.advance_processing_time(5).advance_processing_time(WIDTH_S)
    return settled.advance_watermark_to_infinity()


def names_in(output: Path) -> list[str]:
    return sorted(record["answer_name"] for record in records_in(output))


def panes_in(output: Path) -> list[str]:
    """Window, pane and shard of each file of records."""
    names = (path for path in visible_files(output) if path.endswith(".avro"))
    return [name.rpartition("/run-")[2].removesuffix(".avro") for name in names]


def test_every_message_ends_in_one_place_also_where_no_file_can_be_published_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = iter([True, True])
    publish = storage.publish

    def faltering(temporary_path: str, path: str) -> None:
        if next(faults, False):
            raise OSError("the disk is away")
        publish(temporary_path, path)

    monkeypatch.setattr(storage, "publish", faltering)
    stream = a_stream().add_elements(
        [envelope(1, 10), envelope(2, 20, UNSUPPORTED), envelope(1, 30), pulled(9, b"{", 40)]
    )
    run(ended(stream), tmp_path)
    assert next(faults, None) is None
    assert (names_in(tmp_path), len(panes_in(tmp_path))) == (["a1", "a2"], 1)
    assert [failure["source"] for failure in failures_in(tmp_path)] == ["message-9"]
    [alert] = alerts_in(tmp_path)
    assert (alert["kind"], alert["answer_name"]) == ("answer", "a2")


def test_one_in_ten_late_by_a_month_and_half_of_them_twice(tmp_path: Path) -> None:
    late = range(5, 40, 9)
    stream = a_stream()
    for window in range(2):
        on_time = [number for number in range(window * 20, window * 20 + 20) if number not in late]
        stream = (
            stream.add_elements([envelope(number, window * WIDTH_S) for number in on_time])
            .advance_processing_time(WIDTH_S)
            .advance_watermark_to(START_S + (window + 1) * WIDTH_S)
        )
    stream = stream.advance_watermark_to(START_S + 30 * DAY_S)
    for times in (1, 2):
        again = [number for number in late if number % 2 or times == 1]
        stream = stream.add_elements([envelope(number, number // 20 * WIDTH_S) for number in again])
        stream = stream.advance_processing_time(WIDTH_S + 5)
    run(ended(stream), tmp_path, now_s=START_S + 30 * DAY_S)
    assert names_in(tmp_path) == sorted(f"a{number}" for number in range(40))
    # Late rows have files of their own.
    windows = [pane.split("-")[0] for pane in panes_in(tmp_path)]
    assert windows == ["20260303T120000Z"] * 2 + ["20260303T120500Z"] * 2


def test_rows_are_written_in_time_also_while_the_watermark_stands_still(tmp_path: Path) -> None:
    stream = a_stream()
    for number in range(3):
        stream = stream.add_elements([envelope(number, 10)]).advance_processing_time(5)
        stream = stream.advance_processing_time(WIDTH_S)
    run(ended(stream), tmp_path)
    window = "20260303T120000Z"
    assert panes_in(tmp_path) == [f"{window}-{pane}-00000" for pane in range(3)]
    assert names_in(tmp_path) == ["a0", "a1", "a2"]


def test_a_record_id_expires(tmp_path: Path) -> None:
    stream = a_stream()
    for published_s in (10, 500, 700):
        stream = stream.advance_watermark_to(START_S + published_s)
        stream = stream.add_elements([envelope(1, published_s)]).advance_processing_time(5)
    run(ended(stream), tmp_path, seen_for_s=600)
    assert names_in(tmp_path) == ["a1", "a1"]


def test_alerts_and_failures_go_to_their_topics(tmp_path: Path) -> None:
    stream = a_stream().add_elements(
        [envelope(1, 10, UNSUPPORTED), pulled(2, b"\xff", 20, topic="x", shop="north")]
    )
    topics = {"alert_topic": ALERTS, "failure_topic": FAILURES, "enriched_topic": ENRICHED}
    published = run(ended(stream), tmp_path, **topics)
    ids = {message.attributes["record_id"] for message in published[ENRICHED]}
    assert ids == {record["record_id"] for record in records_in(tmp_path)}
    [alert], [failure] = published[ALERTS], published[FAILURES]
    assert json.loads(alert.data)["answer_name"] == "a1"
    assert alert.attributes["verdict"] == "LOW_GROUNDED"
    assert failure.data == b"\xff"
    assert failure.attributes["shop"] == "north"
    # Beam's own step would take it for the topic to publish to.
    assert "topic" not in failure.attributes
    assert alerts_in(tmp_path) == failures_in(tmp_path) == []


def test_a_rate_that_rises_alerts_once_and_once_more_when_it_has_fallen(tmp_path: Path) -> None:
    bad = [envelope(number, number * 180, UNSUPPORTED) for number in range(20)]
    good = [envelope(number, number * 180) for number in range(20, 67)]
    stream = a_stream().add_elements(bad).advance_processing_time(5)
    stream = stream.advance_watermark_to(START_S + 3600).add_elements(good)
    stream = stream.advance_processing_time(5).advance_watermark_to(START_S + 200 * 60)
    published = run(ended(stream), tmp_path, alert_topic=ALERTS)
    rates = [json.loads(message.data) for message in published[ALERTS]]
    states = [alert["rate"]["state"] for alert in rates if alert["kind"] == "rate"]
    assert states == ["open", "closed"]


def test_an_outage_of_the_checker_keeps_the_backlog_and_makes_no_failure(tmp_path: Path) -> None:
    stream = ended(a_stream().add_elements([envelope(1, 10)]))
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        check = CheckSettings(
            checker=server.address,
            endpoint=server.address,
            outage=OutagePolicy.REDELIVER,
            retries=RetrySettings(max_attempts=1, timeout_s=5),
        )
        with pytest.raises(Exception, match="503"):
            run(stream, tmp_path, check=check)
    assert visible_files(tmp_path) == []
