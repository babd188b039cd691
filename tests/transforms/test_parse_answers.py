"""Messages into answers, or into failures that hold them."""

import apache_beam as beam
from apache_beam.testing.util import assert_that, equal_to
from apache_beam.transforms.window import FixedWindows, TimestampedValue

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.failure import Failure
from groundwatch.transforms.parse_answers import ParseAnswers
from groundwatch.transforms.runtime import counters
from tests.support.answer_messages import parse_answer
from tests.support.builders import a_message
from tests.support.metrics import counted
from tests.support.pipelines import local_pipeline

GOOD = a_message(payload=b'{"answer": "Lamps glow.", "id": "a"}', place="a.jsonl#1")
BAD = a_message(payload=b"\xff", place="a.jsonl#2", attributes={"id": "7"})


def place_and_fault(failure: Failure) -> tuple[bytes, str, str, str, bool, int, str | None]:
    message = failure.message
    return (
        message.payload,
        message.place,
        failure.step,
        failure.error_class,
        failure.retryable,
        failure.attempts,
        failure.record_id,
    )


def number_of_facts(answer: Answer) -> int:
    return len(answer.facts)


def with_its_time(
    answer: Answer, timestamp: object = beam.DoFn.TimestampParam
) -> tuple[str, float]:
    return answer.answer_text, float(timestamp)


def test_a_message_is_an_answer_or_a_failure_that_holds_it() -> None:
    with local_pipeline() as root:
        parsed = root | beam.Create([GOOD, BAD]) | ParseAnswers()
        assert_that(parsed.answers, equal_to([parse_answer(GOOD)]), label="answers")
        failed = parsed.failures | beam.Map(place_and_fault)
        expected = (b"\xff", "a.jsonl#2", "ParseAnswers", "UnreadableAnswer", False, 1, None)
        assert_that(failed, equal_to([expected]), label="failures")


def test_each_of_several_answers_is_read_by_itself() -> None:
    payload = b'[{"answer": "Lamps glow."}, 7, {"answer": "Lamps dim."}]'
    root = local_pipeline()
    several = a_message(payload=payload, place="a.jsonl#3")
    parsed = root | beam.Create([GOOD, several]) | ParseAnswers()
    texts = parsed.answers | "Text" >> beam.Map(lambda answer: answer.message.answer_place)
    assert_that(texts, equal_to(["a.jsonl#1", "a.jsonl#3#0", "a.jsonl#3#2"]), label="answers")
    failed = parsed.failures | beam.Map(lambda failure: failure.message.payload)
    assert_that(failed, equal_to([b"7"]), label="failures")
    result = root.run()
    # The first answer of each message was counted when the message was read.
    assert counted(result, counters.MESSAGES_READ) == 2
    assert counted(result, counters.FURTHER_ANSWERS) == 2
    assert counted(result, counters.PARSE_FAILED) == 1


def test_an_answer_keeps_the_time_and_window_of_its_message() -> None:
    with local_pipeline() as root:
        parsed = (
            root
            | beam.Create([GOOD])
            | "At" >> beam.Map(TimestampedValue, timestamp=1000)
            | beam.WindowInto(FixedWindows(60))
            | ParseAnswers()
        )
        assert_that(parsed.answers | beam.Map(with_its_time), equal_to([("Lamps glow.", 1000.0)]))


def test_a_named_format_reaches_the_reader() -> None:
    with local_pipeline() as root:
        messages = root | beam.Create([GOOD])
        read = messages | "Envelope" >> ParseAnswers("groundwatch.envelope")
        assert_that(read.answers, equal_to([parse_answer(GOOD)]), label="read")
        other = messages | "Chat" >> ParseAnswers("openai.chat_completions")
        assert_that(other.answers, equal_to([]), label="unread")


def test_a_field_map_reads_other_messages() -> None:
    with local_pipeline() as root:
        other = a_message(payload=b'{"said": "Lamps glow.", "docs": ["Lamps glow."]}')
        own_map = (("answer", "$.said"), ("facts", "$.docs[*]"))
        parsed = root | beam.Create([other]) | ParseAnswers(own_map=own_map)
        assert_that(parsed.answers | beam.Map(number_of_facts), equal_to([1]), label="facts")
        assert_that(parsed.failures, equal_to([]), label="failures")
