"""Remove or hash the texts of enriched records."""

import hashlib
import re
from enum import StrEnum

from msgspec.structs import replace

from schemas.enriched_answer import EnrichedAnswer

_HASHED = re.compile(r"sha256:[0-9a-f]{64}")


class TextMode(StrEnum):
    """What replaces the answer, its claims, the query, the facts and contradicting values."""

    NONE = "none"
    HASH = "hash"
    FULL = "full"


def redact(enriched: EnrichedAnswer, mode: TextMode) -> EnrichedAnswer:
    """Replace the texts of a record; its offsets still refer to the original answer.

    The mode ``none`` leaves empty texts, ``hash`` the SHA-256 of those that are not empty.
    """
    if mode is TextMode.FULL:
        return enriched

    def hide(text: str) -> str:
        if mode is TextMode.NONE or not text:
            return ""
        return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"

    def hide_optional(text: str | None) -> str | None:
        return None if text is None else hide(text)

    return replace(
        enriched,
        query=hide_optional(enriched.query),
        answer_text=hide(enriched.answer_text),
        claims=tuple(replace(claim, text=hide(claim.text)) for claim in enriched.claims),
        facts=tuple(
            replace(fact, text=hide(fact.text), title=hide_optional(fact.title), attributes={})
            for fact in enriched.facts
        ),
        mismatches=tuple(
            replace(
                each, claim_value=hide(each.claim_value), fact_value=hide_optional(each.fact_value)
            )
            for each in enriched.mismatches
        ),
        # Undocumented fields may repeat the texts.
        check=enriched.check and replace(enriched.check, unknown_members=()),
    )


def is_hashed(text: str) -> bool:
    """Return whether a text of a record is a hash of ``hash``."""
    return _HASHED.fullmatch(text) is not None
