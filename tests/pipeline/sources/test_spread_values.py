"""Read JSON that is written over several lines."""

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.archives import an_envelope, lines_of, payloads, read_all, read_damaged

VALUES = [{"answer": 'It rains }{ "daily" \\', "facts": ["[Rain", "]"], "n": n} for n in range(3)]


def spread(*values: Any, indent: int = 2) -> bytes:
    return lines_of(*(json.dumps(value, indent=indent).encode() for value in values))


def test_each_value_is_a_message_named_by_its_first_line() -> None:
    messages = read_all(b"\n" + spread(*VALUES), "x")
    assert [json.loads(payload) for payload in payloads(messages)] == VALUES
    assert [message.place for message in messages] == ["x#2", "x#10", "x#18"]


def test_an_array_is_one_message() -> None:
    [message] = read_all(spread(VALUES))
    assert json.loads(message.payload) == VALUES


@pytest.mark.parametrize("content", [b"[\n", b'{\n"answer": "a"\n', b"{{\n]\n"])
def test_a_value_that_never_ends_is_one_message(content: bytes) -> None:
    assert payloads(read_all(content)) == [content]


def test_a_broken_first_line_takes_no_other_line_along() -> None:
    lines = [b'{"answer": "cut', an_envelope(1), an_envelope(2)]
    assert payloads(read_all(lines_of(*lines))) == lines


@pytest.mark.parametrize("torn", [b"{", b"[", b'{"answer":', b"[ \r", b"{{"])
@pytest.mark.parametrize("count", [1, 2, 20])
def test_a_torn_line_between_lines_is_one_failure(torn: bytes, count: int) -> None:
    lines = [an_envelope(number) for number in range(count)]
    found = read_all(lines_of(torn, *lines, torn, *lines))
    texts = [torn.removesuffix(b"\r"), *lines]
    assert payloads(found) == [*texts, *texts]
    assert [each.place for each in found][-1] == f"answers.jsonl#{2 * count + 2}"


def test_values_of_a_cut_gzip_member_do_not_count() -> None:
    content = gzip.compress(spread(*VALUES))[:-1]
    assert read_damaged(content, "x.gz")[0] == []


_TEXT = st.text(max_size=4)
_JSON = st.recursive(
    st.integers() | _TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_TEXT, inner, max_size=2),
    max_leaves=4,
)


@given(st.lists(st.dictionaries(_TEXT, _JSON, min_size=1, max_size=2), min_size=1, max_size=3))
def test_every_value_survives(values: list[Any]) -> None:
    assert [json.loads(each) for each in payloads(read_all(spread(*values)))] == values
