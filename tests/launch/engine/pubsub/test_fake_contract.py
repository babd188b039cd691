"""What Pub/Sub promises, of every server there is: groundwatch's own and Google's emulator."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from google.api_core import exceptions

from tests.support.pubsub_servers import ServerUnderTest
from tests.support.pubsub_topics import OneTopic, payloads

MISSING_TOPIC = "projects/lamps/topics/missing"
MISSING = "projects/lamps/subscriptions/missing"


@pytest.fixture
def answers(pubsub_server: ServerUnderTest, monkeypatch: pytest.MonkeyPatch) -> Iterator[OneTopic]:
    with OneTopic(pubsub_server.address, monkeypatch, ack_deadline_seconds=10) as one:
        yield one


def test_a_message_comes_with_its_data_attributes_id_and_time(answers: OneTopic) -> None:
    ids = answers.publish(b"lamps \x00\xff", engine="search", empty="")
    (received,) = answers.pull()
    assert received.message.data == b"lamps \x00\xff"
    assert dict(received.message.attributes) == {"engine": "search", "empty": ""}
    assert [received.message.message_id] == ids
    assert received.message.publish_time.timestamp() > 1_700_000_000


def test_every_message_has_an_id_of_its_own(answers: OneTopic) -> None:
    assert len(set(answers.publish(*[b"alike"] * 50))) == 50
    assert len({message.ack_id for message in answers.pull_all(50)}) == 50


def test_no_more_messages_come_than_are_asked_for(answers: OneTopic) -> None:
    answers.publish(b"1", b"2", b"3")
    assert len(answers.pull(most=2)) <= 2


def test_a_message_on_lease_is_given_to_nobody_else(answers: OneTopic) -> None:
    answers.publish(b"lamps")
    assert len(answers.pull()) == 1
    assert answers.at_once() == []


def test_an_acknowledged_message_does_not_come_again(
    pubsub_server: ServerUnderTest, answers: OneTopic
) -> None:
    answers.publish(b"lamps")
    received = answers.pull()
    answers.prolong(1, *received)
    answers.acknowledge(*received)
    pubsub_server.let_pass(2)
    assert answers.at_once() == []


def test_a_refused_message_comes_again_at_once(answers: OneTopic) -> None:
    answers.publish(b"lamps")
    first = answers.pull()
    answers.prolong(0, *first)
    again = answers.pull()
    assert again[0].message == first[0].message
    assert again[0].ack_id != first[0].ack_id


def test_a_message_comes_again_when_its_lease_has_ended(
    pubsub_server: ServerUnderTest, answers: OneTopic
) -> None:
    answers.publish(b"lamps")
    first = answers.pull()
    answers.prolong(1, *first)
    pubsub_server.let_pass(2)
    assert answers.pull()[0].message == first[0].message


def test_every_subscription_gets_every_message(answers: OneTopic) -> None:
    other = answers.create_subscription()
    answers.publish(b"1", b"2")
    assert payloads(answers.pull_all(2)) == [b"1", b"2"]
    assert payloads(answers.pull_all(2, other)) == [b"1", b"2"]


def test_a_subscription_gets_nothing_from_before_it_was_created(answers: OneTopic) -> None:
    answers.publish(b"before")
    late = answers.create_subscription()
    answers.publish(b"after")
    assert payloads(answers.pull(subscription=late)) == [b"after"]


def test_an_ordering_key_comes_along(answers: OneTopic) -> None:
    message = {"data": b"lamps", "ordering_key": "engine-1"}
    request = {"topic": answers.topic, "messages": [message]}
    answers.publisher.transport.publish(request)
    assert answers.pull()[0].message.ordering_key == "engine-1"


def test_topics_and_subscriptions_are_found_until_they_are_deleted(answers: OneTopic) -> None:
    publisher, subscriber = answers.publisher, answers.subscriber
    assert publisher.get_topic(topic=answers.topic).name == answers.topic
    found = subscriber.get_subscription(subscription=answers.subscription)
    assert (found.topic, found.ack_deadline_seconds) == (answers.topic, 10)
    publisher.delete_topic(topic=answers.topic)
    orphan = subscriber.get_subscription(subscription=answers.subscription)
    assert orphan.topic == "_deleted-topic_"
    subscriber.delete_subscription(subscription=answers.subscription)
    with pytest.raises(exceptions.NotFound):
        publisher.get_topic(topic=answers.topic)
    with pytest.raises(exceptions.NotFound):
        subscriber.get_subscription(subscription=answers.subscription)


def test_what_a_deleted_topic_left_behind_is_still_delivered(answers: OneTopic) -> None:
    answers.publish(b"lamps")
    answers.publisher.delete_topic(topic=answers.topic)
    assert payloads(answers.pull()) == [b"lamps"]


Call = Callable[[OneTopic], Any]
REFUSED: dict[str, tuple[type[Exception], Call]] = {
    "a topic that is there": (
        exceptions.AlreadyExists,
        lambda one: one.publisher.create_topic(name=one.topic),
    ),
    "a subscription that is there": (
        exceptions.AlreadyExists,
        lambda one: one.subscriber.create_subscription(name=one.subscription, topic=one.topic),
    ),
    "a topic's name that is none": (
        exceptions.InvalidArgument,
        lambda one: one.publisher.create_topic(name="projects/lamps/topics/x"),
    ),
    "a topic's name that is Google's": (
        exceptions.InvalidArgument,
        lambda one: one.publisher.create_topic(name="projects/lamps/topics/goog-answers"),
    ),
    "a subscription without a topic": (
        exceptions.NotFound,
        lambda one: one.create_subscription(MISSING_TOPIC),
    ),
    "a publish to nowhere": (
        exceptions.NotFound,
        lambda one: one.publisher.publish(MISSING_TOPIC, b"lamps").result(timeout=60),
    ),
    "a publish of nothing": (
        exceptions.InvalidArgument,
        lambda one: one.publisher.publish(one.topic, b"").result(timeout=60),
    ),
    "a pull from nowhere": (exceptions.NotFound, lambda one: one.pull(subscription=MISSING)),
    "a pull of no message": (exceptions.InvalidArgument, lambda one: one.pull(most=0)),
    "a stream from nowhere": (
        exceptions.NotFound,
        lambda one: next(one.stream(subscription=MISSING)),
    ),
    "a stream with short leases": (
        exceptions.InvalidArgument,
        lambda one: next(one.stream(stream_ack_deadline_seconds=9)),
    ),
    "an acknowledgement of nothing": (exceptions.InvalidArgument, lambda one: one.acknowledge()),
    "an ack id that is none": (
        exceptions.InvalidArgument,
        lambda one: one.subscriber.acknowledge(
            subscription=one.subscription, ack_ids=["not an ack id"]
        ),
    ),
    "a lease of less than nothing": (
        exceptions.InvalidArgument,
        lambda one: one.prolong(-1, *one.pull()),
    ),
}


@pytest.mark.parametrize(("error", "call"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_refused(answers: OneTopic, error: type[Exception], call: Call) -> None:
    answers.publish(b"lamps")
    with pytest.raises(error):
        call(answers)
