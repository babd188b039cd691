"""How groundwatch is run: the command line and what stands behind each command."""

import atexit
import ctypes
import gc
import logging
import os
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

# Otherwise gRPC writes to stderr when a connection ends. It reads this when it is imported.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
# Python's own thresholds (700, 10, 10) spend an eighth of the processor time, of imports as of
# checks, and find hardly a cycle.
gc.set_threshold(50_000, 20, 100)
_M_ARENA_MAX = -8  # of malloc.h
# glibc gives each thread a heap of its own, and what a thread has freed stays there: 40 MB of 280
# in a backfill. Without glibc there is no such function, or no such limit.
with suppress(AttributeError, OSError, TypeError):
    ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
# At its end Python looks for garbage in all that Beam imports, which takes half a second.
atexit.register(gc.freeze)


def _is_needed(record: logging.LogRecord) -> bool:
    """Return whether a line without a logger's name may be logged.

    Beam copies a runner's log, and reports as a fault that it was installed without its extra gcp.
    """
    return record.module != "portable_runner" and "apitools not found" not in str(record.msg)


# In each process, before Beam is imported.
logging.getLogger().addFilter(_is_needed)


def _find_shadowed() -> str | None:
    """Return the path of a package that hides one of groundwatch's, such as your own `schemas`."""
    folder = Path(__file__).parents[1]
    for name in ("schemas", "transforms", "pipeline"):
        spec = find_spec(name)
        if spec and spec.origin and Path(spec.origin).parents[1] != folder:
            return spec.origin
    return None


if _hiding := _find_shadowed():
    raise SystemExit(
        f"groundwatch: {_hiding} hides groundwatch's package of the same name: start in another"
        " folder, remove that one from PYTHONPATH, or rename it."
    )

__version__ = "2.0.0"
