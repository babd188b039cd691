"""Alerts and failures as messages to a topic, and failures back."""

import json

import pytest
from msgspec.structs import replace

from schemas.alert import Alert, AlertKind, Severity, WorstClaim, alert_to_json
from schemas.failure import Failure
from schemas.message import EarlierFailure, Message
from tests.support.builders import NOON_US, a_failure, a_message
from tests.support.whole_records import ALERTS, FAILURES
from transforms.rules.announcing import announce_alert, announce_failure, message_of_announced
from transforms.rules.publishing import MOST_BYTES, SHORTENED, Publishable


@pytest.mark.parametrize("alert", ALERTS.values(), ids=ALERTS)
def test_an_alert_is_published_as_its_json(alert: Alert) -> None:
    assert announce_alert(alert).data == alert_to_json(alert)


def test_an_alert_can_be_filtered_by_its_attributes() -> None:
    alert = Alert(
        kind=AlertKind.ANSWER,
        record_id="5f",
        engine="shop",
        verdict="LOW_GROUNDED",
        severity=Severity.CRITICAL,
    )
    message = announce_alert(alert, ordering_key="shop")
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
    assert announce_alert(alert) == Publishable(
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
    message = announce_alert(alert)
    written = json.loads(message.data)
    assert message.attributes.get(SHORTENED) == shortened
    assert len(message.data) < MOST_BYTES
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
    alert = a_long_alert(MOST_BYTES - 10_000 + over)
    message = announce_alert(alert)
    assert message.attributes.get(SHORTENED) == shortened
    assert len(message.data) == MOST_BYTES - 10_000


def test_a_text_that_takes_far_more_bytes_in_json_is_cut_to_nothing() -> None:
    alert = Alert(
        kind=AlertKind.ANSWER,
        severity=Severity.INFO,
        answer_text="\x01" * 2_000_000,
    )
    assert json.loads(announce_alert(alert).data)["answer_text"] == ""


def test_an_alert_without_texts_has_none_to_be_shortened() -> None:
    alert = Alert(kind=AlertKind.ANSWER, severity=Severity.INFO, answer_name="x" * MOST_BYTES)
    assert announce_alert(alert).attributes[SHORTENED] == "data"


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_published_failure_gives_its_message_back(failure: Failure) -> None:
    expected = replace(
        failure.message,
        earlier=EarlierFailure(
            first_failed_at_us=failure.first_failed_at_us, attempts=failure.attempts
        ),
    )
    assert message_of_announced(published(announce_failure(failure))) == expected


def test_a_failure_is_the_original_bytes_and_says_in_attributes_what_went_wrong() -> None:
    message = a_message(payload=b"\xff", attributes={"engine": "shop"}, place="17")
    failure = a_failure(
        message=message, first_failed_at_us=NOON_US, last_failed_at_us=NOON_US + 1, attempts=9
    )
    announced = announce_failure(failure)
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
    retryable = announce_failure(replace(failure, retryable=True))
    assert retryable.attributes["failure_retryable"] == "true"


def test_a_failure_at_the_beginning_of_time_stays_there() -> None:
    failure = a_failure(first_failed_at_us=0)
    assert message_of_announced(published(announce_failure(failure))).earlier == EarlierFailure(
        first_failed_at_us=0, attempts=failure.attempts
    )


def test_what_had_no_place_in_a_failure_leaves_no_trace_in_its_message() -> None:
    failure = a_failure(message=a_message(attributes={"topic": "x", "engine": "shop"}))
    again = message_of_announced(published(announce_failure(failure)))
    assert again.attributes == {"engine": "shop"}


def test_a_failure_that_failed_again_says_so_once() -> None:
    failure = FAILURES["from Pub/Sub"]
    again = message_of_announced(published(announce_failure(failure)))
    assert set(announce_failure(replace(failure, message=again)).attributes) == set(
        announce_failure(failure).attributes
    )


@pytest.mark.parametrize("payload", [b"\xff", b"x" * 10_000_000], ids=["on demand", "of necessity"])
def test_a_failure_without_all_of_its_bytes_cannot_be_read_back(payload: bytes) -> None:
    message = a_message(payload=payload)
    announced = announce_failure(
        replace(FAILURES["from Pub/Sub"], message=message), with_payload=len(payload) > 1
    )
    assert len(announced.data) < len(payload)
    with pytest.raises(ValueError, match=r"^the failure .* without all of its original bytes$"):
        message_of_announced(published(announced))


def test_a_failure_without_its_message_is_published_without_its_attributes() -> None:
    failure = a_failure(message=a_message(attributes={"user": "Ada Lovelace"}))
    announced = announce_failure(failure, with_payload=False)
    assert announced.data == b""
    assert "Ada Lovelace" not in announced.attributes.values()
    assert announced.attributes["failure_source"] == failure.message.place


def test_a_failure_that_lost_its_bytes_and_more_cannot_be_read_back_either() -> None:
    failure = a_failure(message=a_message(payload=b"x" * 10_000_000), error="x" * 2_000)
    announced = announce_failure(failure)
    assert announced.attributes[SHORTENED] == "failure_error,data"
    with pytest.raises(ValueError, match="without all of its original bytes"):
        message_of_announced(published(announced))


@pytest.mark.parametrize(
    "broken",
    [{"failure_source": None}, {"failure_attempts": "many"}, {"failure_first_at": "noon"}],
    ids=lambda broken: next(iter(broken)),
)
def test_what_is_no_failure_is_refused(broken: dict[str, str | None]) -> None:
    whole = published(announce_failure(FAILURES["from Pub/Sub"]))
    attributes = {
        name: value for name, value in {**whole.attributes, **broken}.items() if value is not None
    }
    with pytest.raises(ValueError, match=r"^the message is no failure of groundwatch$"):
        message_of_announced(replace(whole, attributes=attributes))


def published(announced: Publishable) -> Message:
    return Message(
        payload=announced.data, attributes=announced.attributes, place="99", publish_time_us=1
    )
