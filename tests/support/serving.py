"""A server that answers on a thread of its own while a block lasts."""

from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseServer
from threading import Thread

_POLL_S = 0.01
"""How soon the server sees that it is to end."""
_END_S = 60.0


@contextmanager
def serving(server: BaseServer) -> Iterator[None]:
    """Answer requests until the block ends, then close the server."""
    with server:
        thread = Thread(target=server.serve_forever, args=(_POLL_S,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join(_END_S)
