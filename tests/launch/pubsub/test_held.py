"""The messages that are held, from their delivery until Pub/Sub knows their fate."""

import threading

import pytest

from launch.pubsub.delivery import Delivery
from launch.pubsub.held import Fate, Held
from launch.pubsub.settings import PullSettings
from schemas.message import Message
from tests.support.clocks import ManualClock

SETTINGS = PullSettings(most_messages=3, most_bytes=100, lease_s=60, most_lease_s=300.0)


def a_delivery(place: str, ack_id: str = "", size_bytes: int = 10, time_us: int = 5) -> Delivery:
    message = Message(payload=b"lamps", place=place, publish_time_us=time_us)
    return Delivery(ack_id or f"ack-{place}", message, size_bytes)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(0.0)


@pytest.fixture
def held(clock: ManualClock) -> Held:
    return Held(SETTINGS, clock)


def take(held: Held, most_messages: int = 100, most_bytes: int = 1_000) -> list[str]:
    return [message.place for message in held.take(most_messages, most_bytes, wait_s=0.0)]


def test_messages_are_handed_out_once_in_their_order(held: Held) -> None:
    held.receive([a_delivery("a"), a_delivery("b")])
    assert take(held, most_messages=1) == ["a"]
    assert take(held) == ["b"]
    assert take(held) == []


@pytest.mark.parametrize(
    ("most_bytes", "handed_out"),
    [(20, ["a", "b"]), (19, ["a"]), (0, ["a"])],
    ids=["just fits", "one byte less", "one is handed out whatever its size"],
)
def test_messages_are_handed_out_up_to_a_size(
    held: Held, most_bytes: int, handed_out: list[str]
) -> None:
    held.receive([a_delivery("a"), a_delivery("b")])
    assert take(held, most_bytes=most_bytes) == handed_out


def test_a_message_delivered_again_is_not_handed_out_again(held: Held) -> None:
    held.receive([a_delivery("a", "first")])
    assert take(held) == ["a"]
    held.receive([a_delivery("a", "second")])
    assert take(held) == []
    holding = held.holding()
    assert (holding.in_work, holding.redelivered, holding.size_bytes) == (1, 1, 10)


def test_of_a_message_delivered_again_and_again_the_last_deliveries_are_remembered(
    held: Held,
) -> None:
    for number in range(1_000):
        held.receive([a_delivery("a", f"ack-{number}")])
    held.settle(["a"], Fate.FORGET)
    unsent = held.unsent(Fate.FORGET, 9_999)
    assert unsent == [f"ack-{number}" for number in range(995, 1_000)]
    # A delivery more, while Pub/Sub is told of these.
    held.receive([a_delivery("a", "ack-1000")])
    held.sent(unsent)
    assert held.holding().settled == 1
    held.sent(["ack-1000"])
    assert (held.holding().settled, held.holding().size_bytes) == (0, 0)


def test_what_becomes_of_a_message_settles_all_its_deliveries(held: Held) -> None:
    held.receive([a_delivery("a", "first"), a_delivery("a", "second")])
    take(held)
    held.settle(["a"], Fate.FORGET)
    held.receive([a_delivery("a", "third")])
    assert held.unsent(Fate.FORGET, 10) == ["first", "second", "third"]
    assert held.unsent(Fate.DELIVER_AGAIN, 10) == []


def test_a_message_is_let_go_when_its_last_delivery_is(held: Held) -> None:
    held.receive([a_delivery("a", "first"), a_delivery("a", "second")])
    take(held)
    held.settle(["a"], Fate.FORGET)
    held.sent(["first"])
    assert held.holding().settled == 1
    held.sent(["second"])
    assert (held.holding().settled, held.holding().size_bytes) == (0, 0)


def test_a_message_let_go_is_handed_out_when_it_comes_again(held: Held) -> None:
    held.receive([a_delivery("a", "first")])
    take(held)
    held.settle(["a"], Fate.DELIVER_AGAIN)
    assert held.unsent(Fate.DELIVER_AGAIN, 10) == ["first"]
    held.sent(["first"])
    held.receive([a_delivery("a", "second")])
    assert take(held) == ["a"]


def test_a_fate_is_final(held: Held) -> None:
    held.receive([a_delivery("a")])
    take(held)
    held.settle(["a", "unknown"], Fate.FORGET)
    held.settle(["a"], Fate.DELIVER_AGAIN)
    assert held.unsent(Fate.FORGET, 10) == ["ack-a"]
    assert held.unsent(Fate.DELIVER_AGAIN, 10) == []


def test_only_so_many_ack_ids_are_listed_as_are_asked_for(held: Held) -> None:
    held.receive([a_delivery("a"), a_delivery("b")])
    take(held)
    held.settle(["a", "b"], Fate.FORGET)
    assert held.unsent(Fate.FORGET, 1) == ["ack-a"]


def test_leases_are_due_when_they_are_half_over(held: Held, clock: ManualClock) -> None:
    held.receive([a_delivery("a")])
    clock.advance(29)
    assert held.due() == []
    clock.advance(1)
    assert held.due() == ["ack-a"]
    held.prolonged(["ack-a", "unknown"], clock())
    assert held.due() == []
    clock.advance(30)
    assert held.due() == ["ack-a"]


def test_leases_are_prolonged_before_messages_are_handed_out_and_while_they_are_worked_on(
    held: Held, clock: ManualClock
) -> None:
    held.receive([a_delivery("waiting"), a_delivery("b"), a_delivery("c")])
    take(held, most_messages=1)
    clock.advance(30)
    assert len(held.due()) == 3


def test_settled_messages_are_not_due(held: Held, clock: ManualClock) -> None:
    held.receive([a_delivery("a")])
    take(held)
    held.settle(["a"], Fate.FORGET)
    clock.advance(30)
    assert held.due() == []


def test_a_message_held_for_too_long_is_overdue_and_not_due(held: Held, clock: ManualClock) -> None:
    held.receive([a_delivery("a")])
    clock.advance(299)
    assert (held.due(), held.holding().overdue) == (["ack-a"], 0)
    clock.advance(1)
    assert (held.due(), held.holding().overdue) == ([], 1)


def test_a_holding_counts_messages_by_how_far_they_are(held: Held) -> None:
    times_us = {"a": 7, "b": 3, "c": 9}
    held.receive([a_delivery(name, time_us=time_us) for name, time_us in times_us.items()])
    take(held, most_messages=2)
    held.settle(["b"], Fate.FORGET)
    holding = held.holding()
    assert (holding.waiting, holding.in_work, holding.settled) == (1, 1, 1)
    assert (holding.size_bytes, holding.oldest_publish_time_us) == (30, 7)


def test_nothing_held_has_no_oldest_message(held: Held) -> None:
    assert held.holding().oldest_publish_time_us is None


@pytest.mark.parametrize(
    "deliveries",
    [[a_delivery(name) for name in "abc"], [a_delivery("a", size_bytes=100)]],
    ids=["messages", "bytes"],
)
def test_there_is_no_room_until_a_message_is_let_go(held: Held, deliveries: list[Delivery]) -> None:
    held.receive(deliveries)
    waiting = threading.Thread(target=held.wait_for_room)
    waiting.start()
    take(held, most_messages=1)
    held.settle(["a"], Fate.FORGET)
    assert waiting.is_alive()
    held.sent(["ack-a"])
    waiting.join(10)
    assert not waiting.is_alive()


def test_closing_refuses_what_is_not_settled_and_what_still_comes(held: Held) -> None:
    held.receive([a_delivery("a"), a_delivery("b")])
    take(held, most_messages=1)
    held.settle(["a"], Fate.FORGET)
    held.close()
    held.receive([a_delivery("c")])
    assert held.unsent(Fate.FORGET, 10) == ["ack-a"]
    assert held.unsent(Fate.DELIVER_AGAIN, 10) == ["ack-b", "ack-c"]
    assert take(held) == []


@pytest.mark.parametrize("end", ["close", "message", "failure"])
def test_a_wait_for_messages_ends_when_there_is_something_to_say(held: Held, end: str) -> None:
    ended: list[object] = []

    def wait() -> None:
        try:
            ended.append(held.take(1, 1, wait_s=30.0))
        except KeyError as error:
            ended.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    if end == "close":
        held.close()
    elif end == "message":
        held.receive([a_delivery("a")])
    else:
        held.fail(KeyError("gone"))
    waiting.join(10)
    assert len(ended) == 1
