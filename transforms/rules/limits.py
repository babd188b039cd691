"""The limits of one check."""

from groundwatch.schemas import Record


class CheckLimits(Record, frozen=True, kw_only=True):
    """The limits of one `groundingConfigs.check` call.

    Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding
    """

    max_facts: int = 200
    max_fact_chars: int = 10_000
    max_answer_tokens: int = 4_096
