"""Messages from their delivery until they are acknowledged."""

import threading

import pytest

from groundwatch.launch.engine.pubsub.outstanding import (
    OutstandingMessages,
    PullSettings,
    ReceivedMessage,
    Settlement,
)
from groundwatch.schemas.message import Message
from tests.support.clocks import ManualClock

SETTINGS = PullSettings(max_messages=3, max_bytes=100, lease_s=60, max_lease_s=300.0)


def a_delivery(
    place: str, ack_id: str = "", size_bytes: int = 10, time_us: int = 5
) -> ReceivedMessage:
    message = Message(payload=b"lamps", place=place, publish_time_us=time_us)
    return ack_id or f"ack-{place}", message, size_bytes


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(0.0)


@pytest.fixture
def outstanding(clock: ManualClock) -> OutstandingMessages:
    return OutstandingMessages(SETTINGS, clock, clock)


def pull(
    outstanding: OutstandingMessages, max_messages: int = 100, max_bytes: int = 1_000
) -> list[str]:
    return [message.place for message in outstanding.pull(max_messages, max_bytes, wait_s=0.0)]


def test_messages_are_returned_once_in_their_order(outstanding: OutstandingMessages) -> None:
    outstanding.receive([a_delivery("a"), a_delivery("b")])
    assert pull(outstanding, max_messages=1) == ["a"]
    assert pull(outstanding) == ["b"]
    assert pull(outstanding) == []


@pytest.mark.parametrize(
    ("max_bytes", "returned"),
    [(20, ["a", "b"]), (19, ["a"]), (0, ["a"])],
    ids=["just fits", "one byte less", "one is returned whatever its size"],
)
def test_messages_are_returned_up_to_a_size(
    outstanding: OutstandingMessages, max_bytes: int, returned: list[str]
) -> None:
    outstanding.receive([a_delivery("a"), a_delivery("b")])
    assert pull(outstanding, max_bytes=max_bytes) == returned


def test_only_the_last_deliveries_of_a_message_are_kept(outstanding: OutstandingMessages) -> None:
    for number in range(1_000):
        outstanding.receive([a_delivery("a", f"ack-{number}")])
    outstanding.mark(["a"], Settlement.ACK)
    unsent = outstanding.unsent(Settlement.ACK, 9_999)
    assert unsent == [f"ack-{number}" for number in range(995, 1_000)]
    # One more delivery, while these are being sent to Pub/Sub.
    outstanding.receive([a_delivery("a", "ack-1000")])
    outstanding.remove(unsent)
    assert outstanding.stats().settled == 1
    outstanding.remove(["ack-1000"])
    assert (outstanding.stats().settled, outstanding.stats().size_bytes) == (0, 0)


def test_a_removed_message_is_returned_when_it_comes_again(
    outstanding: OutstandingMessages,
) -> None:
    outstanding.receive([a_delivery("a", "first")])
    pull(outstanding)
    outstanding.mark(["a"], Settlement.NACK)
    assert outstanding.unsent(Settlement.NACK, 10) == ["first"]
    outstanding.remove(["first"])
    outstanding.receive([a_delivery("a", "second")])
    assert pull(outstanding) == ["a"]


def test_an_ack_is_final(outstanding: OutstandingMessages) -> None:
    outstanding.receive([a_delivery("a")])
    pull(outstanding)
    outstanding.mark(["a", "unknown"], Settlement.ACK)
    outstanding.mark(["a"], Settlement.NACK)
    assert outstanding.unsent(Settlement.ACK, 10) == ["ack-a"]
    assert outstanding.unsent(Settlement.NACK, 10) == []


def test_only_so_many_ack_ids_are_listed_as_are_asked_for(outstanding: OutstandingMessages) -> None:
    outstanding.receive([a_delivery("a"), a_delivery("b")])
    pull(outstanding)
    outstanding.mark(["a", "b"], Settlement.ACK)
    assert outstanding.unsent(Settlement.ACK, 1) == ["ack-a"]


def test_leases_are_due_when_they_are_half_over(
    outstanding: OutstandingMessages, clock: ManualClock
) -> None:
    outstanding.receive([a_delivery("a")])
    clock.advance(29)
    assert outstanding.leases_to_extend() == []
    clock.advance(1)
    assert outstanding.leases_to_extend() == ["ack-a"]
    outstanding.record_extension(["ack-a", "unknown"], clock())
    assert outstanding.leases_to_extend() == []
    clock.advance(30)
    assert outstanding.leases_to_extend() == ["ack-a"]


def test_leases_of_waiting_and_processing_messages_are_extended(
    outstanding: OutstandingMessages, clock: ManualClock
) -> None:
    outstanding.receive([a_delivery("waiting"), a_delivery("b"), a_delivery("c")])
    pull(outstanding, max_messages=1)
    clock.advance(30)
    assert len(outstanding.leases_to_extend()) == 3


def test_leases_of_acknowledged_messages_are_not_extended(
    outstanding: OutstandingMessages, clock: ManualClock
) -> None:
    outstanding.receive([a_delivery("a")])
    pull(outstanding)
    outstanding.mark(["a"], Settlement.ACK)
    clock.advance(30)
    assert outstanding.leases_to_extend() == []


def test_leases_are_extended_until_a_message_is_overdue(
    outstanding: OutstandingMessages, clock: ManualClock
) -> None:
    outstanding.receive([a_delivery("a")])
    clock.advance(299)
    assert (outstanding.leases_to_extend(), outstanding.stats().overdue) == (["ack-a"], 0)
    clock.advance(1)
    assert (outstanding.leases_to_extend(), outstanding.stats().overdue) == ([], 1)


def test_statistics_count_messages_by_state(
    outstanding: OutstandingMessages, clock: ManualClock
) -> None:
    assert outstanding.stats().oldest_unacked_age_s == 0.0
    times_us = {"a": 7_000_000, "b": 3_000_000, "c": 9_000_000}
    clock.advance(10)
    outstanding.receive([a_delivery(name, time_us=time_us) for name, time_us in times_us.items()])
    pull(outstanding, max_messages=2)
    outstanding.mark(["b"], Settlement.ACK)
    stats = outstanding.stats()
    assert (stats.waiting, stats.processing, stats.settled) == (1, 1, 1)
    assert stats.size_bytes == 30
    assert (stats.oldest_unacked_age_s, stats.oldest_waiting_age_s) == (3.0, 1.0)


@pytest.mark.parametrize(
    "deliveries",
    [[a_delivery(name) for name in "abc"], [a_delivery("a", size_bytes=100)]],
    ids=["messages", "bytes"],
)
def test_a_full_process_waits_until_a_message_is_removed(
    outstanding: OutstandingMessages, deliveries: list[ReceivedMessage]
) -> None:
    outstanding.receive(deliveries)
    waiting = threading.Thread(target=outstanding.wait_for_room, daemon=True)
    waiting.start()
    pull(outstanding, max_messages=1)
    outstanding.mark(["a"], Settlement.ACK)
    assert waiting.is_alive()
    outstanding.remove(["ack-a"])
    waiting.join(10)
    assert not waiting.is_alive()


def test_closing_nacks_unacknowledged_messages_and_those_that_still_arrive(
    outstanding: OutstandingMessages,
) -> None:
    outstanding.receive([a_delivery("a"), a_delivery("b")])
    pull(outstanding, max_messages=1)
    outstanding.mark(["a"], Settlement.ACK)
    outstanding.close()
    outstanding.receive([a_delivery("c")])
    assert outstanding.unsent(Settlement.ACK, 10) == ["ack-a"]
    assert outstanding.unsent(Settlement.NACK, 10) == ["ack-b", "ack-c"]
    assert pull(outstanding) == []


@pytest.mark.parametrize("end", ["close", "message", "failure"])
def test_a_wait_for_messages_ends_when_there_is_something_to_say(
    outstanding: OutstandingMessages, end: str
) -> None:
    ended: list[object] = []

    def wait() -> None:
        try:
            ended.append(outstanding.pull(1, 1, wait_s=30.0))
        except KeyError as error:
            ended.append(error)

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    if end == "close":
        outstanding.close()
    elif end == "message":
        outstanding.receive([a_delivery("a")])
    else:
        outstanding.fail(KeyError("gone"))
    waiting.join(10)
    assert len(ended) == 1
