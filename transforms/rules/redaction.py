"""Remove or hash the texts of enriched records."""

import hashlib
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import Any, TypeGuard

from msgspec.structs import asdict, replace

from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Tag
from .spans import truncate

_REDACTED = ("query", "answer_text", "claims", "facts", "mismatches", "check")
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
    fields = {name: getattr(enriched, name) for name in _REDACTED}
    return replace(enriched, **_hidden(fields, mode, getattr, replace))


def redact_row(row: dict[str, Any], mode: TextMode) -> dict[str, Any]:
    """Replace the texts of a record that was read from a file, as `redact` does."""
    return row | _hidden(row, mode, dict.__getitem__, lambda item, **changes: item | changes)


def _hidden(
    fields: Mapping[str, Any],
    mode: TextMode,
    get: Callable[[Any, str], Any],
    changed: Callable[..., Any],
) -> dict[str, Any]:
    """Return the fields of a record that change; `get` and `changed` work on its items."""
    hide = partial(_hide, mode)

    def hidden(item: Any, *names: str, **more: Any) -> Any:
        return changed(item, **{name: hide(get(item, name)) for name in names}, **more)

    return {
        "query": hide(fields["query"]),
        "answer_text": hide(fields["answer_text"]),
        "claims": tuple(hidden(each, "text") for each in fields["claims"]),
        "facts": tuple(hidden(each, "text", "title", attributes={}) for each in fields["facts"]),
        "mismatches": tuple(
            hidden(each, "claim_value", "fact_value") for each in fields["mismatches"]
        ),
        # Undocumented fields may repeat the texts.
        "check": fields["check"] and changed(fields["check"], unknown_members=()),
    }


def _hide(mode: TextMode, text: str | None) -> str | None:
    if not text:
        return text
    if mode is TextMode.NONE:
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
