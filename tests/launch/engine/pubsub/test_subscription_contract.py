"""Pulling and publishing, against every server there is."""

from collections.abc import Iterator

import pytest

from groundwatch.launch.engine.pubsub.outstanding import PullSettings
from groundwatch.launch.engine.pubsub.subscription import PubSubSubscription
from groundwatch.launch.watch.topic import Topic
from groundwatch.pipeline.sinks.topic_messages import build_message
from tests.support.pubsub_servers import ServerUnderTest
from tests.support.pubsub_topics import OneTopic, payloads
from tests.support.pulling import PLENTY, acknowledge, pull_all
from tests.support.waiting import wait_until


@pytest.fixture
def answers(pubsub_server: ServerUnderTest, monkeypatch: pytest.MonkeyPatch) -> Iterator[OneTopic]:
    with OneTopic(pubsub_server.address, monkeypatch) as one:
        yield one


@pytest.fixture
def subscription(answers: OneTopic) -> Iterator[PubSubSubscription]:
    # A server may deliver a message to a stream that has just been cancelled: its lease has to end.
    settings = PullSettings(lease_s=10, lease_check_every_s=0.01)
    opened = PubSubSubscription(answers.subscription, settings)
    yield opened
    opened.close()


@pytest.fixture
def topic(answers: OneTopic) -> Iterator[Topic]:
    opened = Topic(answers.topic)
    yield opened
    opened.close()


def test_a_message_is_pulled_with_all_that_belongs_to_it(
    answers: OneTopic, subscription: PubSubSubscription
) -> None:
    (message_id,) = answers.publish(b"lamps \x00\xff", engine="search")
    (message,) = pull_all(subscription, 1)
    assert message.payload == b"lamps \x00\xff"
    assert message.attributes == {"engine": "search"}
    assert message.place == message_id
    assert message.publish_time_us
    assert message.earlier is None


def test_a_pull_without_messages_returns_when_its_time_is_up(
    subscription: PubSubSubscription,
) -> None:
    assert subscription.pull(1, PLENTY, wait_s=0.05) == ()


def test_acknowledged_messages_are_gone_after_the_end(
    answers: OneTopic, subscription: PubSubSubscription
) -> None:
    answers.publish(b"1", b"2")
    acknowledge(subscription, *pull_all(subscription, 2))
    left = subscription.close()
    assert (left.waiting, left.processing, left.settled) == (0, 0, 0)
    assert answers.at_once() == []


def test_unacknowledged_messages_are_redelivered_at_once_after_closing(
    answers: OneTopic, subscription: PubSubSubscription
) -> None:
    answers.publish(b"in work")
    pull_all(subscription, 1)
    answers.publish(b"waiting")
    wait_until(lambda: subscription.stats().waiting)
    subscription.close()
    assert payloads(answers.pull_all(2)) == [b"in work", b"waiting"]


def test_a_thousand_messages_are_all_pulled_once(
    answers: OneTopic, subscription: PubSubSubscription, topic: Topic
) -> None:
    topic.send(build_message(str(number).encode(), {}) for number in range(1_000))
    pulled = pull_all(subscription, 1_000)
    acknowledge(subscription, *pulled)
    assert sorted(int(message.payload) for message in pulled) == list(range(1_000))
    wait_until(lambda: subscription.stats().settled == 0)
    assert answers.at_once() == []


def test_what_is_published_is_there_when_the_call_returns(answers: OneTopic, topic: Topic) -> None:
    topic.send([build_message(b"lamps", {"kind": "answer"}, ordering_key="shop")])
    (received,) = answers.at_once()
    assert received.message.data == b"lamps"
    assert dict(received.message.attributes) == {"kind": "answer"}
    assert received.message.ordering_key == "shop"


def test_a_message_over_four_megabytes_comes_through(
    subscription: PubSubSubscription, topic: Topic
) -> None:
    topic.send([build_message(b"x" * 9_900_000, {})])
    (message,) = pull_all(subscription, 1)
    assert len(message.payload) == 9_900_000
    acknowledge(subscription, message)
