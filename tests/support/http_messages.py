"""A request that a local server has got, and its reply."""

import threading
from typing import Any, NamedTuple

import msgspec


class Received(NamedTuple):
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class Reply(NamedTuple):
    """What the server answers; `wait_for` delays it until an event is set."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = {}
    wait_for: threading.Event | None = None
