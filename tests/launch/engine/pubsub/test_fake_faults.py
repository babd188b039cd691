"""The faults that the fake server injects."""

import time

import grpc
import pytest
from google.api_core import exceptions

from tests.support.clocks import ManualClock
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.pubsub_servers import EMPTY_PULL_S
from tests.support.pubsub_topics import OneTopic, payloads


def test_an_unavailable_server_says_so_and_keeps_everything(
    own_server: FakePubSub, answers: OneTopic
) -> None:
    answers.publish(b"lamps")
    own_server.faults.unavailable = True
    with pytest.raises(grpc.RpcError) as refused:
        answers.at_once()
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    own_server.faults.unavailable = False
    assert payloads(answers.pull()) == [b"lamps"]


def test_streams_end_when_the_server_becomes_unavailable(
    own_server: FakePubSub, answers: OneTopic
) -> None:
    stream = answers.stream()
    answers.publish(b"lamps")
    assert len(next(stream).received_messages) == 1
    own_server.faults.unavailable = True
    with pytest.raises(exceptions.ServiceUnavailable):
        next(stream)


def test_calls_under_way_end_when_connections_are_killed(
    own_server: FakePubSub, answers: OneTopic
) -> None:
    address = own_server.address
    stream = answers.stream()
    answers.publish(b"1")
    next(stream)
    own_server.kill_connections()
    with pytest.raises((exceptions.ServiceUnavailable, exceptions.Cancelled)):
        next(stream)
    assert own_server.address == address
    answers.publish(b"2")
    assert payloads(answers.pull()) == [b"2"]


def test_nobody_listens_while_the_server_is_away(own_server: FakePubSub, answers: OneTopic) -> None:
    own_server.go_away()
    with pytest.raises(grpc.RpcError) as refused:
        answers.at_once()
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE


def test_a_share_of_the_messages_comes_two_to_five_times(
    own_server: FakePubSub, answers: OneTopic
) -> None:
    own_server.faults.duplicated_share = 0.1
    ids = answers.publish(*[b"lamps"] * 500)
    received = [message.message.message_id for message in answers.pull_all(500)]
    received += [message.message.message_id for message in answers.at_once()]
    times = [received.count(message_id) for message_id in ids]
    assert set(times) == {1, 2, 3, 4, 5}
    assert 20 < sum(number > 1 for number in times) < 80
    assert own_server.counts(answers.subscription).redelivered == len(received) - 500


def test_lost_acknowledgements_bring_the_messages_again(
    own_server: FakePubSub, clock: ManualClock, answers: OneTopic
) -> None:
    answers.publish(b"1", b"2")
    received = answers.pull_all(2)
    own_server.faults.lost_acks_share = 1.0
    answers.acknowledge(received[0])
    own_server.faults.lost_acks_share = 0.0
    answers.acknowledge(received[1])
    clock.advance(10)
    assert payloads(answers.at_once()) == payloads(received[:1])


def test_a_slow_server_answers_late(own_server: FakePubSub, answers: OneTopic) -> None:
    answers.publish(b"lamps")
    own_server.faults.slow_s = 0.1
    started_s = time.monotonic()
    assert payloads(answers.at_once()) == [b"lamps"]
    assert time.monotonic() - started_s >= 0.1


def test_an_empty_pull_returns_after_a_while(answers: OneTopic) -> None:
    started_s = time.monotonic()
    assert answers.pull() == []
    assert time.monotonic() - started_s >= EMPTY_PULL_S


def test_publish_times_are_the_clocks(clock: ManualClock, answers: OneTopic) -> None:
    answers.publish(b"lamps")
    assert answers.pull()[0].message.publish_time.timestamp() == clock.now_s


def test_counts_are_those_of_the_subscription(
    own_server: FakePubSub, clock: ManualClock, answers: OneTopic
) -> None:
    answers.publish(b"1", b"2")
    first, second = answers.pull_all(2)
    answers.acknowledge(first)
    answers.prolong(0, second)
    clock.advance(5)
    counts = own_server.counts(answers.subscription)
    assert (counts.published, counts.delivered, counts.acknowledged) == (2, 2, 1)
    assert (counts.refused, counts.outstanding, counts.oldest_unacked_age_s) == (1, 1, 5.0)


def test_a_retry_policy_holds_a_refused_message_back(clock: ManualClock, answers: OneTopic) -> None:
    answers.subscription = answers.create_subscription(retry_policy={"minimum_backoff": "20s"})
    answers.publish(b"lamps")
    answers.prolong(0, *answers.pull())
    clock.advance(19)
    assert answers.at_once() == []
    clock.advance(1)
    assert payloads(answers.at_once()) == [b"lamps"]


def test_a_stream_stops_at_the_bytes_that_its_reader_will_hold(
    own_server: FakePubSub, answers: OneTopic
) -> None:
    answers.publish(*[b"x" * 1_000] * 10)
    stream = answers.stream(max_outstanding_bytes=2_500)
    held = [*next(stream).received_messages, *next(stream).received_messages]
    assert len(held) == 3
    assert len(answers.at_once()) == 7
    answers.publish(b"lamps")
    answers.acknowledge(*held)
    assert next(stream).received_messages[0].message.data == b"lamps"
    assert own_server.counts(answers.subscription).acknowledged == 3


def test_a_stream_receives_acks_and_nacks(own_server: FakePubSub, answers: OneTopic) -> None:
    answers.publish(b"1", b"2")
    first, second = answers.pull_all(2)
    settling = {
        "ack_ids": [first.ack_id],
        "modify_deadline_ack_ids": [second.ack_id],
        "modify_deadline_seconds": [0],
    }
    stream = answers.stream(settling)
    assert next(stream).received_messages[0].message == second.message
    counts = own_server.counts(answers.subscription)
    assert (counts.acknowledged, counts.refused) == (1, 1)
