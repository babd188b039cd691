"""Remove or hash the texts of enriched records."""

import hashlib
import re
from enum import StrEnum
from functools import partial
from typing import Any, TypeGuard

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
    hide = partial(_hide, mode)
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


def redact_row(row: dict[str, Any], mode: TextMode) -> dict[str, Any]:
    """Replace the texts of a record that was read from a file, as `redact` does."""
    hide = partial(_hide, mode)
    facts = [
        fact | {"text": hide(fact["text"]), "title": fact["title"] and hide(fact["title"])}
        for fact in row["facts"]
    ]
    mismatches = [
        each | {name: each[name] and hide(each[name]) for name in ("claim_value", "fact_value")}
        for each in row["mismatches"]
    ]
    return row | {
        "query": row["query"] and hide(row["query"]),
        "answer_text": hide(row["answer_text"]),
        "claims": [claim | {"text": hide(claim["text"])} for claim in row["claims"]],
        "facts": [fact | {"attributes": {}} for fact in facts],
        "mismatches": mismatches,
        "check": row["check"] and row["check"] | {"unknown_members": []},
    }


def _hide(mode: TextMode, text: str) -> str:
    if mode is TextMode.NONE or not text:
        return ""
    return text if is_hashed(text) else f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


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
