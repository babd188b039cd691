"""The parts of a trace wait for its root, or for an end of ten quiet seconds."""

import json
from contextlib import closing
from typing import Any

import pytest

from groundwatch.launch.watch.posts.posted_messages import PostedMessage, PostedMessages
from groundwatch.schemas.message import Message
from tests.support.clocks import ManualClock
from tests.support.posting import chat_span


def part(name: str, *, is_complete: bool = False, is_of_model: bool = True) -> PostedMessage:
    """A part with one span of its name."""
    attributes = [
        {"key": key, "value": {"stringValue": text}}
        for key, text in (chat_span(name) if is_of_model else {"http.method": "GET"}).items()
    ]
    span = {"traceId": "t", "spanId": name, "attributes": attributes}
    return PostedMessage(
        payload=json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode(),
        place=f"post-{name}",
        attributes={},
        trace="t",
        is_complete=is_complete,
        is_of_model=is_of_model,
    )


def spans(messages: Any) -> list[list[str]]:
    """The names of the spans of each message."""
    return [
        [
            span["spanId"]
            for resource in json.loads(message.payload)["resourceSpans"]
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        ]
        for message in messages
    ]


class Waiting:
    """Posted messages by a clock of the test."""

    def __init__(self, database: str) -> None:
        self.clock = ManualClock()
        self.messages = PostedMessages(database, clock=self.clock, wall_clock=self.clock)

    def pull(self) -> list[Message]:
        return [*self.messages.pull(100, 10**9, 0.0)]

    def after(self, seconds: float) -> list[list[str]]:
        self.clock.advance(seconds)
        return spans(self.pull())


@pytest.fixture
def waiting(database: str) -> Any:
    found = Waiting(database)
    with closing(found.messages):
        yield found


def test_a_trace_that_comes_whole_waits_for_nothing(waiting: Waiting) -> None:
    waiting.messages.add([part("a", is_complete=True)])
    assert waiting.after(0) == [["a"]]


def test_the_root_completes_a_trace(waiting: Waiting) -> None:
    for name in "ab":
        waiting.messages.add([part(name)])
        assert waiting.after(5) == []
    assert waiting.messages.stats().waiting == 1
    waiting.messages.add([part("c", is_complete=True, is_of_model=False)])
    assert waiting.after(0) == [["a", "b", "c"]]
    assert waiting.messages.stats().waiting == 0


def test_a_trace_without_a_root_ends_when_no_part_comes_any_more(waiting: Waiting) -> None:
    for name in "ab":
        waiting.messages.add([part(name)])
        assert waiting.after(9) == []
    assert waiting.after(1) == [["a", "b"]]


def test_a_trace_that_never_ends_is_cut_after_a_minute(waiting: Waiting) -> None:
    seen = []
    for number in range(8):
        waiting.messages.add([part(str(number))])
        seen += waiting.after(9)
    assert seen == [[str(number) for number in range(7)]]


def test_a_part_that_is_sent_again_is_there_once(waiting: Waiting, database: str) -> None:
    for name in "aab":
        waiting.messages.add([part(name)])
    waiting.messages.add([part("a", is_complete=True)])
    [message] = waiting.pull()
    assert spans([message]) == [["a", "b"]]
    waiting.messages.acknowledge([message.place])
    with closing(PostedMessages(database)) as later:
        assert later.stats().outstanding == 0


@pytest.mark.parametrize("is_complete", [True, False])
def test_a_trace_without_a_model_is_no_message(waiting: Waiting, *, is_complete: bool) -> None:
    waiting.messages.add([part("a", is_complete=is_complete, is_of_model=False)])
    assert waiting.after(20) == []
    assert waiting.messages.stats().outstanding == 0


def test_a_killed_worker_s_parts_are_one_message_of_the_next_and_a_message_stays_as_it_was(
    waiting: Waiting, database: str
) -> None:
    for name in "ab":
        waiting.messages.add([part(name)])
    first = Waiting(database)
    with closing(first.messages):
        assert first.after(10) == [["a", "b"]]
        first.messages.add([part("c")])
    second = Waiting(database)
    with closing(second.messages):
        assert second.after(0) == [["a", "b"]]
        assert second.after(10) == [["c"]]
