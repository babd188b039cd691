"""Decide whether an answer is still being generated."""

from schemas.answer import Answer
from schemas.verdict import Verdict
from transforms.rules.verdicts import STATE_VERDICTS

_FAMILIES_WITH_FINISH_REASON = ("gemini.", "vertex.")


def is_incomplete(answer: Answer) -> bool:
    """Return whether an answer is unfinished, so that the finished one may still come.

    A Gemini candidate without a finish reason and without text is, unless its prompt or the
    candidate itself was blocked.
    """
    if answer.state and STATE_VERDICTS.get(answer.state) is Verdict.INCOMPLETE:
        return True
    return (
        has_finish_reasons(answer.source_format)
        and answer.finish_reason is None
        and not answer.answer_text.strip()
        and answer.block_reason is None
        and not any(rating.blocked for rating in answer.safety_ratings)
    )


def has_finish_reasons(source_format: str) -> bool:
    """Return whether the answers of a format are candidates, which say why they ended."""
    return source_format.startswith(_FAMILIES_WITH_FINISH_REASON)
