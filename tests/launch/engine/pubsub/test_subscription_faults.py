"""Pull from a server that goes away or breaks connections, and close."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing

import pytest

from groundwatch.launch.engine.pubsub import subscription as subscription_module
from groundwatch.launch.engine.pubsub.outstanding import PullSettings
from groundwatch.launch.engine.pubsub.pubsub_errors import Refused
from groundwatch.launch.engine.pubsub.subscription import PubSubSubscription
from groundwatch.schemas.message import Message
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.page_servers import PAGES, page_server
from tests.support.pubsub_topics import OneTopic
from tests.support.pulling import PLENTY, acknowledge, pull_all
from tests.support.waiting import wait_until

Subscribe = Callable[..., PubSubSubscription]


def outstanding(server: FakePubSub, answers: OneTopic) -> int:
    return server.counts(answers.subscription).outstanding


@pytest.mark.parametrize("how", ["away", "unavailable"])
def test_an_outage_is_waited_out_and_logged_when_it_begins_and_ends(
    own_server: FakePubSub,
    answers: OneTopic,
    subscribe: Subscribe,
    caplog: pytest.LogCaptureFixture,
    how: str,
) -> None:
    subscription = subscribe()
    answers.publish(b"before")
    pulled = pull_all(subscription, 1)
    if how == "away":
        own_server.go_away()
    own_server.faults.unavailable = True
    acknowledge(subscription, *pulled)
    wait_until(lambda: len(caplog.messages) == 2)
    assert not subscription.stats().is_available
    assert subscription.stats().settled == 1
    own_server.faults.unavailable = False
    if how == "away":
        own_server.come_back()
    wait_until(lambda: outstanding(own_server, answers) == 0)
    answers.publish(b"after")
    assert [message.payload for message in pull_all(subscription, 1)] == [b"after"]
    assert subscription.stats().is_available
    beginnings = sorted(message.split(" (")[0].split(" after")[0] for message in caplog.messages)
    assert beginnings == ["Pub/Sub answers again"] * 2 + ["Pub/Sub does not answer"] * 2


@pytest.mark.parametrize("version", PAGES)
def test_a_page_of_html_is_an_outage(version: str) -> None:
    with (
        page_server(version) as address,
        closing(PubSubSubscription("projects/p/subscriptions/s", address=address)) as subscription,
    ):
        wait_until(lambda: not subscription.stats().is_available)
        assert subscription.pull(1, PLENTY, wait_s=0.1) == ()


def test_a_stream_without_a_message_is_an_answer_too(
    own_server: FakePubSub, subscribe: Subscribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscription_module, "_HEARTBEAT_S", 0.05)
    own_server.go_away()
    subscription = subscribe()
    wait_until(lambda: not subscription.stats().is_available)
    own_server.come_back()
    wait_until(lambda: subscription.stats().is_available)


def test_a_stream_on_which_nothing_comes_is_opened_again(
    own_server: FakePubSub, answers: OneTopic, caplog: pytest.LogCaptureFixture
) -> None:
    own_server.faults.starves_streams = True
    settings = PullSettings(lease_check_every_s=0.01, reopen_after_s=0.2)
    with closing(
        PubSubSubscription(answers.subscription, settings, address=own_server.address)
    ) as subscription:
        answers.publish(b"lamps")
        assert subscription.pull(1, PLENTY, wait_s=0.5) == ()
        own_server.faults.starves_streams = False
        assert [message.payload for message in pull_all(subscription, 1)] == [b"lamps"]
        # This does not count as an outage.
        assert subscription.stats().is_available
    assert caplog.messages == []


def test_an_idle_stream_loses_no_message_while_it_is_opened_again(
    own_server: FakePubSub, answers: OneTopic
) -> None:
    settings = PullSettings(lease_check_every_s=0.01, reopen_after_s=0.05)
    with closing(
        PubSubSubscription(answers.subscription, settings, address=own_server.address)
    ) as subscription:
        sent: set[str] = set()
        done: set[str] = set()
        for _ in range(40):
            sent |= set(answers.publish(b"lamps"))
            pulled = subscription.pull(10, PLENTY, 0.06)
            done |= {message.place for message in pulled}
            acknowledge(subscription, *pulled)
        while done != sent:
            pulled = subscription.pull(10, PLENTY, 10.0)
            assert pulled
            done |= {message.place for message in pulled}
            acknowledge(subscription, *pulled)
        wait_until(lambda: outstanding(own_server, answers) == 0)


def test_a_message_on_its_way_as_an_idle_stream_ends_arrives(
    own_server: FakePubSub, answers: OneTopic
) -> None:
    own_server.faults.sends_late = True
    settings = PullSettings(reopen_after_s=1.0)
    with closing(
        PubSubSubscription(answers.subscription, settings, address=own_server.address)
    ) as subscription:
        answers.publish(b"lamps")
        assert [message.payload for message in pull_all(subscription, 1)] == [b"lamps"]


def test_no_message_is_lost_when_connections_are_killed_time_and_again(
    own_server: FakePubSub, answers: OneTopic, subscribe: Subscribe
) -> None:
    subscription = subscribe(max_messages=100)
    sent = answers.publish(*[b"lamps"] * 1_000)
    done: set[str] = set()
    for kill in range(1, 6):
        while len(done) < 200 * kill:
            pulled = subscription.pull(50, PLENTY, 10.0)
            done.update(message.place for message in pulled)
            acknowledge(subscription, *pulled)
        own_server.kill_connections()
    assert done == set(sent)
    wait_until(lambda: subscription.stats().settled == 0)


def test_no_more_is_held_than_was_said_whatever_becomes_of_the_streams(
    own_server: FakePubSub, answers: OneTopic, subscribe: Subscribe
) -> None:
    subscription = subscribe(max_messages=50)
    answers.publish(*[b"lamps"] * 500)
    wait_until(lambda: subscription.stats().waiting == 50)
    for _ in range(3):
        own_server.kill_connections()
    wait_until(lambda: subscription.stats().is_available)
    done: list[Message] = []
    while len(done) < 500:
        assert subscription.stats().waiting <= 100
        pulled = subscription.pull(10, PLENTY, 10.0)
        acknowledge(subscription, *pulled)
        done += pulled
    assert len({message.place for message in done}) == 500


def test_no_more_bytes_are_held_than_was_said(
    own_server: FakePubSub, answers: OneTopic, subscribe: Subscribe
) -> None:
    subscription = subscribe(max_bytes=10_000)
    answers.publish(*[b"x" * 1_000] * 50)
    wait_until(lambda: own_server.counts(answers.subscription).leased >= 9)
    assert subscription.stats().size_bytes <= 11_500


@pytest.mark.parametrize("when", ["from the start", "later"])
def test_a_subscription_that_is_not_there_is_for_a_person_to_mend(
    answers: OneTopic, subscribe: Subscribe, when: str
) -> None:
    if when == "from the start":
        answers.subscriber.delete_subscription(subscription=answers.subscription)
    subscription = subscribe()
    if when == "later":
        answers.publish(b"lamps")
        pull_all(subscription, 1)
        answers.subscriber.delete_subscription(subscription=answers.subscription)
    with pytest.raises(Refused, match=r"cannot pull from .*: it does not exist"):
        pull_all(subscription, 2)


def test_closing_ends_a_pull(subscribe: Subscribe) -> None:
    subscription = subscribe()
    pulled: list[tuple[Message, ...]] = []

    def pull() -> None:
        pulled.append(subscription.pull(1, PLENTY, 60.0))

    pulling = threading.Thread(target=pull, daemon=True)
    pulling.start()
    subscription.close()
    pulling.join(10)
    assert pulled == [()]
    assert subscription.pull(1, PLENTY, 60.0) == ()


def test_closing_takes_no_longer_than_it_may_when_nobody_answers(
    own_server: FakePubSub, answers: OneTopic, subscribe: Subscribe
) -> None:
    subscription = subscribe()
    answers.publish(b"1", b"2")
    acknowledge(subscription, *pull_all(subscription, 2)[:1])
    wait_until(lambda: subscription.stats().settled == 0)
    own_server.go_away()
    started_s = time.monotonic()
    left = subscription.close(within_s=0.5)
    assert time.monotonic() - started_s < 5.0
    assert left.settled == 1


def test_closing_takes_no_longer_than_it_may_when_calls_hang(
    own_server: FakePubSub, answers: OneTopic, subscribe: Subscribe
) -> None:
    subscription = subscribe()
    answers.publish(b"lamps")
    pull_all(subscription, 1)
    own_server.faults.slow_s = 3.0
    started_s = time.monotonic()
    subscription.close(within_s=0.2)
    assert time.monotonic() - started_s < 2.5
    own_server.faults.slow_s = 0.0


def test_a_second_close_does_nothing(subscribe: Subscribe) -> None:
    subscription = subscribe()
    subscription.close()
    assert subscription.close().processing == 0


def test_no_thread_is_left_after_the_end(subscribe: Subscribe) -> None:
    before = set(threading.enumerate())
    subscription = subscribe()
    subscription.close()
    ours = {"pubsub-receiver", "pubsub-acknowledger"}
    wait_until(lambda: ours.isdisjoint(t.name for t in set(threading.enumerate()) - before))


def test_the_log_holds_nothing_of_a_message(
    own_server: FakePubSub,
    answers: OneTopic,
    subscribe: Subscribe,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="groundwatch")
    subscription = subscribe()
    answers.publish(b"canary", tenant="canary")
    pulled = pull_all(subscription, 1)
    own_server.go_away()
    acknowledge(subscription, *pulled)
    wait_until(lambda: not subscription.stats().is_available)
    own_server.come_back()
    wait_until(lambda: outstanding(own_server, answers) == 0)
    answers.subscriber.delete_subscription(subscription=answers.subscription)
    with pytest.raises(Refused) as refused:
        pull_all(subscription, 1)
    assert "canary" not in caplog.text + str(refused.value)
