"""Make record ids: the same id for an answer in live traffic, a backfill and a replay."""

from hashlib import sha256
from typing import Literal

import msgspec

from schemas.answer import Answer
from transforms.formats.format import Identity
from transforms.rules.routing import is_incomplete

_CONTENT_VERSION = 1
"""Raise it with every change to what `content_identity` hashes: all ids of that kind change."""


def record_id_of(answer: Answer, identity: Identity | None) -> str:
    """Make the record id of an answer from its name, its identity, its content or its place.

    The content is used only for an answer with a time of its own: without one, equal greetings to
    two users would become one answer.

    Args:
      answer: without the publish time of its message.
      identity: the body's name for the answer besides its resource name; None if it has none.

    Returns:
      The SHA-256 as 64 hex digits.
    """
    return record_id(_identity(answer, identity), _unfinished_state(answer))


def record_id(identity: Identity, state: Literal["", "incomplete", "failed"] = "") -> str:
    """Hash the identity of an answer.

    Args:
      identity: identities of different kinds never collide.
      state: the state of an answer that is not finished. The finished answer may come later under
        the same name, and must have another id.

    Returns:
      The SHA-256 as 64 hex digits.
    """
    # Only the value may hold any character, so it stands last.
    named = f"{identity.kind}\0{state}\0{identity.value}"
    return sha256(named.encode("utf-8", "surrogatepass")).hexdigest()


def content_identity(answer: Answer) -> Identity:
    """Name an answer by its content, independent of the format, carrier and wrapper.

    The fields are fixed: answer text, query, texts of the facts in order, session and event time.
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


def non_blank(text: str | None) -> str | None:
    """Return a text, or None if it is empty or only white space."""
    return text if text and not text.isspace() else None


def _identity(answer: Answer, identity: Identity | None) -> Identity:
    if answer.answer_name:
        return Identity(kind="name", value=answer.answer_name)
    if identity and non_blank(identity.value):
        return identity
    if given := non_blank(answer.message.attributes.get("id")):
        return Identity(kind="attribute", value=given)
    if answer.event_time_us is not None:
        return content_identity(answer)
    return Identity(kind="place", value=answer.message.answer_place)


def _unfinished_state(answer: Answer) -> Literal["", "incomplete", "failed"]:
    if is_incomplete(answer):
        return "incomplete"
    return "failed" if answer.state == "FAILED" else ""
