"""Turn an error of a step into a failure, and tag it as the step's second output."""

from typing import TYPE_CHECKING, Any, Literal

from apache_beam.pvalue import TaggedOutput

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.message import Message
from . import clock, counters

FAILURES: Literal["failures"] = "failures"
"""The tag of every step's second output."""

MESSAGES = "messages"
"""The tag of a source's main output."""

TAGS_ARE_TYPED = hasattr(TaggedOutput, "__class_getitem__")
"""Whether Beam takes the type of a tagged output from an annotation, as its later releases do."""

if TYPE_CHECKING or TAGS_ARE_TYPED:
    TaggedFailure = TaggedOutput[Literal["failures"], Failure]
else:
    TaggedFailure = Any


def failed_now(
    message: Message,
    step: str,
    error: Exception,
    *,
    retryable: bool,
    attempts: int = 1,
    first_failed_at_us: int | None = None,
    answer: Answer | None = None,
) -> Failure:
    """Describe a failure that has just happened, and count it.

    The attempts of earlier runs in the message are added. The text of the error must hold no text
    of the answer. `first_failed_at_us` is None for now, `answer` for a message that could not be
    parsed.
    """
    now_us, earlier = clock.now_us(), message.earlier
    counters.failed(type(error).__name__).inc()
    return Failure(
        record_id=answer.record_id if answer else None,
        step=step,
        error_class=type(error).__name__,
        error=str(error),
        retryable=retryable,
        attempts=attempts + (earlier.attempts if earlier else 0),
        first_failed_at_us=(
            earlier.first_failed_at_us if earlier else first_failed_at_us or now_us
        ),
        last_failed_at_us=now_us,
        message=message,
        **{
            name: getattr(answer, name) if answer else message.attributes.get(name)
            for name in ("trace_id", "span_id", "response_id")
        },
    )
