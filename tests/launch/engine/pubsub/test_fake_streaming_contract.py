"""What StreamingPull promises, by the official client's streaming pull, of every server."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from google.cloud.pubsub_v1.types import FlowControl

from tests.support.pubsub_servers import ServerUnderTest
from tests.support.pubsub_topics import OneTopic
from tests.support.waiting import wait_until


@pytest.fixture
def answers(pubsub_server: ServerUnderTest, monkeypatch: pytest.MonkeyPatch) -> Iterator[OneTopic]:
    with OneTopic(pubsub_server.address, monkeypatch) as one:
        yield one


class Listener:
    """Receive messages, and keep them until the test acknowledges them."""

    def __init__(self, one: OneTopic, most_messages: int = 1_000) -> None:
        self.received: list[Any] = []
        flow = FlowControl(max_messages=most_messages)
        self._future = one.subscriber.subscribe(
            one.subscription,
            self.received.append,
            flow_control=flow,
            await_callbacks_on_shutdown=True,
        )

    def stop(self) -> None:
        self._future.cancel()
        self._future.result(timeout=30)

    def payloads(self) -> list[bytes]:
        return sorted(message.data for message in self.received)


@pytest.fixture
def listener(answers: OneTopic) -> Iterator[Listener]:
    listening = Listener(answers)
    yield listening
    listening.stop()


def test_messages_come_without_being_asked_for(answers: OneTopic, listener: Listener) -> None:
    answers.publish(b"1", engine="search")
    wait_until(lambda: listener.received)
    answers.publish(b"2", engine="search")
    wait_until(lambda: len(listener.received) == 2)
    assert listener.payloads() == [b"1", b"2"]
    assert listener.received[0].attributes == {"engine": "search"}


def test_a_refused_message_comes_again(answers: OneTopic, listener: Listener) -> None:
    answers.publish(b"lamps")
    wait_until(lambda: listener.received)
    listener.received[0].nack()
    wait_until(lambda: len(listener.received) == 2)
    assert listener.received[1].message_id == listener.received[0].message_id


def test_many_messages_all_come_and_go(answers: OneTopic) -> None:
    sent = {str(number).encode() for number in range(500)}
    answers.publish(*sent)
    listening = Listener(answers)
    wait_until(lambda: len(listening.received) >= len(sent), within_s=30.0)
    for message in listening.received:
        message.ack()
    listening.stop()
    assert set(listening.payloads()) == sent
    assert answers.at_once() == []


def test_no_more_come_than_the_reader_is_willing_to_hold(answers: OneTopic) -> None:
    answers.publish(*(str(number).encode() for number in range(40)))
    listening = Listener(answers, most_messages=5)
    acknowledged = 0
    while acknowledged < 40:
        wait_until(lambda: len(listening.received) > acknowledged)  # noqa: B023 - it is called at once
        held = len(listening.received) - acknowledged
        assert held <= 5
        for message in listening.received[acknowledged : acknowledged + held]:
            message.ack()
        acknowledged += held
    listening.stop()


def test_two_readers_share_the_messages(answers: OneTopic) -> None:
    readers = [Listener(answers), Listener(answers)]
    sent = sorted(str(number).encode() for number in range(100))
    answers.publish(*sent)
    wait_until(lambda: sum(len(reader.received) for reader in readers) >= len(sent))
    for reader in readers:
        reader.stop()
    assert sorted(readers[0].payloads() + readers[1].payloads()) == sent


def test_a_stream_ends_when_its_reader_leaves(answers: OneTopic) -> None:
    before = threading.active_count()
    Listener(answers).stop()
    wait_until(lambda: threading.active_count() <= before + 1)
