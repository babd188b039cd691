"""Messages from their delivery until they are settled."""

import threading

import pytest

from launch.pubsub.outstanding import Delivery, OutstandingMessages, PullSettings, Settlement
from schemas.message import Message
from tests.support.clocks import ManualClock

SETTINGS = PullSettings(max_messages=3, max_bytes=100, lease_s=60, max_lease_s=300.0)


def a_delivery(place: str, ack_id: str = "", size_bytes: int = 10, time_us: int = 5) -> Delivery:
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


def test_messages_are_handed_out_once_in_their_order(
    outstanding: OutstandingMessages,
) -> None:
    outstanding.receive([a_delivery("a"), a_delivery("b")])
    assert pull(outstanding, max_messages=1) == ["a"]
    assert pull(outstanding) == ["b"]
    assert pull(outstanding) == []


@pytest.mark.parametrize(
    ("max_bytes", "handed_out"),
    [(20, ["a", "b"]), (19, ["a"]), (0, ["a"])],
    ids=["just fits", "one byte less", "one is handed out whatever its size"],
)
def test_messages_are_handed_out_up_to_a_size(
    outstanding: OutstandingMessages, max_bytes: int, handed_out: list[str]
) -> None:
    outstanding.receive([a_delivery("a"), a_delivery("b")])
    assert pull(outstanding, max_bytes=max_bytes) == handed_out


def test_a_message_delivered_again_is_not_handed_out_again(
    outstanding: OutstandingMessages,
) -> None:
    outstanding.receive([a_delivery("a", "first")])
    assert pull(outstanding) == ["a"]
    outstanding.receive([a_delivery("a", "second")])
    assert pull(outstanding) == []
    stats = outstanding.stats()
    assert (stats.processing, stats.redelivered, stats.size_bytes) == (1, 1, 10)


def test_of_a_message_delivered_again_and_again_the_last_deliveries_are_remembered(
    outstanding: OutstandingMessages,
) -> None:
    for number in range(1_000):
        outstanding.receive([a_delivery("a", f"ack-{number}")])
    outstanding.mark(["a"], Settlement.ACK)
    unsent = outstanding.unsent(Settlement.ACK, 9_999)
    assert unsent == [f"ack-{number}" for number in range(995, 1_000)]
    # A delivery more, while Pub/Sub is told of these.
    outstanding.receive([a_delivery("a", "ack-1000")])
    outstanding.remove(unsent)
    assert outstanding.stats().settled == 1
    outstanding.remove(["ack-1000"])
    assert (outstanding.stats().settled, outstanding.stats().size_bytes) == (0, 0)


def test_what_becomes_of_a_message_settles_all_its_deliveries(
    outstanding: OutstandingMessages,
) -> None:
    outstanding.receive([a_delivery("a", "first"), a_delivery("a", "second")])
    pull(outstanding)
    outstanding.mark(["a"], Settlement.ACK)
    outstanding.receive([a_delivery("a", "third")])
    assert outstanding.unsent(Settlement.ACK, 10) == ["first", "second", "third"]
    assert outstanding.unsent(Settlement.NACK, 10) == []


def test_a_message_is_let_go_when_its_last_delivery_is(
    outstanding: OutstandingMessages,
) -> None:
    outstanding.receive([a_delivery("a", "first"), a_delivery("a", "second")])
    pull(outstanding)
    outstanding.mark(["a"], Settlement.ACK)
    outstanding.remove(["first"])
    assert outstanding.stats().settled == 1
    outstanding.remove(["second"])
    assert (outstanding.stats().settled, outstanding.stats().size_bytes) == (0, 0)


def test_a_message_let_go_is_handed_out_when_it_comes_again(
    outstanding: OutstandingMessages,
) -> None:
    outstanding.receive([a_delivery("a", "first")])
    pull(outstanding)
    outstanding.mark(["a"], Settlement.NACK)
    assert outstanding.unsent(Settlement.NACK, 10) == ["first"]
    outstanding.remove(["first"])
    outstanding.receive([a_delivery("a", "second")])
    assert pull(outstanding) == ["a"]


def test_a_fate_is_final(
    outstanding: OutstandingMessages,
) -> None:
    outstanding.receive([a_delivery("a")])
    pull(outstanding)
    outstanding.mark(["a", "unknown"], Settlement.ACK)
    outstanding.mark(["a"], Settlement.NACK)
    assert outstanding.unsent(Settlement.ACK, 10) == ["ack-a"]
    assert outstanding.unsent(Settlement.NACK, 10) == []


def test_only_so_many_ack_ids_are_listed_as_are_asked_for(
    outstanding: OutstandingMessages,
) -> None:
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


def test_leases_are_prolonged_before_messages_are_handed_out_and_while_they_are_worked_on(
    outstanding: OutstandingMessages, clock: ManualClock
) -> None:
    outstanding.receive([a_delivery("waiting"), a_delivery("b"), a_delivery("c")])
    pull(outstanding, max_messages=1)
    clock.advance(30)
    assert len(outstanding.leases_to_extend()) == 3


def test_settled_messages_are_not_due(outstanding: OutstandingMessages, clock: ManualClock) -> None:
    outstanding.receive([a_delivery("a")])
    pull(outstanding)
    outstanding.mark(["a"], Settlement.ACK)
    clock.advance(30)
    assert outstanding.leases_to_extend() == []


def test_a_message_held_for_too_long_is_overdue_and_not_due(
    outstanding: OutstandingMessages, clock: ManualClock
) -> None:
    outstanding.receive([a_delivery("a")])
    clock.advance(299)
    assert (outstanding.leases_to_extend(), outstanding.stats().overdue) == (["ack-a"], 0)
    clock.advance(1)
    assert (outstanding.leases_to_extend(), outstanding.stats().overdue) == ([], 1)


def test_a_holding_counts_messages_by_how_far_they_are(
    outstanding: OutstandingMessages, clock: ManualClock
) -> None:
    times_us = {"a": 7_000_000, "b": 3_000_000, "c": 9_000_000}
    clock.advance(10)
    outstanding.receive([a_delivery(name, time_us=time_us) for name, time_us in times_us.items()])
    pull(outstanding, max_messages=2)
    outstanding.mark(["b"], Settlement.ACK)
    stats = outstanding.stats()
    assert (stats.waiting, stats.processing, stats.settled) == (1, 1, 1)
    assert stats.size_bytes == 30
    assert (stats.oldest_unacked_age_s, stats.oldest_waiting_age_s) == (3.0, 1.0)


def test_nothing_held_has_no_oldest_message(
    outstanding: OutstandingMessages,
) -> None:
    assert outstanding.stats().oldest_unacked_age_s == 0.0


@pytest.mark.parametrize(
    "deliveries",
    [[a_delivery(name) for name in "abc"], [a_delivery("a", size_bytes=100)]],
    ids=["messages", "bytes"],
)
def test_there_is_no_room_until_a_message_is_let_go(
    outstanding: OutstandingMessages, deliveries: list[Delivery]
) -> None:
    outstanding.receive(deliveries)
    waiting = threading.Thread(target=outstanding.wait_for_room)
    waiting.start()
    pull(outstanding, max_messages=1)
    outstanding.mark(["a"], Settlement.ACK)
    assert waiting.is_alive()
    outstanding.remove(["ack-a"])
    waiting.join(10)
    assert not waiting.is_alive()


def test_closing_refuses_what_is_not_settled_and_what_still_comes(
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

    waiting = threading.Thread(target=wait)
    waiting.start()
    if end == "close":
        outstanding.close()
    elif end == "message":
        outstanding.receive([a_delivery("a")])
    else:
        outstanding.fail(KeyError("gone"))
    waiting.join(10)
    assert len(ended) == 1
