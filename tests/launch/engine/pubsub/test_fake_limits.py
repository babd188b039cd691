"""How large things may be on groundwatch's own server, by limits that Google's emulator ignores."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.api_core import exceptions

from tests.support.pubsub_topics import OneTopic, payloads

Call = Callable[[OneTopic], Any]
TOO_MUCH: dict[str, Call] = {
    "1,001 messages": lambda one: _publish(one, *[{"data": b"x"}] * 1_001),
    "two ordering keys": lambda one: _publish(
        one, {"data": b"x", "ordering_key": "a"}, {"data": b"x", "ordering_key": "b"}
    ),
    "no message": lambda one: _publish(one, *()),
    "10 MB": lambda one: _publish(one, {"data": b"x" * 10_000_000}),
    "101 attributes": lambda one: _publish(one, {"attributes": {str(n): "" for n in range(101)}}),
    "a key of 257 bytes": lambda one: _publish(one, {"attributes": {"ü" * 128 + "x": ""}}),
    "a key of none": lambda one: _publish(one, {"attributes": {"": "x"}}),
    "a value of 1,025 bytes": lambda one: _publish(one, {"attributes": {"x": "ü" * 512 + "x"}}),
    "an ack deadline of 9 s": lambda one: one.create_subscription(ack_deadline_seconds=9),
    "an ack deadline of 601 s": lambda one: one.create_subscription(ack_deadline_seconds=601),
    "a lease of 601 s": lambda one: one.prolong(601, *one.pull()),
    "4 delivery attempts": lambda one: one.create_subscription(
        dead_letter_policy={"dead_letter_topic": one.topic, "max_delivery_attempts": 4}
    ),
    "acknowledgements of 512 KiB": lambda one: one.acknowledge(*one.pull() * 3_000),
}


@pytest.mark.parametrize("call", TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_is_too_much_is_refused(answers: OneTopic, call: Call) -> None:
    answers.publish(b"lamps")
    with pytest.raises((exceptions.InvalidArgument, grpc.RpcError)) as refused:
        call(answers)
    error = refused.value
    code = error.code() if isinstance(error, grpc.RpcError) else error.grpc_status_code
    assert code is grpc.StatusCode.INVALID_ARGUMENT


def test_what_is_just_not_too_much_is_accepted(answers: OneTopic) -> None:
    attributes = {"ü" * 126 + f"{number:04}": "ü" * 512 for number in range(100)}
    _publish(answers, {"data": b"x" * 9_000_000, "attributes": attributes})
    _publish(answers, *[{"data": b"x"}] * 1_000)


@pytest.mark.parametrize(
    "policy",
    [
        {"filter": 'attributes.engine = "search"'},
        {"enable_message_ordering": True},
        {"enable_exactly_once_delivery": True},
        {"push_config": {"push_endpoint": "https://example.com"}},
    ],
    ids=lambda policy: next(iter(policy)),
)
def test_what_the_server_cannot_do_it_refuses(answers: OneTopic, policy: dict[str, Any]) -> None:
    with pytest.raises(exceptions.MethodNotImplemented, match=next(iter(policy))):
        answers.create_subscription(**policy)


def test_large_messages_come_in_responses_that_the_client_takes(answers: OneTopic) -> None:
    sent = [bytes([number]) * 1_000_000 for number in range(10)]
    answers.publish(*sent)
    assert payloads(answers.pull_all(10)) == sent


def _publish(one: OneTopic, *messages: dict[str, Any]) -> None:
    one.publisher.transport.publish({"topic": one.topic, "messages": list(messages)})
