"""Threads that are switched between any two bytecodes, so that a lost update shows."""

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

_THREADS = 4
_SHORTEST_S = 1e-6


def run_interleaved(work: Callable[[], object]) -> None:
    """Run a function in four threads at once, switched between bytecodes.

    Args:
      work: is called once in each thread; long enough that the threads overlap.
    """
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(_SHORTEST_S)
    threads = [
        threading.Thread(target=_run_traced, args=(work,), daemon=True) for _ in range(_THREADS)
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval_s)


def _run_traced(work: Callable[[], object]) -> None:
    sys.settrace(_trace_opcodes)
    try:
        work()
    finally:
        sys.settrace(None)


def _trace_opcodes(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG001 - the signature of a trace function
    """Python may switch threads whenever it calls this function."""
    frame.f_trace_opcodes = True
    return _trace_opcodes
