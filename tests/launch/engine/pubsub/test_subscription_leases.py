"""Leases of messages that are worked on: on a clock that the test moves for both sides."""

from collections.abc import Callable

from groundwatch.launch.engine.pubsub.subscription import PubSubSubscription
from tests.support.clocks import ManualClock
from tests.support.fake_pubsub.counts import Counts
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.pubsub_topics import OneTopic
from tests.support.pulling import PLENTY, acknowledge, pull_all
from tests.support.waiting import wait_until

Subscribe = Callable[..., PubSubSubscription]


def counts(server: FakePubSub, answers: OneTopic) -> Counts:
    return server.counts(answers.subscription)


def test_leases_are_prolonged_for_as_long_as_the_work_takes(
    own_server: FakePubSub, answers: OneTopic, clock: ManualClock, subscribe: Subscribe
) -> None:
    subscription = subscribe(lease_s=60)
    answers.publish(b"1", b"2")
    pulled = pull_all(subscription, 2)
    for _ in range(10):
        clock.advance(40)
        wait_until(lambda: not subscription._outstanding.leases_to_extend())
    assert counts(own_server, answers).expired == 0
    acknowledge(subscription, *pulled)
    wait_until(lambda: counts(own_server, answers).acknowledged == 2)


def test_a_message_whose_lease_ended_while_it_was_worked_on_is_neither_lost_nor_done_twice(
    own_server: FakePubSub, answers: OneTopic, clock: ManualClock, subscribe: Subscribe
) -> None:
    subscription = subscribe(lease_s=60)
    answers.publish(b"lamps")
    (message,) = pull_all(subscription, 1)
    clock.advance(600)
    wait_until(lambda: subscription.stats().redelivered == 1)
    assert subscription.pull(1, PLENTY, wait_s=0.05) == ()
    acknowledge(subscription, message)
    wait_until(lambda: counts(own_server, answers).outstanding == 0)


def test_a_message_worked_on_for_too_long_goes_to_another_worker(
    own_server: FakePubSub, answers: OneTopic, clock: ManualClock, subscribe: Subscribe
) -> None:
    hung = subscribe(lease_s=60, max_lease_s=100.0, max_messages=1)
    answers.publish(b"lamps")
    pull_all(hung, 1)
    other = subscribe(lease_s=60)
    clock.advance(101)
    (message,) = pull_all(other, 1)
    acknowledge(other, message)
    wait_until(lambda: counts(own_server, answers).outstanding == 0)
    assert hung.stats().overdue == 1


def test_a_worker_that_dies_leaves_its_messages_to_the_next_one(
    own_server: FakePubSub, answers: OneTopic, clock: ManualClock, subscribe: Subscribe
) -> None:
    dead = subscribe(lease_s=60)
    answers.publish(b"lamps")
    pull_all(dead, 1)
    own_server.go_away()
    dead.close(within_s=0.1)
    own_server.come_back()
    clock.advance(60)
    assert [message.payload for message in pull_all(subscribe(), 1)] == [b"lamps"]


def test_a_message_whose_acknowledgement_was_lost_comes_again(
    own_server: FakePubSub, answers: OneTopic, clock: ManualClock, subscribe: Subscribe
) -> None:
    subscription = subscribe(lease_s=60)
    answers.publish(b"lamps")
    (message,) = pull_all(subscription, 1)
    own_server.faults.lost_acks_share = 1.0
    acknowledge(subscription, message)
    wait_until(lambda: subscription.stats().settled == 0)
    own_server.faults.lost_acks_share = 0.0
    clock.advance(60)
    assert pull_all(subscription, 1) == [message]
    acknowledge(subscription, message)
    wait_until(lambda: counts(own_server, answers).outstanding == 0)


def test_messages_delivered_several_times_are_handed_out_once_while_they_are_held(
    own_server: FakePubSub, answers: OneTopic, subscribe: Subscribe
) -> None:
    own_server.faults.duplicated_share = 1.0
    subscription = subscribe()
    ids = answers.publish(*[b"lamps"] * 20)
    pulled = pull_all(subscription, 20)
    wait_until(
        lambda: counts(own_server, answers).leased == counts(own_server, answers).outstanding
    )
    deliveries = counts(own_server, answers).delivered
    wait_until(lambda: subscription.stats().redelivered == deliveries - 20)
    assert sorted(message.place for message in pulled) == sorted(ids)
    acknowledge(subscription, *pulled)
    wait_until(lambda: counts(own_server, answers).outstanding == 0)
