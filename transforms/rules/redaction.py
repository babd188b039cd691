"""Remove or hash the texts of enriched records."""

import hashlib
import re
from enum import StrEnum
from typing import TypeGuard

from msgspec.structs import asdict, replace

from schemas.enriched_answer import EnrichedAnswer
from schemas.verdict import Tag
from transforms.rules.spans import truncate

_HASHED = re.compile(r"sha256:[0-9a-f]{64}")


class TextMode(StrEnum):
    """What replaces the answer, its claims, the query, the facts and contradicting values."""

    NONE = "none"
    HASH = "hash"
    FULL = "full"


def redact(enriched: EnrichedAnswer, mode: TextMode) -> EnrichedAnswer:
    """Replace the texts of a record by empty ones or by their SHA-256; its offsets stay."""
    if mode is TextMode.FULL:
        return enriched

    def hide(text: str) -> str:
        is_kept = text and mode is TextMode.HASH
        return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}" if is_kept else ""

    return replace(
        enriched,
        query=enriched.query and hide(enriched.query),
        answer_text=hide(enriched.answer_text),
        claims=tuple(replace(claim, text=hide(claim.text)) for claim in enriched.claims),
        facts=tuple(
            replace(
                fact, text=hide(fact.text), title=fact.title and hide(fact.title), attributes={}
            )
            for fact in enriched.facts
        ),
        mismatches=tuple(
            replace(each, claim_value=hide(each.claim_value), fact_value=value and hide(value))
            for each in enriched.mismatches
            for value in (each.fact_value,)
        ),
        # Undocumented fields may repeat the texts.
        check=enriched.check and replace(enriched.check, unknown_members=()),
    )


def without_fact_texts(enriched: EnrichedAnswer) -> EnrichedAnswer:
    """Drop the texts and attributes of the facts, and tag the record FACTS_DROPPED."""
    return replace(
        enriched,
        tags=tuple(sorted({*enriched.tags, Tag.FACTS_DROPPED})),
        facts=tuple(replace(fact, text="", attributes={}) for fact in enriched.facts),
    )


def without_evidence(enriched: EnrichedAnswer, max_bytes: int) -> EnrichedAnswer:
    """Keep only the single fields of a record, each text up to a size; tag it FACTS_DROPPED."""
    fields = asdict(enriched)
    texts = {name: truncate(each, max_bytes) for name, each in fields.items() if _is_text(each)}
    lists = {name: () for name, each in fields.items() if isinstance(each, tuple)}
    tags = (Tag.FACTS_DROPPED.value,)
    return replace(enriched, **{**texts, **lists, "check": None, "tags": tags})


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and not isinstance(value, StrEnum)


def is_hashed(text: str) -> bool:
    """Return whether a text of a record is a hash."""
    return _HASHED.fullmatch(text) is not None
