"""A server that answers on a thread of its own while a block lasts."""

from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseServer
from threading import Thread
from typing import TypeVar

_POLL_S = 0.01
"""How soon the server sees that it is to end."""
_END_S = 60.0

_Server = TypeVar("_Server", bound=BaseServer)


@contextmanager
def serving(server: _Server) -> Iterator[_Server]:
    """Answer requests until the block ends, then close the server."""
    with server:
        thread = Thread(target=server.serve_forever, args=(_POLL_S,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(_END_S)
