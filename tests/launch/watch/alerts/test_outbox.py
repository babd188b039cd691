"""Alerts and failures to their topics: each at least once, whatever happens between."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest

from launch.engine.journal import Journal
from launch.pubsub.pubsub_errors import Refused, Unpublished
from launch.watch.alerts.outbox import OutboxPublisher, alert_message
from pipeline.sinks.topic_messages import TopicMessage, encode_failure
from schemas.alert import Alert
from schemas.failure import Failure
from tests.support.builders import a_failure, a_message
from tests.support.clocks import ManualClock
from tests.support.journals import an_alert, commit_batch, open_journal


class ATopic:
    """Take messages, or raise an error of the test's choice."""

    def __init__(self) -> None:
        self.published: list[TopicMessage] = []
        self.tries = 0
        self.error: Exception | None = None

    def publish(self, messages: Iterable[TopicMessage]) -> None:
        self.tries += 1
        if self.error:
            raise self.error
        self.published += messages

    def close(self) -> None:
        """There is nothing to close."""


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(open_journal(tmp_path)) as journal:
        yield journal


@pytest.fixture
def topic() -> ATopic:
    return ATopic()


def alerts_to(
    topic: ATopic, journal: Journal, clock: ManualClock | None = None, *, ordering: bool = False
) -> OutboxPublisher[Alert]:
    encode = partial(alert_message, ordering=ordering)
    return OutboxPublisher(journal, Alert, topic, encode, clock or ManualClock())  # type: ignore[arg-type]


def failures_to(topic: ATopic, journal: Journal) -> OutboxPublisher[Failure]:
    encode = partial(encode_failure, with_payload=True)
    return OutboxPublisher(journal, Failure, topic, encode, ManualClock())  # type: ignore[arg-type]


def commit(journal: Journal, alerts: int, failures: int = 0) -> None:
    """Let a batch raise so many alerts, numbered, and failures."""
    raised = tuple(an_alert(record_id=str(number), engine="shop") for number in range(alerts))
    failed = tuple(a_failure(message=a_message(place=str(at))) for at in range(failures))
    number = journal.next_number()
    commit_batch(journal, number, alerts=raised, failures=failed)


def ids_in(topic: ATopic) -> list[str]:
    return [msgspec.json.decode(message.data)["record_id"] for message in topic.published]


def test_all_alerts_and_failures_are_published_in_order_and_forgotten(
    journal: Journal, topic: ATopic
) -> None:
    failed = ATopic()
    commit(journal, alerts=1_200, failures=3)
    alerts_to(topic, journal).publish()
    failures_to(failed, journal).publish()
    assert ids_in(topic) == [str(number) for number in range(1_200)]
    sources = [message.attributes["failure_source"] for message in failed.published]
    assert sources == ["0", "1", "2"]
    assert journal.outbox.rows(Alert, 1) == journal.outbox.rows(Failure, 1) == []


def test_what_has_no_topic_stays_for_the_files(journal: Journal) -> None:
    commit(journal, alerts=1, failures=1)
    alerts_to(ATopic(), journal).publish()
    assert (journal.outbox.count("alert"), journal.outbox.count("failure")) == (0, 1)


def test_what_pubsub_does_not_take_waits_and_is_not_tried_before_a_pause_is_over(
    journal: Journal, topic: ATopic
) -> None:
    clock = ManualClock()
    announcer = alerts_to(topic, journal, clock)
    commit(journal, alerts=2)
    topic.error = Unpublished("no answer")
    announcer.publish()
    clock.advance(14.0)
    announcer.publish()
    assert (topic.tries, len(journal.outbox.rows(Alert, 9))) == (1, 2)
    clock.advance(1.0)
    topic.error = None
    announcer.publish()
    assert ids_in(topic) == ["0", "1"]
    assert journal.outbox.rows(Alert, 9) == []


def test_a_missing_topic_is_a_problem_until_it_is_there_and_keeps_the_alerts(
    journal: Journal, topic: ATopic, clock: ManualClock
) -> None:
    commit(journal, alerts=1)
    topic.error = Refused("cannot publish to projects/p/topics/t: it does not exist")
    announcer = alerts_to(topic, journal, clock)
    announcer.publish()
    assert "does not exist" in str(announcer.problem)
    assert len(journal.outbox.rows(Alert, 9)) == 1
    topic.error = None
    clock.advance(15.0)
    announcer.publish()
    assert announcer.problem is None
    assert journal.outbox.rows(Alert, 9) == []


@pytest.mark.parametrize("raised", [Unpublished, Refused])
def test_what_a_flaky_topic_has_stored_is_not_published_again(
    journal: Journal, clock: ManualClock, raised: type[Refused | Unpublished]
) -> None:
    class Flaky(ATopic):
        def publish(self, messages: Iterable[TopicMessage]) -> None:
            given = list(messages)
            self.published += given[:2]
            if len(given) > 2:
                error = raised("away")
                error.stored = 2
                raise error

    commit(journal, alerts=9)
    topic = Flaky()
    announcer = alerts_to(topic, journal, clock, ordering=True)
    for _ in range(5):
        announcer.publish()
        clock.advance(15.0)
    assert ids_in(topic) == [str(number) for number in range(9)]
    assert journal.outbox.rows(Alert, 9) == []


def test_alerts_that_a_full_disk_cannot_delete_are_not_published_again(
    journal: Journal, topic: ATopic, monkeypatch: pytest.MonkeyPatch
) -> None:
    announcer = alerts_to(topic, journal)
    commit(journal, alerts=2)

    def full(_: object) -> None:
        raise OSError("disk is full")

    with monkeypatch.context() as disk:
        disk.setattr(journal.outbox, "delete", full)
        for _ in range(3):
            with pytest.raises(OSError, match="disk is full"):
                announcer.publish()
    commit(journal, alerts=1)
    announcer.publish()
    assert ids_in(topic) == ["0", "1", "0"]
    assert journal.outbox.rows(Alert, 9) == []


def test_alerts_that_were_published_and_not_forgotten_are_published_again_after_a_crash(
    journal: Journal, topic: ATopic, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(journal, alerts=2)

    def die(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as crash:
        crash.setattr(journal.outbox, "delete", die)
        with pytest.raises(KeyboardInterrupt):
            alerts_to(topic, journal).publish()
    alerts_to(topic, journal).publish()
    assert ids_in(topic) == ["0", "1", "0", "1"]


@pytest.mark.parametrize(("ordering", "key"), [(True, "shop"), (False, "")])
def test_alerts_of_an_engine_stay_in_order_only_where_that_is_asked_for(
    journal: Journal, topic: ATopic, ordering: bool, key: str
) -> None:
    commit(journal, alerts=1)
    alerts_to(topic, journal, ordering=ordering).publish()
    assert [message.ordering_key for message in topic.published] == [key]
