"""Whether an answer is still being made."""

from schemas.answer import Answer
from schemas.verdict import Verdict
from transforms.rules.verdicts import STATE_VERDICTS


def is_incomplete(answer: Answer) -> bool:
    """Whether an answer is unfinished, so that the finished one may still come.

    A Gemini candidate without a finish reason and without text is, unless its prompt or itself
    was blocked.
    """
    if answer.state and STATE_VERDICTS.get(answer.state) is Verdict.INCOMPLETE:
        return True
    return (
        answer.source_format.startswith("gemini.")
        and answer.finish_reason is None
        and not answer.answer_text.strip()
        and answer.block_reason is None
        and not any(rating.blocked for rating in answer.safety_ratings)
    )
