"""The worker against a real server: every message ends in one place, whatever goes wrong."""

import asyncio
import io
import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import fastavro
import pytest
from msgspec.structs import replace

from launch.pubsub.errors import Refused, Unpublished
from launch.pubsub.topic import Topic
from launch.pubsub_server.server import PubSubServer
from launch.watch import batches as batches_module
from launch.watch.journal import Journal
from launch.watch.patience import Patience
from pipeline import storage
from pipeline.open_part import OpenPart
from schemas.checked import CheckedAnswer
from schemas.enriched import EnrichedAnswer
from tests.support.archives import an_envelope
from tests.support.buckets import Trouble, when
from tests.support.clocks import ManualClock
from tests.support.fault_server import FaultServer, always, by_answer
from tests.support.outputs import alerts_in, failures_in, original_bytes, records_in
from tests.support.storage_server import storage_server
from tests.support.waiting import wait_until
from tests.support.watched import ALERTS, FAILURES, Watched, total, work
from tests.support.wire_faults import good, status
from transforms import counters, tag_answers
from transforms.grounding.errors import Misconfigured
from transforms.grounding.settings import RetrySettings
from transforms.rules.sampling import SamplingRule
from transforms.rules.tagging import Thresholds

POISON = "Lamps glow blue at noon."


@pytest.fixture
def watched(own_server: PubSubServer, tmp_path: Path) -> Watched:
    return Watched(own_server, tmp_path)


def low(number: int) -> bytes:
    """An answer that its fact does not support."""
    return an_envelope(number, answer="Kettles vote in Senegal.")


def ids_in(watched: Watched) -> list[str]:
    return sorted(record["record_id"] for record in records_in(watched.output))


def test_every_message_ends_in_one_place_and_is_acknowledged(watched: Watched) -> None:
    watched.publish(*map(an_envelope, range(20)), low(20), low(21), b"no answer", an_envelope(3))
    watched.drain(alert_topic=ALERTS, failure_topic=FAILURES)
    assert len(set(ids_in(watched))) == len(ids_in(watched)) == 22
    alerts = watched.published(ALERTS)
    assert Counter(alert["verdict"] for alert in alerts) == {"LOW_GROUNDED": 2}
    assert total(watched.ledger()) == {
        "read": 24,
        "enriched": 22,
        "failures": 1,
        "duplicates": 1,
        "sampled_out": 0,
        "gap": 0,
    }


def test_without_topics_alerts_and_failures_are_files(watched: Watched) -> None:
    watched.publish(low(0), b"no answer")
    watched.drain()
    assert [alert["verdict"] for alert in alerts_in(watched.output)] == ["LOW_GROUNDED"]
    assert [original_bytes(failure) for failure in failures_in(watched.output)] == [b"no answer"]


def test_duplicates_are_counted_once_in_a_batch_across_batches_and_across_restarts(
    watched: Watched,
) -> None:
    for _ in range(3):
        watched.publish(an_envelope(1), an_envelope(2), an_envelope(1))
        watched.drain()
    assert len(ids_in(watched)) == 2
    assert total(watched.ledger())["duplicates"] == 7


def poisoned(monkeypatch: pytest.MonkeyPatch, *poisons: str) -> None:
    """Let a step run into a defect with some answers."""
    tag = tag_answers.tag_answer

    def tag_or_raise(checked: CheckedAnswer, thresholds: Thresholds) -> EnrichedAnswer:
        if checked.answer.answer_text in poisons:
            raise ZeroDivisionError(f"with {checked.answer.answer_text}")
        return tag(checked, thresholds)

    monkeypatch.setattr(tag_answers, "tag_answer", tag_or_raise)


@pytest.mark.parametrize("place", [0, 7, 12], ids=["first", "midway", "last"])
def test_a_message_that_runs_into_a_defect_takes_no_neighbour_along(
    watched: Watched,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    place: int,
) -> None:
    poisoned(monkeypatch, POISON)
    messages = list(map(an_envelope, range(12)))
    messages.insert(place, an_envelope(99, answer=POISON))
    watched.publish(*messages)
    watched.drain()
    assert len(ids_in(watched)) == 12
    (failure,) = failures_in(watched.output)
    assert json.loads(original_bytes(failure))["answer"] == POISON
    assert (failure["error_class"], failure["retryable"]) == ("Defect", True)
    assert total(watched.ledger())["gap"] == 0
    told = caplog.text + json.dumps({**failure, "payload_base64": ""})
    assert "ZeroDivisionError" in told
    assert POISON not in told


def test_all_messages_of_a_batch_may_run_into_defects(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    poisoned(monkeypatch, POISON)
    watched.publish(*(an_envelope(number, answer=POISON) for number in range(9)))
    watched.drain()
    assert len(failures_in(watched.output)) == 9
    assert total(watched.ledger())["gap"] == 0


def test_a_message_that_ran_into_a_defect_is_no_duplicate_when_it_is_replayed(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as defect:
        poisoned(defect, POISON)
        watched.publish(an_envelope(1, answer=POISON))
        watched.drain()
    watched.publish(an_envelope(1, answer=POISON))
    watched.drain()
    assert len(ids_in(watched)) == 1


class Outage:
    """A checker that is away and comes back."""

    def __init__(self) -> None:
        self.is_away = True

    async def __call__(self, exchange: Any) -> bool:
        return await (status(503, "Service Unavailable") if self.is_away else good)(exchange)


def checked_by(watched: Watched, checker: FaultServer, **settings: Any) -> Any:
    return watched.config(checker=checker.address, endpoint=checker.address, **settings)


def test_while_the_checker_is_away_messages_are_held_and_are_no_failures(
    watched: Watched,
) -> None:
    outage = Outage()
    watched.publish(*(an_envelope(number) for number in range(5)), b"no answer")
    with FaultServer(always(outage)) as checker:
        config = checked_by(watched, checker)
        with watched.worker(config) as worker:
            work(worker, lambda: worker._held.waiting == 5)
            work(worker, lambda: watched.outstanding == 5)
            outage.is_away = False
            work(worker, lambda: not watched.outstanding)
            worker.finish()
    assert len(ids_in(watched)) == 5
    assert len(failures_in(watched.output)) == 1
    assert total(watched.ledger())["duplicates"] == 0


def test_an_answer_that_was_left_is_no_duplicate_when_it_is_tried_again(
    watched: Watched,
) -> None:
    outage = Outage()
    watched.publish(an_envelope(1), an_envelope(1))
    with FaultServer(always(outage)) as checker:
        config = checked_by(watched, checker)
        with watched.worker(config) as worker:
            work(worker, lambda: worker._held.waiting == 1)
        outage.is_away = False
        # The next worker has nothing of the first but its folder.
        watched.drain(config)
    assert len(ids_in(watched)) == 1
    assert total(watched.ledger())["duplicates"] == 1


def test_what_is_held_is_bounded_while_nothing_can_be_checked(watched: Watched) -> None:
    watched.publish(*map(an_envelope, range(300)))
    with FaultServer(always(status(503, "Service Unavailable"))) as checker:
        config = checked_by(watched, checker)
        with watched.worker(config, batch_messages=20, held_messages=60) as worker:
            work(worker, lambda: worker._held.waiting == 20)
            work(worker, lambda: worker.subscription.standing().holding.waiting >= 40)
            for _ in range(5):
                worker.step()
            holding = worker.subscription.standing().holding
            assert holding.waiting + holding.in_work == 60
            assert worker._held.waiting <= 20
    assert watched.outstanding == 300


def test_a_refusal_of_the_checker_ends_the_worker_and_leaves_the_input(
    watched: Watched,
) -> None:
    watched.publish(*map(an_envelope, range(5)))
    with FaultServer(always(status(403, "Forbidden"))) as checker:
        with watched.worker(checked_by(watched, checker)) as worker:
            with pytest.raises(Misconfigured):
                work(worker, lambda: False)
            worker.finish()
        assert watched.outstanding == 5
        assert watched.ledger() == []
    watched.drain()
    assert len(ids_in(watched)) == 5


def test_a_check_that_hangs_beyond_the_lease_is_delivered_again_and_done_once(
    watched: Watched, clock: ManualClock
) -> None:
    watched.publish(an_envelope(1, answer="Lamps hang."), an_envelope(2))
    release = Release()
    with FaultServer(by_answer({"Lamps hang.": release})) as checker:
        config = checked_by(watched, checker, retries=RetrySettings(timeout_s=20.0))
        with watched.worker(config) as worker, ThreadPoolExecutor(1) as beside:
            step = beside.submit(work, worker, lambda: not watched.outstanding)
            wait_until(lambda: checker.requests >= 2)
            # The machine stood still, so that no lease was prolonged.
            clock.advance(61)
            wait_until(lambda: worker.subscription.standing().holding.redelivered == 2)
            release.now()
            step.result(20)
            worker.finish()
    assert len(ids_in(watched)) == 2
    assert total(watched.ledger())["duplicates"] == 0


class Release:
    """A check that hangs until it is released."""

    def __init__(self) -> None:
        self._is_released = threading.Event()

    def now(self) -> None:
        self._is_released.set()

    async def __call__(self, exchange: Any) -> bool:
        await asyncio.to_thread(self._is_released.wait, 20)
        return await good(exchange)


def test_a_full_disk_holds_the_messages_until_there_is_room(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    watched.publish(*map(an_envelope, range(5)), b"no answer")
    with watched.worker() as worker:
        with monkeypatch.context() as disk:
            disk.setattr(OpenPart, "close", full)
            work(worker, lambda: worker._held.waiting == 6)
            assert (watched.outstanding, watched.ledger()) == (6, [])
        work(worker, lambda: not watched.outstanding)
        worker.finish()
    assert len(ids_in(watched)) == 5
    assert len(failures_in(watched.output)) == 1
    assert total(watched.ledger())["duplicates"] == 0
    assert "no space left" in caplog.text


def full(*_: object) -> Any:
    raise OSError("no space left on device")


def test_a_full_disk_for_the_journal_alone_holds_the_messages_too(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.publish(*map(an_envelope, range(5)))
    with watched.worker() as worker:
        with monkeypatch.context() as disk:
            disk.setattr(Journal, "commit", full)
            work(worker, lambda: worker._held.waiting == 5)
        work(worker, lambda: not watched.outstanding)
        worker.finish()
    assert len(ids_in(watched)) == 5
    assert total(watched.ledger())["duplicates"] == 0


def test_alerts_wait_for_a_topic_that_does_not_answer(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.publish(low(1), low(2))
    with monkeypatch.context() as outage:
        outage.setattr(Topic, "publish", unpublished)
        watched.drain(alert_topic=ALERTS)
    assert len(ids_in(watched)) == 2
    watched.drain(alert_topic=ALERTS)
    assert len(watched.published(ALERTS)) == 2


def unpublished(*_: object) -> Any:
    raise Unpublished("no answer")


def test_alerts_wait_for_a_topic_that_is_not_there_and_the_worker_says_so(
    watched: Watched,
) -> None:
    watched.publish(low(1))
    missing = "projects/lamps/topics/missing"
    with watched.worker(alert_topic=missing) as worker:
        with pytest.raises(Refused, match="it does not exist; create it"):
            work(worker, lambda: False)
        worker.finish()
    assert len(ids_in(watched)) == 1
    watched.server.create(missing, missing.replace("topics", "subscriptions"))
    watched.drain(alert_topic=missing)
    assert len(watched.published(missing)) == 1


def test_alerts_do_not_wait_for_files_that_take_their_time(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, publish = threading.Event(), storage.publish

    def slow(*paths: str) -> None:
        assert release.wait(30)
        publish(*paths)

    monkeypatch.setattr(storage, "publish", slow)
    watched.publish(low(1))
    with watched.worker(alert_topic=ALERTS) as worker:
        work(worker, lambda: not watched.outstanding)
        assert worker._publishing._under_way
        watched.publish(low(2))
        work(worker, lambda: not watched.outstanding)
        assert len(watched.published(ALERTS)) == 2
        assert ids_in(watched) == []
        release.set()
        worker.finish()
    assert len(ids_in(watched)) == 2


def test_records_go_into_a_bucket_once_it_can_be_reached(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.publish(*map(an_envelope, range(5)), low(5))
    with storage_server(monkeypatch) as buckets:
        buckets.plan = when("begin", ".avro", Trouble(503))
        config = replace(watched.config(), output="gs://out/live")
        with watched.worker(config) as worker:
            work(worker, lambda: not watched.outstanding)
            with pytest.raises(OSError, match="cannot write gs://out/live/enriched/event_date="):
                worker.finish()
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
    assert [name.split("/")[0] for name in objects] == ["alerts", "enriched", *["manifest"] * 2]


def test_what_is_left_out_of_a_sample_is_counted(watched: Watched) -> None:
    watched.publish(*map(an_envelope, range(40)), an_envelope(3))
    watched.drain(replace(watched.config(), sampling=SamplingRule(share=0.5)))
    sums = total(watched.ledger())
    assert (sums["read"], sums["duplicates"], sums["gap"]) == (41, 1, 0)
    assert 0 < sums["sampled_out"] == 40 - len(ids_in(watched))


def test_a_message_that_ends_nowhere_becomes_a_failure_and_raises_an_alert(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.publish(*map(an_envelope, range(6)))
    watched.drain()
    # A step that leaves messages out without a word, after their ids were noted.
    monkeypatch.setattr(counters.DUPLICATES_SEEN, "inc", lambda *_: None)
    watched.publish(*map(an_envelope, range(5, 9)))
    watched.drain(alert_topic=ALERTS)
    assert len(ids_in(watched)) == 9
    (failure,) = failures_in(watched.output)
    assert json.loads(original_bytes(failure))["id"] == "answer-5"
    assert [alert["kind"] for alert in watched.published(ALERTS)] == ["ledger"]
    assert total(watched.ledger()) == {
        "read": 10,
        "enriched": 9,
        "failures": 1,
        "duplicates": 0,
        "sampled_out": 0,
        "gap": 0,
    }


def test_a_message_that_is_no_answer_is_one_failure_however_often_it_is_delivered(
    watched: Watched, clock: ManualClock
) -> None:
    watched.publish(b"no answer", b"no answer")
    watched.server.faults.lost_acks_share = 1.0
    for _ in range(2):
        with watched.worker() as worker:
            work(worker, lambda: total(watched.ledger())["read"] % 2 == 0 and watched.ledger())
            worker.finish()
        clock.advance(61)
    watched.server.faults.lost_acks_share = 0.0
    watched.drain()
    assert len(failures_in(watched.output)) == 2
    assert total(watched.ledger())["gap"] == 0
    assert total(watched.ledger())["duplicates"] >= 2


def test_an_answer_that_alone_cannot_be_checked_becomes_a_failure_after_some_tries(
    watched: Watched, clock: ManualClock
) -> None:
    watched.publish(an_envelope(0, answer=POISON))
    away = {POISON: status(503, "Service Unavailable")}
    with FaultServer(by_answer(away)) as checker:
        config = checked_by(watched, checker)
        with watched.worker(config) as worker:
            worker._held = Patience(clock)
            for number in range(1, 6):
                watched.publish(*(an_envelope(3 * number + more) for more in range(3)))
                work(worker, lambda: watched.outstanding <= 1)
                clock.advance(30)
            work(worker, lambda: not watched.outstanding)
            worker.finish()
    (failure,) = failures_in(watched.output)
    assert (failure["error_class"], failure["retryable"]) == ("Unavailable", True)
    assert json.loads(original_bytes(failure))["answer"] == POISON
    assert total(watched.ledger())["gap"] == 0
    assert failure["attempts"] == 5


def test_old_record_ids_are_forgotten_and_young_ones_are_not(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    day_us = 24 * 3_600_000_000
    now_us = batches_module._now_us()
    for day, message in ((0, 1), (1, 2), (2, 3), (3, 1), (3, 3)):
        monkeypatch.setattr(batches_module, "_now_us", lambda: now_us + day * day_us)  # noqa: B023
        watched.publish(an_envelope(message))
        watched.drain(dedupe_h=30.0)
    assert total(watched.ledger())["duplicates"] == 1
    assert Counter(ids_in(watched)).most_common(1)[0][1] == 2
