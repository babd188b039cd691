"""ParseAnswers: parse the answers of each message, in any input format."""

from collections.abc import Iterator

import apache_beam as beam
from apache_beam.pvalue import DoOutputsTuple, PCollection, TaggedOutput
from apache_beam.typehints.decorators import no_annotations

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import Message, ParseOptions
from .formats.field_maps.field_map import PathPairs
from .formats.parser import ParseFailure, parse_answers
from .runtime import counters
from .runtime.failures import FAILURES, TaggedFailure, failed_now

ANSWERS = "answers"
_ANSWER_BYTES = 2_000  # a failure without an answer takes as many


class TooManyAnswers(Exception):
    """Messages hold more answers than are processed together: process fewer messages at a time."""


class ParseAnswers(beam.PTransform):
    """Parse the messages of all input formats.

    Input: PCollection[Message], bounded or not.
    Output: two PCollections. `answers` holds the parsed answers, in the window and at the timestamp
      of its message. `failures` holds one Failure for each answer that cannot be parsed, with a
      message that contains only this answer.
    Failures: UnreadableAnswer and UnmappedFields, never retryable. `TooManyAnswers` fails a bundle
      that holds more answers than `most_answers`; one with copies of what its message holds counts
      as one for each 2,000 bytes.
    Delivery: each message once; a retried bundle has the same results.

    Args:
      input_format: name of a source format; None to detect it by the field names of each message.
      own_map: pairs of a field and the path that finds it, as in ``("facts", "$.contexts[*]")``.
      most_answers: of a bundle, for a runner that keeps its results in memory; None for any number.
    """

    def __init__(
        self,
        input_format: str | None = None,
        *,
        own_map: PathPairs = (),
        most_answers: int | None = None,
    ) -> None:
        super().__init__()
        self.most_answers = most_answers
        self.options = ParseOptions(input_format=input_format, own_map=own_map)

    @no_annotations  # Beam knows several outputs by their tags only
    def expand(self, messages: PCollection[Message]) -> DoOutputsTuple:
        parse = beam.FlatMap(_parse_message, options=self.options)
        if self.most_answers is not None:
            parse = beam.ParDo(_ParseSoMany(self.options, self.most_answers))
        return messages | "ParseMessage" >> parse.with_outputs(FAILURES, main=ANSWERS)


class _ParseSoMany(beam.DoFn):
    """Parse one message; count the answers of the bundle."""

    def __init__(self, options: ParseOptions, most_answers: int) -> None:
        self._options = options
        self._most_answers = most_answers

    def start_bundle(self) -> None:
        self._answers = 0

    def process(self, message: Message) -> Iterator[Answer | TaggedFailure]:
        for answer in _parse_message(message, self._options):
            self._answers += 1 + _copied_bytes(answer) // _ANSWER_BYTES
            if self._answers > self._most_answers:
                raise TooManyAnswers(f"the messages hold more than {self._most_answers} answers")
            yield answer


def _copied_bytes(parsed: Answer | TaggedFailure) -> int:
    """Measure what an answer of several keeps of its message: its own part, and all attributes."""
    message = parsed.message if isinstance(parsed, Answer) else parsed.value.message
    return message.size if message.elements > 1 else 0


def _parse_message(message: Message, options: ParseOptions) -> Iterator[Answer | TaggedFailure]:
    for number, answer in enumerate(parse_answers(message, options)):
        if number:
            counters.MESSAGES_READ.inc()
            counters.FURTHER_ANSWERS.inc()
        if isinstance(answer, ParseFailure):
            counters.PARSE_FAILED.inc()
            failure = failed_now(answer.message, "ParseAnswers", answer.error, retryable=False)
            yield TaggedOutput(FAILURES, failure)
        else:
            yield answer
