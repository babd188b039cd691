"""Messages that fit, and that say where they had to be shortened."""

import inspect

import pytest
from apache_beam.io.gcp.pubsub import PubsubMessage
from google.cloud.pubsub_v1 import PublisherClient
from hypothesis import given
from hypothesis import strategies as st

from launch.pubsub_server.limits import check_publish
from launch.pubsub_server.wire import PublishRequest
from transforms.rules.publishing import (
    LEFT_OUT,
    MOST_BYTES,
    SHORTENED,
    Publishable,
    cut,
    cut_text,
    is_attribute_name,
    publishable,
)

LONGEST_TOPIC = "projects/" + "p" * 63 + "/topics/" + "t" * 255
names = st.text(max_size=300).filter(lambda text: text.isprintable())


def assert_taken(message: Publishable) -> None:
    """Hold a message to the service's limits, and to those that Beam checks itself."""
    wire = {
        "data": message.data,
        "attributes": message.attributes,
        "ordering_key": message.ordering_key,
    }
    check_publish(PublishRequest(topic=LONGEST_TOPIC, messages=[wire]))
    PubsubMessage(**wire)._to_proto_str(for_publish=True)


def test_what_fits_is_published_as_it_is() -> None:
    message = publishable(b"lamps", {"engine": "search"}, ordering_key="search")
    assert message == Publishable(
        data=b"lamps", attributes={"engine": "search"}, ordering_key="search"
    )
    assert publishable(b"lamps", {}) == Publishable(data=b"lamps", attributes={})


def test_an_attribute_that_is_none_is_left_out_without_a_word() -> None:
    assert publishable(b"", {"kind": "rate", "engine": None}).attributes == {"kind": "rate"}


def test_no_attribute_has_a_name_that_the_client_takes_for_an_argument() -> None:
    for name in inspect.signature(PublisherClient.publish).parameters:
        assert name == "attrs" or not is_attribute_name(name)


@pytest.mark.parametrize(
    ("name", "may_be"),
    [
        ("engine", True),
        ("x", True),
        ("ü" * 128, True),
        ("ü" * 128 + "x", False),
        ("", False),
        ("topic", False),
        ("googclient_traceparent", False),
    ],
    ids=["plain", "a letter", "256 bytes", "257 bytes", "empty", "an argument", "Google's"],
)
def test_a_name_is_short_and_nobody_elses(name: str, may_be: bool) -> None:
    assert is_attribute_name(name) is may_be


@pytest.mark.parametrize("name", ["retry", "googleish", "", SHORTENED, LEFT_OUT])
def test_an_attribute_of_our_own_with_a_name_that_cannot_be_is_a_mistake(name: str) -> None:
    with pytest.raises(ValueError, match="may be named"):
        publishable(b"", {name: "x"})


def test_the_mistake_names_the_beginning_of_a_long_name() -> None:
    with pytest.raises(ValueError, match=f"may be named '{'x' * 99}'$"):
        publishable(b"", {"x" * 300: "x"})


def test_a_long_value_is_cut_at_the_end_of_a_character_and_named() -> None:
    message = publishable(b"", {"engine": "ü" * 513, "kind": "answer"})
    assert message.attributes == {"engine": "ü" * 512, "kind": "answer", SHORTENED: "engine"}
    assert publishable(b"", {"engine": "x" + "ü" * 512}).attributes["engine"] == "x" + "ü" * 511


def test_forwarded_attributes_come_along_where_they_can() -> None:
    forwarded = {"tenant": "a", "engine": "theirs", "topic": "x", "googly": "x", "": "x"}
    message = publishable(b"", {"engine": "ours"}, forwarded=forwarded)
    assert message.attributes == {"engine": "ours", "tenant": "a", LEFT_OUT: "4"}


def test_a_hundred_attributes_is_the_most() -> None:
    forwarded = {f"name-{number}": "x" * 2_000 for number in range(101)}
    message = publishable(b"", {"engine": "ours"}, forwarded=forwarded)
    assert len(message.attributes) == 100
    assert message.attributes["engine"] == "ours"
    assert message.attributes[LEFT_OUT] == "4"
    assert_taken(message)


def test_data_without_a_place_is_cut_and_named() -> None:
    message = publishable("ü".encode() * 6_000_000, {"engine": "search"})
    assert message.attributes[SHORTENED] == "data"
    assert len(message.data) > MOST_BYTES - 3_000
    assert set(message.data.decode()) == {"ü"}
    assert_taken(message)


def test_attributes_and_the_ordering_key_take_their_bytes_from_the_place_of_the_data() -> None:
    def room(attributes: dict[str, str], ordering_key: str = "") -> int:
        return len(publishable(b"x" * MOST_BYTES, attributes, ordering_key=ordering_key).data)

    remarks = sum(len(name) + 1_024 + 16 for name in (SHORTENED, LEFT_OUT))
    assert room({}) == MOST_BYTES - remarks - 2 * 16
    assert room({"engine": "a shop"}) == room({}) - 6 - 6 - 16
    assert room({}, "a shop") == room({}) - 6
    assert publishable(b"x" * room({}), {}).attributes == {}
    assert publishable(b"x" * (room({}) + 1), {}).attributes == {SHORTENED: "data"}


def test_what_was_shortened_before_is_named_first() -> None:
    message = publishable(b"", {"engine": "x" * 1_025}, shortened=["answer_text"])
    assert message.attributes[SHORTENED] == "answer_text,engine"


def test_a_long_ordering_key_is_cut() -> None:
    assert publishable(b"x", {}, ordering_key="ü" * 513).ordering_key == "ü" * 512


@pytest.mark.parametrize(
    ("data", "most", "left"),
    [
        (b"lamps", 5, b"lamps"),
        (b"lamps", 4, b"lamp"),
        ("aé".encode(), 2, b"a"),
        ("a€".encode(), 3, b"a"),
        ("a😀".encode(), 4, b"a"),
        ("😀".encode(), 0, b""),
        (b"\x80" * 9, 6, b"\x80" * 6),
        (b"\x80" * 9, 1, b"\x80"),
        (b"\x80", 0, b""),
        (b"\x80\x80a", 1, b"\x80"),
    ],
)
def test_bytes_are_cut_between_characters_where_they_are_characters(
    data: bytes, most: int, left: bytes
) -> None:
    assert cut(data, most) == left


@given(st.text(), st.integers(0, 50))
def test_a_cut_text_is_a_beginning_that_fits_and_no_shorter_than_it_must_be(
    text: str, most_bytes: int
) -> None:
    beginning = cut_text(text, most_bytes)
    assert text.startswith(beginning)
    assert len(beginning.encode()) <= most_bytes
    one_more = text[: len(beginning) + 1]
    assert beginning == text or len(one_more.encode()) > most_bytes


@given(
    st.integers(0, 2),
    st.dictionaries(names.filter(is_attribute_name), st.none() | names, max_size=10),
    st.dictionaries(names, names, max_size=120),
    names,
)
def test_every_message_is_taken(
    size: int, own: dict[str, str | None], forwarded: dict[str, str], ordering_key: str
) -> None:
    attributes = {"kind": "answer", **own}
    for remark in (SHORTENED, LEFT_OUT):
        attributes.pop(remark, None)
    message = publishable(b"x" * size, attributes, forwarded=forwarded, ordering_key=ordering_key)
    assert_taken(message)
