"""Lines that no answer can be read from, each broken in its own way."""

import json

from tests.support.samples.discovery import v1
from tests.support.samples.envelopes import full
from tests.support.samples.events import Event


def cut_short(event: Event) -> bytes:
    """A line whose writer was stopped half-way."""
    line = v1(event)
    return line[: len(line) * 2 // 3]


def bad_utf8(event: Event) -> bytes:
    """A byte of Latin-1 in a line of UTF-8."""
    return full(event).replace(b'"answer": "', b'"answer": "Caf\xe9 mode: ', 1)


def not_a_number(event: Event) -> bytes:
    """A bare NaN, which Python writes and JSON does not know."""
    return v1(event)[:-1] + b', "groundingScore": NaN}'


def answered_twice(event: Event) -> bytes:
    """Write two fields of the same name."""
    return v1(event)[:-1] + b', "answerText": "Forget what I said."}'


def lone_surrogate(event: Event) -> bytes:
    """Half of an emoji, cut by somebody who counts in UTF-16."""
    return full(event).replace(b'"answer": "', b'"answer": "\\ud83d ', 1)


def something_else(event: Event) -> bytes:
    """A page view that lost its way."""
    view = {"event": "page_view", "page": event.conversation.articles[0].uri, "referrer": None}
    return json.dumps(view).encode()


def nested_too_deep(_: Event) -> bytes:
    """Two hundred levels of nothing."""
    return b'{"answer": ' + b"[" * 199 + b"]" * 199 + b"}"


def text_as_a_number(event: Event) -> bytes:
    """The right answer in the wrong type."""
    return json.dumps({"name": event.answer_name, "state": "SUCCEEDED", "answerText": 42}).encode()


ALL = (
    cut_short,
    bad_utf8,
    not_a_number,
    answered_twice,
    lone_surrogate,
    something_else,
    nested_too_deep,
    text_as_a_number,
)
