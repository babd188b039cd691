"""Make record ids: the same id for an answer in live traffic, a backfill and a replay."""

from hashlib import sha256
from typing import Literal

import msgspec

from schemas.answer import Answer
from transforms.formats.format import Identity
from transforms.rules.routing import is_incomplete

# Raise it with every change to the hashed content: all ids of that kind change.
_CONTENT_VERSION = 1


def record_id_of(answer: Answer, identity: Identity | None) -> str:
    """Make the record id of an answer from its name, its identity, its content or its place.

    The content is used only for an answer with a time of its own: without one, equal greetings to
    two users would become one answer. Its fields are fixed, so that it is independent of the
    format, carrier and wrapper. The publish time of the message must not be set yet.
    """
    given = non_blank(answer.message.attributes.get("id"))
    if answer.answer_name:
        identity = Identity(kind="name", value=answer.answer_name)
    elif identity and non_blank(identity.value):
        pass
    elif given:
        identity = Identity(kind="attribute", value=given)
    elif answer.event_time_us is not None:
        facts = [fact.text for fact in answer.facts]
        own = (answer.answer_text, answer.query or "", facts, answer.session or "")
        digest = sha256(msgspec.msgpack.encode((*own, answer.event_time_us))).hexdigest()
        identity = Identity(kind=f"content {_CONTENT_VERSION}", value=digest)
    else:
        identity = Identity(kind="place", value=answer.message.answer_place)
    if is_incomplete(answer):
        return record_id(identity, "incomplete")
    return record_id(identity, "failed" if answer.state == "FAILED" else "")


def record_id(identity: Identity, state: Literal["", "incomplete", "failed"] = "") -> str:
    """Hash the identity of an answer, with its state if it is not finished, to 64 hex digits.

    The finished answer may come later under the same name, and must have another id. Identities of
    different kinds never collide.
    """
    # Only the value may hold any character, so it stands last.
    named = f"{identity.kind}\0{state}\0{identity.value}"
    return sha256(named.encode("utf-8", "surrogatepass")).hexdigest()


def non_blank(text: str | None) -> str | None:
    """Return a text, or None if it is empty or only white space."""
    return text if text and not text.isspace() else None
