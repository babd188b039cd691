"""Read why an answer ended, as models and the tools that record them write it.

Sources: the enumerations of OpenAI's Responses and Chat Completions, Anthropic's Messages,
Bedrock's StopReason and GuardrailAction and OpenTelemetry's FinishReason, and the states of
Langfuse, LangSmith, LiteLLM and Phoenix. docs/formats.md lists them.
"""

from collections.abc import Iterable
from typing import NamedTuple

from groundwatch.schemas.wire.wire_type import words

REFUSAL, ERROR = "refusal", "error"
"""The words for a text that refuses the question, and for an error beside the answer."""


class End(NamedTuple):
    """Why an answer ended, as `Answer` has it: in Gemini's names."""

    finish_reason: str | None = None
    state: str | None = None


_STOP = End("STOP")
_PLAIN = {End(): 0, _STOP: 1}
_ENDS = {"": End()} | {
    reason: end
    for end, reasons in {
        _STOP: (
            "stop end_turn stop_sequence completed complete tool_call tool_calls tool_use"
            " function_call"
        ),
        End("MAX_TOKENS"): (
            "length max_tokens max_output_tokens model_context_window_exceeded incomplete"
        ),
        End("SAFETY"): "content_filter content_filtered guardrail_intervened intervened refusal",
        End(state="IN_PROGRESS"): "in_progress queued pending pause_turn compaction",
        # States of a run, and levels of a log, that say nothing of the answer.
        End(): "none success ok unset default debug warning finish_reason_unspecified",
    }.items()
    for reason in words(reasons)
}


def read_end(reasons: Iterable[str]) -> End:
    """Return the first end that says more than that the answer is whole.

    A reason that is not known is that of a newer version: it is kept, in upper case.
    """
    return max(map(_end_of, reasons), key=_rank, default=End())


def deciding_reason(reasons: Iterable[str]) -> str:
    """Return the reason that `read_end` reads, "" for none."""
    return max(reasons, key=lambda reason: _rank(_end_of(reason)), default="")


def may_lack_text(reason: str) -> bool:
    """Return whether an answer that ended so may have no text: it was cut off, or is a call."""
    return "tool" in reason or _rank(_end_of(reason)) == len(_PLAIN)


def _end_of(reason: str) -> End:
    return _ENDS.get(reason.strip().lower()) or End(reason.strip().upper())


def _rank(end: End) -> int:
    return _PLAIN.get(end, len(_PLAIN))
