"""Alerts and failures to their topics: each at least once, whatever happens between."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from google.api_core import exceptions
from google.pubsub_v1 import types

from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.pubsub import clients
from groundwatch.launch.watch.delivery import Delivery
from groundwatch.launch.watch.topic import Topic
from groundwatch.pipeline.sinks.topic_messages import TopicMessage, encode_alert
from groundwatch.schemas.alert import Alert
from groundwatch.transforms.persistence.database import DamagedDatabase
from tests.support.builders import a_failure, a_message
from tests.support.clocks import ManualClock
from tests.support.journals import an_alert, commit_batch, open_journal

TOPIC = "projects/lamps/topics/alerts"


class AClient:
    """Take the requests of a topic, or so many before each error of the test's choice."""

    def __init__(self) -> None:
        self.published: list[types.PubsubMessage] = []
        self.tries = 0
        self.error: Exception | None = None
        self.takes = 0
        self._taken = 0

    def publish(self, *, request: types.PublishRequest, **_: object) -> None:
        self.tries += 1
        if self.error and self._taken == self.takes:
            self._taken = 0
            raise self.error
        self._taken += 1
        self.published += request.messages


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(open_journal(tmp_path)) as journal:
        yield journal


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> AClient:
    client = AClient()
    monkeypatch.setattr(clients, "open_client", lambda *_: client)
    return client


@pytest.fixture
def alerts(client: AClient, journal: Journal, clock: ManualClock) -> Delivery[Alert]:  # noqa: ARG001 - it patches before
    def encode(alert: Alert) -> TopicMessage:
        return encode_alert(alert, ordering_key=alert.engine or "")

    topic = Topic(TOPIC, kind="alert", encode=encode, total_s=0.0)
    return Delivery(journal, Alert, topic, None, clock)


def commit(journal: Journal, alerts: int, failures: int = 0, engines: int = 2) -> None:
    """Let a batch raise so many alerts, numbered, of so many engines, and failures."""
    raised = tuple(an_alert(record_id=str(n), engine=f"shop-{n % engines}") for n in range(alerts))
    failed = tuple(a_failure(message=a_message(place=str(at))) for at in range(failures))
    commit_batch(journal, journal.next_number(), alerts=raised, failures=failed)


def ids_in(client: AClient) -> list[str]:
    return [msgspec.json.decode(message.data)["record_id"] for message in client.published]


def test_all_alerts_are_published_in_the_order_of_their_engine_and_forgotten(
    journal: Journal, client: AClient, alerts: Delivery[Alert]
) -> None:
    commit(journal, alerts=1_200, failures=3)
    alerts.step(journal)
    by_engine = [int(each) for each in ids_in(client)]
    for engine in (0, 1):
        assert [n for n in by_engine if n % 2 == engine] == list(range(engine, 1_200, 2))
    assert by_engine[:250] == list(range(0, 500, 2)), "messages of one key behind each other"
    assert (journal.outbox.count("alert"), journal.outbox.count("failure")) == (0, 3)
    assert journal.published_to_topics() == {"alerts": 1_200, "failures": 0}


@pytest.mark.parametrize("error", [exceptions.ServiceUnavailable, exceptions.NotFound])
def test_what_a_flaky_topic_has_stored_is_not_published_again(
    journal: Journal,
    client: AClient,
    alerts: Delivery[Alert],
    clock: ManualClock,
    error: type[exceptions.GoogleAPICallError],
) -> None:
    commit(journal, alerts=9, engines=5)
    client.error, client.takes = error("away"), 2
    for _ in range(5):
        alerts.step(journal)
        clock.advance(60.0)
    assert sorted(ids_in(client)) == [str(number) for number in range(9)]
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
    journal: Journal, client: AClient, alerts: Delivery[Alert], monkeypatch: pytest.MonkeyPatch
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
    assert ids_in(client) == ["0", "0"]
