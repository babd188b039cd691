"""The record id: one name for an answer in live traffic, a backfill and a replay."""

from hashlib import sha256

import msgspec

from schemas.answer import Answer
from schemas.message import Message
from transforms.formats.reading import Identity

_NO_MESSAGE = Message(payload=b"", place="")


def record_id(identity: Identity, *, incomplete: bool = False) -> str:
    """SHA-256, as 64 hex digits, of what names an answer.

    Args:
      identity: kinds never collide.
      incomplete: whether the answer is unfinished; the finished one has another id.
    """
    state = "incomplete" if incomplete else ""
    # Only the value may hold any character at all, so it stands last.
    named = f"{identity.kind}\0{state}\0{identity.value}"
    return sha256(named.encode("utf-8", "surrogatepass")).hexdigest()


def content_identity(answer: Answer) -> Identity:
    """Name an answer by all that was read of it, whichever way its message spelt it."""
    content = msgspec.structs.replace(answer, message=_NO_MESSAGE, record_id="")
    encoded = msgspec.msgpack.encode(content, order="deterministic")
    return Identity(kind="content", value=sha256(encoded).hexdigest())
