"""Write what a signal handler has to say."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def written_beside(write: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Yield what a handler calls, once, to write on another thread; the block's end waits for it.

    A handler itself must not write: where it interrupts a write to the same stream, that raises.
    """
    thread = threading.Thread(target=write, daemon=True)
    try:
        yield thread.start
    finally:
        if thread.ident is not None:
            thread.join()
