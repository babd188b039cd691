"""Messages for Pub/Sub: their limits, and alerts and failures as messages."""

import inspect
import json

import pytest
from apache_beam.io.gcp.pubsub import PubsubMessage
from google.cloud.pubsub_v1 import PublisherClient
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from groundwatch.pipeline.sinks.topic_messages import (
    LEFT_OUT,
    MAX_MESSAGE_BYTES,
    SHORTENED,
    TopicMessage,
    build_message,
    encode_alert,
    encode_failure,
    is_attribute_name,
)
from groundwatch.schemas.alert import Alert, AlertKind, Severity, WorstClaim, alert_to_json
from groundwatch.transforms.rules.spans import truncate, truncate_bytes
from tests.support.builders import NOON_US, a_failure, a_message
from tests.support.fake_pubsub.limits import check_publish
from tests.support.fake_pubsub.wire import PublishRequest
from tests.support.whole_records import ALERTS, FAILURES

LONGEST_TOPIC = "projects/" + "p" * 63 + "/topics/" + "t" * 255
names = st.text(max_size=300).filter(lambda text: text.isprintable())


def assert_taken(message: TopicMessage) -> None:
    """Hold a message to the service's limits, and to those that Beam checks itself."""
    wire = {
        "data": message.data,
        "attributes": message.attributes,
        "ordering_key": message.ordering_key,
    }
    check_publish(PublishRequest(topic=LONGEST_TOPIC, messages=[wire]))
    PubsubMessage(**wire)._to_proto_str(for_publish=True)


def test_what_fits_is_published_as_it_is() -> None:
    message = build_message(b"lamps", {"kind": "rate", "engine": None}, ordering_key="search")
    assert message == TopicMessage(
        data=b"lamps", attributes={"kind": "rate"}, ordering_key="search"
    )


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


@pytest.mark.parametrize("name", ["retry", "googleish", "", "x" * 300, SHORTENED, LEFT_OUT])
def test_an_attribute_of_our_own_with_a_name_that_cannot_be_is_a_mistake(name: str) -> None:
    with pytest.raises(ValueError, match=f"may be named '{name[:99]}'$"):
        build_message(b"", {name: "x"})


def test_a_long_value_is_cut_at_the_end_of_a_character_and_named() -> None:
    message = build_message(b"", {"engine": "ü" * 513, "kind": "answer"})
    assert message.attributes == {"engine": "ü" * 512, "kind": "answer", SHORTENED: "engine"}
    assert build_message(b"", {"engine": "x" + "ü" * 512}).attributes["engine"] == "x" + "ü" * 511


def test_forwarded_attributes_come_along_where_they_can() -> None:
    forwarded = {"tenant": "a", "engine": "theirs", "topic": "x", "googly": "x", "": "x"}
    message = build_message(b"", {"engine": "ours"}, forwarded=forwarded)
    assert message.attributes == {"engine": "ours", "tenant": "a", LEFT_OUT: "4"}


def test_a_hundred_attributes_is_the_most() -> None:
    forwarded = {f"name-{number}": "x" * 2_000 for number in range(101)}
    message = build_message(b"", {"engine": "ours"}, forwarded=forwarded)
    assert len(message.attributes) == 100
    assert message.attributes["engine"] == "ours"
    assert message.attributes[LEFT_OUT] == "4"
    assert_taken(message)


def test_data_without_a_place_is_cut_and_named() -> None:
    message = build_message("ü".encode() * 6_000_000, {"engine": "search"})
    assert message.attributes[SHORTENED] == "data"
    assert len(message.data) > MAX_MESSAGE_BYTES - 3_000
    assert set(message.data.decode()) == {"ü"}
    assert_taken(message)


def test_attributes_and_the_ordering_key_take_their_bytes_from_the_place_of_the_data() -> None:
    def room(attributes: dict[str, str], ordering_key: str = "") -> int:
        return len(
            build_message(b"x" * MAX_MESSAGE_BYTES, attributes, ordering_key=ordering_key).data
        )

    remarks = sum(len(name) + 1_024 + 16 for name in (SHORTENED, LEFT_OUT))
    assert room({}) == MAX_MESSAGE_BYTES - remarks - 2 * 16
    assert room({"engine": "a shop"}) == room({}) - 6 - 6 - 16
    assert room({}, "a shop") == room({}) - 6
    assert build_message(b"x" * room({}), {}).attributes == {}
    assert build_message(b"x" * (room({}) + 1), {}).attributes == {SHORTENED: "data"}


def test_what_was_shortened_before_is_named_first() -> None:
    message = build_message(b"", {"engine": "x" * 1_025}, shortened=["answer_text"])
    assert message.attributes[SHORTENED] == "answer_text,engine"


def test_a_long_ordering_key_is_cut() -> None:
    assert build_message(b"x", {}, ordering_key="ü" * 513).ordering_key == "ü" * 512


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
    assert truncate_bytes(data, most) == left


@given(st.text(), st.integers(0, 50))
def test_a_cut_text_is_a_beginning_that_fits_and_no_shorter_than_it_must_be(
    text: str, most_bytes: int
) -> None:
    beginning = truncate(text, most_bytes)
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
    message = build_message(b"x" * size, attributes, forwarded=forwarded, ordering_key=ordering_key)
    assert_taken(message)


@pytest.mark.parametrize("alert", ALERTS.values(), ids=ALERTS)
def test_an_alert_is_published_as_its_json(alert: Alert) -> None:
    assert encode_alert(alert).data == alert_to_json(alert)


def test_an_alert_can_be_filtered_by_its_attributes() -> None:
    alert = Alert(
        kind=AlertKind.ANSWER,
        record_id="5f",
        engine="shop",
        verdict="LOW_GROUNDED",
        severity=Severity.CRITICAL,
    )
    message = encode_alert(alert, ordering_key="shop")
    assert message.ordering_key == "shop"
    assert message.attributes == {
        "kind": "answer",
        "record_id": "5f",
        "engine": "shop",
        "verdict": "LOW_GROUNDED",
        "severity": "critical",
    }


def test_an_alert_about_no_answer_has_no_attributes_of_one() -> None:
    alert = Alert(kind=AlertKind.LEDGER, severity=Severity.WARNING)
    assert encode_alert(alert) == TopicMessage(
        data=alert_to_json(alert), attributes={"kind": "ledger", "severity": "warning"}
    )


@pytest.mark.parametrize(
    ("answer_chars", "claim_chars", "shortened"),
    [
        (3_000_000, 2, None),
        (6_000_000, 2, "answer_text"),
        (2, 6_000_000, "worst_claim"),
        (6_000_000, 6_000_000, "answer_text,worst_claim"),
    ],
    ids=["fits", "a long answer", "a long claim", "both"],
)
def test_a_large_alert_loses_the_ends_of_its_texts(
    answer_chars: int, claim_chars: int, shortened: str | None
) -> None:
    answer, claim = '"ü' * (answer_chars // 2), '"ü' * (claim_chars // 2)
    alert = Alert(
        kind=AlertKind.ANSWER,
        severity=Severity.CRITICAL,
        answer_text=answer,
        worst_claim=WorstClaim(start=0, end=2, score=0.1, text=claim),
    )
    message = encode_alert(alert)
    written = json.loads(message.data)
    assert message.attributes.get(SHORTENED) == shortened
    assert len(message.data) < MAX_MESSAGE_BYTES
    assert answer.startswith(written["answer_text"])
    assert claim.startswith(written["worst_claim"]["text"])


def a_long_alert(size_bytes: int) -> Alert:
    """An alert whose JSON is so large, for its answer."""
    alert = Alert(kind=AlertKind.ANSWER, severity=Severity.INFO, answer_text="")
    return replace(alert, answer_text="x" * (size_bytes - len(alert_to_json(alert))))


@pytest.mark.parametrize(
    ("over", "shortened"), [(0, None), (1, "answer_text")], ids=["at the limit", "over the limit"]
)
def test_an_alert_that_fits_is_not_shortened(over: int, shortened: str | None) -> None:
    alert = a_long_alert(MAX_MESSAGE_BYTES - 10_000 + over)
    message = encode_alert(alert)
    assert message.attributes.get(SHORTENED) == shortened
    assert len(message.data) == MAX_MESSAGE_BYTES - 10_000


def test_a_text_that_takes_far_more_bytes_in_json_is_cut_to_nothing() -> None:
    alert = Alert(kind=AlertKind.ANSWER, severity=Severity.INFO, answer_text="\x01" * 2_000_000)
    assert json.loads(encode_alert(alert).data)["answer_text"] == ""


def test_an_alert_without_texts_has_none_to_be_shortened() -> None:
    alert = Alert(
        kind=AlertKind.ANSWER, severity=Severity.INFO, answer_name="x" * MAX_MESSAGE_BYTES
    )
    assert encode_alert(alert).attributes[SHORTENED] == "data"


def test_a_failure_is_the_original_bytes_and_says_in_attributes_what_went_wrong() -> None:
    message = a_message(payload=b"\xff", attributes={"engine": "shop"}, place="17")
    failure = a_failure(
        message=message, first_failed_at_us=NOON_US, last_failed_at_us=NOON_US + 1, attempts=9
    )
    announced = encode_failure(failure)
    assert announced.data == b"\xff"
    assert announced.attributes == {
        "engine": "shop",
        "failure_step": failure.step,
        "failure_error_class": failure.error_class,
        "failure_error": failure.error,
        "failure_retryable": "false",
        "failure_attempts": "9",
        "failure_first_at": "2026-03-03T12:00:00.000000Z",
        "failure_last_at": "2026-03-03T12:00:00.000001Z",
        "failure_source": "17",
    }
    retryable = encode_failure(replace(failure, retryable=True))
    assert retryable.attributes["failure_retryable"] == "true"


def test_a_failure_names_its_trace() -> None:
    attributes = encode_failure(FAILURES["check failed"]).attributes
    names = ("failure_trace_id", "failure_span_id", "failure_response_id")
    assert [attributes[name] for name in names] == [
        "5b8efff798038103d269b633813fc60c",
        "eee19b7ec3c1b174",
        "r1",
    ]


@pytest.mark.parametrize("payload", [b"\xff", b"x" * 10_000_000], ids=["on demand", "of necessity"])
def test_a_failure_without_all_of_its_bytes_says_so(payload: bytes) -> None:
    message = a_message(payload=payload)
    announced = encode_failure(
        replace(FAILURES["from Pub/Sub"], message=message), with_payload=len(payload) > 1
    )
    assert len(announced.data) < len(payload)
    assert announced.attributes[SHORTENED] == "data"


def test_a_failure_without_its_message_is_published_without_its_attributes() -> None:
    failure = a_failure(message=a_message(attributes={"user": "Ada Lovelace"}))
    announced = encode_failure(failure, with_payload=False)
    assert announced.data == b""
    assert "Ada Lovelace" not in announced.attributes.values()
    assert announced.attributes["failure_source"] == failure.message.place


def test_a_failure_that_lost_its_bytes_and_more_says_both() -> None:
    failure = a_failure(message=a_message(payload=b"x" * 10_000_000), error="x" * 2_000)
    assert encode_failure(failure).attributes[SHORTENED] == "failure_error,data"
