"""Alerts and failures to their topics: each at least once, whatever happens between."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.pubsub.pubsub_errors import Refused, Unpublished
from groundwatch.launch.watch.delivery import Delivery
from groundwatch.launch.watch.topic_target import TopicTarget
from groundwatch.pipeline.sinks.topic_messages import TopicMessage, encode_alert, encode_failure
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.failure import Failure
from groundwatch.transforms.persistence.database import DamagedDatabase
from tests.support.builders import a_failure, a_message
from tests.support.clocks import ManualClock
from tests.support.journals import an_alert, commit_batch, open_journal


class ATopic:
    """Take messages, or so many of a call before an error of the test's choice."""

    def __init__(self) -> None:
        self.published: list[TopicMessage] = []
        self.tries = 0
        self.error: Callable[[], Refused | Unpublished] | None = None
        self.takes = 0

    def publish(self, messages: Iterable[TopicMessage]) -> None:
        given = list(messages)
        self.tries += 1
        if self.error and len(given) > self.takes:
            self.published += given[: self.takes]
            error = self.error()
            error.stored = self.takes
            raise error
        self.published += given

    def close(self) -> None:
        """There is nothing to close."""


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(open_journal(tmp_path)) as journal:
        yield journal


@pytest.fixture
def topic() -> ATopic:
    return ATopic()


@pytest.fixture
def alerts(topic: ATopic, journal: Journal, clock: ManualClock) -> Delivery[Alert]:
    def encode(alert: Alert) -> TopicMessage:
        return encode_alert(alert, ordering_key=alert.engine or "")

    target = TopicTarget("alert", topic, encode)  # type: ignore[arg-type]
    return Delivery(journal, Alert, target, None, clock)


def commit(journal: Journal, alerts: int, failures: int = 0) -> None:
    """Let a batch raise so many alerts, numbered, of two engines, and failures."""
    raised = tuple(an_alert(record_id=str(n), engine=f"shop-{n % 2}") for n in range(alerts))
    failed = tuple(a_failure(message=a_message(place=str(at))) for at in range(failures))
    commit_batch(journal, journal.next_number(), alerts=raised, failures=failed)


def ids_in(topic: ATopic) -> list[str]:
    return [msgspec.json.decode(message.data)["record_id"] for message in topic.published]


def test_all_alerts_are_published_in_the_order_of_their_engine_and_forgotten(
    journal: Journal, topic: ATopic, alerts: Delivery[Alert]
) -> None:
    commit(journal, alerts=1_200, failures=3)
    alerts.step(journal)
    by_engine = [int(each) for each in ids_in(topic)]
    for engine in (0, 1):
        assert [n for n in by_engine if n % 2 == engine] == list(range(engine, 1_200, 2))
    assert by_engine[:250] == list(range(0, 500, 2)), "messages of one key behind each other"
    assert (journal.outbox.count("alert"), journal.outbox.count("failure")) == (0, 3)
    assert journal.published_to_topics() == {"alerts": 1_200, "failures": 0}


def test_failures_are_published_to_their_own_topic(journal: Journal, topic: ATopic) -> None:
    commit(journal, alerts=1, failures=3)
    target = TopicTarget("failure", topic, encode_failure)  # type: ignore[arg-type]
    Delivery(journal, Failure, target, None, ManualClock()).step(journal)
    sources = [message.attributes["failure_source"] for message in topic.published]
    assert sources == ["0", "1", "2"]
    assert (journal.outbox.count("alert"), journal.outbox.count("failure")) == (1, 0)


@pytest.mark.parametrize("error", [Unpublished, Refused])
def test_what_a_topic_does_not_take_is_a_problem_and_waits_for_a_pause(
    journal: Journal,
    topic: ATopic,
    alerts: Delivery[Alert],
    clock: ManualClock,
    error: type[Refused | Unpublished],
) -> None:
    commit(journal, alerts=1)
    topic.error = lambda: error("it does not exist")
    alerts.step(journal)
    clock.advance(0.5)
    alerts.step(journal)
    assert (topic.tries, journal.outbox.count("alert")) == (1, 1)
    assert alerts.problem == "it does not exist"
    topic.error = None
    clock.advance(60.0)
    alerts.step(journal)
    assert (ids_in(topic), alerts.problem, journal.outbox.count("alert")) == (["0"], None, 0)


@pytest.mark.parametrize("error", [Unpublished, Refused])
def test_what_a_flaky_topic_has_stored_is_not_published_again(
    journal: Journal,
    topic: ATopic,
    alerts: Delivery[Alert],
    clock: ManualClock,
    error: type[Refused | Unpublished],
) -> None:
    commit(journal, alerts=9)
    topic.error, topic.takes = lambda: error("away"), 2
    for _ in range(5):
        alerts.step(journal)
        clock.advance(60.0)
    assert sorted(ids_in(topic)) == [str(number) for number in range(9)]
    assert journal.outbox.count("alert") == 0


def test_alerts_that_a_full_disk_cannot_delete_are_not_published_again(
    journal: Journal,
    topic: ATopic,
    alerts: Delivery[Alert],
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commit(journal, alerts=2)

    def full(_: object) -> None:
        raise OSError("disk is full")

    with monkeypatch.context() as disk:
        disk.setattr(journal.outbox, "delete", full)
        for _ in range(3):
            alerts.step(journal)
            assert alerts.problem == "disk is full"
            clock.advance(60.0)
    commit(journal, alerts=1)
    alerts.step(journal)
    assert ids_in(topic) == ["0", "1", "0"]
    assert journal.outbox.count("alert") == 0


def test_a_damaged_database_ends_the_deliveries(
    journal: Journal, alerts: Delivery[Alert], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object, **__: object) -> None:
        raise DamagedDatabase("it is damaged")

    monkeypatch.setattr(journal.outbox, "rows", read)
    with pytest.raises(DamagedDatabase):
        alerts.step(journal)
    assert alerts.problem == "it is damaged"


def test_alerts_that_were_published_and_not_forgotten_are_published_again_after_a_crash(
    journal: Journal, topic: ATopic, alerts: Delivery[Alert], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(journal, alerts=1)

    def die(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as crash:
        crash.setattr(journal.outbox, "delete", die)
        with pytest.raises(KeyboardInterrupt):
            alerts.step(journal)
    again: Delivery[Alert] = Delivery(journal, Alert, alerts._target, None, ManualClock())
    again.step(journal)
    assert ids_in(topic) == ["0", "0"]
