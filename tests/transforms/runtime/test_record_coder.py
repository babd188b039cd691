"""Records on their way between machines."""

import pickle
from typing import Any

import msgspec
import pytest
from apache_beam.coders import registry

from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert, AlertKind, RateIncident, Severity
from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import CheckedAnswer, Decision
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.message import EarlierFailure, Message
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.rate_counts import RateCounts
from groundwatch.transforms.runtime.record_coder import RecordCoder, use_record_coders
from tests.support.builders import a_check, a_message, an_answer, an_enriched

DECISION = Decision(verdict=Verdict.NOT_ANSWERED, reason="NO_RELEVANT_CONTENT")
RECORDS = [
    Message(
        payload=b"\xff\x00{",
        attributes={"b": "2", "a": "é"},
        place="a#1",
        earlier=EarlierFailure(first_failed_at_us=1, attempts=2),
    ),
    an_answer("Ünïcode \U0001f4a1"),
    CheckedAnswer(answer=an_answer(), decision=DECISION),
    CheckedAnswer(answer=an_answer(), check=a_check()),
    an_enriched(),
    Alert(
        kind=AlertKind.RATE,
        severity=Severity.CRITICAL,
        rate=RateIncident(
            signal="failed", state="open", share=0.5, burn_rate=5.0, answers=9, opened_at_us=-1
        ),
    ),
    Failure(
        step="ParseAnswers",
        error_class="UnreadableAnswer",
        error="The message is not JSON.",
        retryable=False,
        first_failed_at_us=1,
        last_failed_at_us=2,
        message=a_message(),
    ),
    RateCounts(start_us=0, answers=2, skip_reasons={"B": 1, "A": 1}),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_is_decoded_as_it_was_encoded(record: Record) -> None:
    coder: Any = pickle.loads(pickle.dumps(RecordCoder(type(record))))  # noqa: S301 - our own
    assert coder == RecordCoder(type(record))
    assert coder.decode(coder.encode(record)) == record


def test_equal_records_are_equal_bytes_whatever_the_order_of_their_attributes() -> None:
    first = a_message(attributes={"a": "1", "b": "2"})
    second = a_message(attributes={"b": "2", "a": "1"})
    coder = RecordCoder(Message)
    assert coder.is_deterministic()
    assert coder.encode(first) == coder.encode(second)


def test_a_job_that_is_updated_reads_what_the_one_before_it_left() -> None:
    class Before(Record, frozen=True, kw_only=True):
        name: str
        gone: int

    class After(Record, frozen=True, kw_only=True):
        name: str
        new: str | None = None

    left = RecordCoder(Before).encode(Before(name="lamp", gone=1))
    assert RecordCoder(After).decode(left) == After(name="lamp")


def test_beam_takes_it_for_records_and_for_nothing_else() -> None:
    use_record_coders()
    assert registry.get_coder(Answer) == RecordCoder(Answer)
    assert not isinstance(registry.get_coder(Verdict), RecordCoder)
    assert not isinstance(registry.get_coder(msgspec.Struct), RecordCoder)
