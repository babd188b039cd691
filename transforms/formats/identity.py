"""Make the record id: the same for an answer in live traffic, a backfill and a replay."""

from hashlib import sha256
from typing import Literal

import msgspec

from schemas.answer import Answer
from transforms.formats.reading import Identity

_CONTENT_VERSION = 1
"""Raise it with every change to what `content_identity` hashes: all ids of that kind change."""


def record_id(identity: Identity, unlike: Literal["", "incomplete", "failed"] = "") -> str:
    """Hash what names an answer.

    Args:
      identity: what names the answer; kinds never collide.
      unlike: in what the answer is unlike the finished one, which may come later under the same
        name and then has another id.

    Returns:
      The SHA-256 as 64 hex digits.
    """
    # Only the value may hold any character, so it stands last.
    named = f"{identity.kind}\0{unlike}\0{identity.value}"
    return sha256(named.encode("utf-8", "surrogatepass")).hexdigest()


def content_identity(answer: Answer) -> Identity:
    """Name an answer by its content, the same in every format, carrier and wrapper.

    The list is fixed: answer text, query, texts of the facts in order, session and event time.
    """
    content = (
        answer.answer_text,
        answer.query or "",
        [fact.text for fact in answer.facts],
        answer.session or "",
        answer.event_time_us,
    )
    digest = sha256(msgspec.msgpack.encode(content)).hexdigest()
    return Identity(kind=f"content {_CONTENT_VERSION}", value=digest)
