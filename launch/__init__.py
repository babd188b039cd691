"""How groundwatch is run: the command line and what stands behind each command."""

import atexit
import ctypes
import gc
import logging
import os
from contextlib import suppress

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
# Beam copies a runner's log to the root logger. In each process, before Beam is imported.
logging.getLogger().addFilter(lambda record: record.module != "portable_runner")
