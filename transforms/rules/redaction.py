"""How much of the texts an enriched record keeps."""

import hashlib
import re
from collections.abc import Callable
from enum import StrEnum

from msgspec.structs import replace

from schemas.checked_answer import Contradiction
from schemas.enriched_answer import EnrichedAnswer

_HASHED = re.compile(r"sha256:[0-9a-f]{64}")


class TextMode(StrEnum):
    """What stands in place of the answer, its claims, the query, the facts and what differs."""

    NONE = "none"
    HASH = "hash"
    FULL = "full"


def redact(enriched: EnrichedAnswer, mode: TextMode) -> EnrichedAnswer:
    """Replace the texts of a record; offsets still point into the answer as it was.

    Args:
      enriched: the record.
      mode: ``none`` leaves empty texts, ``hash`` the SHA-256 of those that are not empty, ``full``
        the texts themselves.

    Returns:
      The record as it may be written.
    """
    if mode is TextMode.FULL:
        return enriched
    hide = _hash if mode is TextMode.HASH else _drop
    return replace(
        enriched,
        query=_hidden(enriched.query, hide),
        answer_text=hide(enriched.answer_text),
        claims=tuple(replace(claim, text=hide(claim.text)) for claim in enriched.claims),
        facts=tuple(
            replace(fact, text=hide(fact.text), title=_hidden(fact.title, hide), attributes={})
            for fact in enriched.facts
        ),
        mismatches=tuple(_hide_values(mismatch, hide) for mismatch in enriched.mismatches),
        # What no page describes may repeat the texts.
        check=enriched.check and replace(enriched.check, unknown_members=()),
    )


def is_hashed(text: str) -> bool:
    """Tell whether a text of a record is the hash that ``hash`` left of one."""
    return _HASHED.fullmatch(text) is not None


def _hide_values(mismatch: Contradiction, hide: Callable[[str], str]) -> Contradiction:
    return replace(
        mismatch,
        claim_value=hide(mismatch.claim_value),
        fact_value=_hidden(mismatch.fact_value, hide),
    )


def _hidden(text: str | None, hide: Callable[[str], str]) -> str | None:
    return None if text is None else hide(text)


def _hash(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}" if text else ""


def _drop(_: str) -> str:
    return ""
