"""The messages of one subscription: given, held back, buried and forgotten."""

import itertools
from typing import Any

import pytest

from tests.support.fake_pubsub.backlog import Backlog
from tests.support.fake_pubsub.leases import Flow, Lease, Leases, Pending
from tests.support.fake_pubsub.policy import Policy, policy_of
from tests.support.fake_pubsub.wire import Subscription

PLAIN = Policy(ack_deadline_s=10.0)


def a_backlog(policy: Policy = PLAIN, **sizes: int) -> tuple[Backlog, list[Any]]:
    """A backlog of messages by their names and sizes, and the letters that it buried."""
    buried: list[Any] = []

    def bury(pending: Pending) -> bool:
        buried.append(pending.message)
        return True

    backlog = Backlog(policy, bury, itertools.count(1))
    for name, size_bytes in sizes.items():
        backlog.add(Pending(name, size_bytes, published_at_s=0.0))
    return backlog, buried


def take(backlog: Backlog, now_s: float, most: int = 100, most_bytes: int = 1_000) -> list[Lease]:
    return backlog.take(most, most_bytes, now_s)


def names(leases: list[Lease]) -> list[str]:
    return [lease.pending.message for lease in leases]


def test_messages_are_given_in_the_order_in_which_they_came() -> None:
    backlog, _ = a_backlog(a=1, b=1, c=1)
    assert names(take(backlog, 0.0, most=2)) == ["a", "b"]
    assert names(take(backlog, 0.0, most=2)) == ["c"]


@pytest.mark.parametrize(
    ("most_bytes", "given"),
    [(100, ["a", "b"]), (99, ["a"]), (1, ["a"])],
    ids=["just fits", "one byte less", "one is given whatever its size"],
)
def test_messages_are_given_up_to_a_size(most_bytes: int, given: list[str]) -> None:
    backlog, _ = a_backlog(a=50, b=50)
    assert names(take(backlog, 0.0, most_bytes=most_bytes)) == given


@pytest.mark.parametrize(("now_s", "given"), [(9.9, []), (10.0, ["a"])])
def test_a_lease_ends_at_the_ack_deadline(now_s: float, given: list[str]) -> None:
    backlog, _ = a_backlog(a=1)
    take(backlog, 0.0)
    assert names(take(backlog, now_s)) == given


def test_a_prolonged_lease_ends_at_its_new_end_only() -> None:
    backlog, _ = a_backlog(a=1)
    (lease,) = take(backlog, 0.0)
    backlog.prolong([lease.ack_id], 30, now_s=8.0)
    assert take(backlog, 37.9) == []
    assert names(take(backlog, 38.0)) == ["a"]


def test_a_shortened_lease_ends_sooner() -> None:
    backlog, _ = a_backlog(a=1)
    (lease,) = take(backlog, 0.0)
    backlog.prolong([lease.ack_id], 1, now_s=0.0)
    assert names(take(backlog, 1.0)) == ["a"]


def test_an_acknowledgement_that_comes_too_late_has_no_effect() -> None:
    backlog, _ = a_backlog(a=1)
    (lease,) = take(backlog, 0.0)
    backlog.acknowledge([lease.ack_id], now_s=10.0)
    assert names(take(backlog, 10.0)) == ["a"]


def test_an_acknowledged_lease_is_neither_acknowledged_nor_extended_again() -> None:
    backlog, _ = a_backlog(a=1)
    (lease,) = take(backlog, 0.0)
    backlog.acknowledge([lease.ack_id], now_s=0.0)
    backlog.acknowledge([lease.ack_id], now_s=0.0)
    backlog.prolong([lease.ack_id], 0, now_s=0.0)
    backlog.prolong([lease.ack_id], 60, now_s=0.0)
    counts = backlog.counts(100.0)
    assert (counts.acknowledged, counts.refused, counts.outstanding) == (1, 0, 0)


@pytest.mark.parametrize(
    ("attempt", "backoff_s"), [(1, 2.0), (2, 4.0), (3, 8.0), (4, 9.0), (2_000, 9.0)]
)
def test_the_backoff_doubles_up_to_its_most(attempt: int, backoff_s: float) -> None:
    backlog, _ = a_backlog(Policy(ack_deadline_s=10.0, least_backoff_s=2.0, most_backoff_s=9.0))
    backlog.add(Pending("a", 1, published_at_s=0.0, attempts=attempt - 1))
    (lease,) = take(backlog, 0.0)
    backlog.prolong([lease.ack_id], 0, now_s=0.0)
    assert take(backlog, backoff_s - 0.1) == []
    assert names(take(backlog, backoff_s)) == ["a"]


@pytest.mark.parametrize("fails", ["refused", "expired"])
def test_a_message_is_buried_after_its_last_attempt(fails: str) -> None:
    backlog, buried = a_backlog(Policy(ack_deadline_s=10.0, most_attempts=5), a=1)
    now_s = 0.0
    for _ in range(5):
        (lease,) = take(backlog, now_s)
        if fails == "refused":
            backlog.prolong([lease.ack_id], 0, now_s)
        else:
            now_s += 10.0
    assert take(backlog, now_s) == []
    assert buried == ["a"]
    assert backlog.counts(now_s).dead_lettered == 1


def test_a_message_that_cannot_be_buried_stays() -> None:
    policy = Policy(ack_deadline_s=10.0, most_attempts=1)
    backlog = Backlog(policy, lambda _: False, itertools.count(1))
    backlog.add(Pending("a", 1, published_at_s=0.0))
    take(backlog, 0.0)
    assert names(take(backlog, 10.0)) == ["a"]


def test_copies_come_after_waiting_messages_and_are_acknowledged_separately() -> None:
    backlog, _ = a_backlog()
    backlog.add(Pending("a", 1, published_at_s=0.0, copies=2))
    backlog.add(Pending("b", 1, published_at_s=0.0))
    leases = take(backlog, 0.0)
    assert names(leases) == ["a", "b", "a", "a"]
    backlog.acknowledge([leases[0].ack_id], now_s=0.0)
    assert names(take(backlog, 10.0)) == ["b", "a", "a"]


def test_counts_say_where_every_message_is() -> None:
    backlog, _ = a_backlog(Policy(ack_deadline_s=10.0, least_backoff_s=60.0), a=1, b=1, c=1, d=1)
    first, second, third = take(backlog, 1.0, most=3)
    backlog.acknowledge([first.ack_id], now_s=1.0)
    backlog.prolong([second.ack_id], 0, now_s=1.0)
    backlog.prolong([third.ack_id], 60, now_s=1.0)
    counts = backlog.counts(21.0)
    assert (counts.published, counts.delivered, counts.redelivered) == (4, 3, 0)
    assert (counts.acknowledged, counts.refused, counts.expired) == (1, 1, 0)
    assert (counts.leased, counts.outstanding, counts.oldest_unacked_age_s) == (1, 3, 21.0)


def test_nothing_is_old_where_nothing_is_left() -> None:
    backlog, _ = a_backlog()
    assert backlog.counts(21.0).oldest_unacked_age_s == 0.0


def test_leases_prolonged_for_ever_take_no_more_memory() -> None:
    leases = Leases()
    lease = Lease("1", Pending("a", 1, published_at_s=0.0), 10.0, flow=None)
    leases.add(lease)
    for second in range(10_000):
        leases.prolong("1", 10.0 + second)
    assert len(leases._ends) < 2_000
    assert leases.pop_ended(10_008.0) == []
    assert leases.pop_ended(10_009.0) == [lease]


def test_acknowledged_messages_take_no_memory() -> None:
    backlog, _ = a_backlog()
    for _ in range(10_000):
        backlog.add(Pending("a", 1, published_at_s=0.0))
        backlog.acknowledge([lease.ack_id for lease in take(backlog, 0.0)], now_s=0.0)
    assert backlog.counts(0.0).acknowledged == 10_000
    assert len(backlog._leases) + len(backlog._waiting) == 0
    assert len(backlog._leases._ends) < 2_000


def test_a_reader_that_acknowledges_has_room_again() -> None:
    backlog, _ = a_backlog(a=3, b=4)
    flow = Flow(most_messages=10, most_bytes=100)
    first, second = backlog.take(10, 100, 0.0, flow=flow)
    assert (flow.held_messages, flow.held_bytes) == (2, 7)
    backlog.acknowledge([first.ack_id], now_s=0.0)
    backlog.prolong([second.ack_id], 0, now_s=0.0)
    assert (flow.held_messages, flow.held_bytes) == (0, 0)


def test_a_policy_has_the_services_defaults() -> None:
    subscription = Subscription(ack_deadline_seconds=10)
    assert policy_of(subscription) == PLAIN
    subscription.retry_policy.SetInParent()
    subscription.dead_letter_policy.SetInParent()
    assert policy_of(subscription) == Policy(
        ack_deadline_s=10.0, least_backoff_s=10.0, most_backoff_s=600.0, most_attempts=5
    )


def test_a_policy_is_as_it_was_asked_for() -> None:
    subscription = Subscription(ack_deadline_seconds=20)
    subscription.retry_policy.minimum_backoff.FromMilliseconds(500)
    subscription.retry_policy.maximum_backoff.FromSeconds(30)
    subscription.dead_letter_policy.max_delivery_attempts = 7
    assert policy_of(subscription) == Policy(
        ack_deadline_s=20.0, least_backoff_s=0.5, most_backoff_s=30.0, most_attempts=7
    )
