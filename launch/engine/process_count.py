"""Decide in how many processes, and in batches of which size, a run on this machine is divided."""

import multiprocessing
import sys

from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.transforms.grounding.settings import LOCAL, SMALL, CheckSettings
from groundwatch.transforms.runtime.processors import usable_memory, usable_processors

# A process takes 1.5 s to begin: as much as a tenth of these messages saves, and more.
_MESSAGES_BY_WORDS = 2_000
_MESSAGES_OF_A_MODEL = 200

_THREADS_OF_A_MODEL = 4
"""A model runs on threads. Of 84 ms of an answer 9 hold the interpreter's lock."""

_MEMORY_A_PROCESS = 400 * MEGABYTE
"""Also of the process that begins the others; with the model that comes along it is 340 MB."""

_BATCHES_A_PROCESS = 4
_FEWEST_MESSAGES = 500
_FEWEST_OF_DEAR_CHECKS = 20


def default_processes(check: CheckSettings, messages: int) -> int:
    """Return how many processes a run has on this machine unless its user says."""
    processors, memory = usable_processors(), usable_memory()
    count = useful_processes(check, messages, processors=processors, memory=memory)
    return count if count == 1 or _have_semaphores() else 1


def in_worker_processes(check: CheckSettings, count: int | None) -> CheckSettings:
    """Return the settings of a worker's check, with the processes that check by words, if any do.

    `count` is what its user says.
    """
    first = check.checkers[0]
    if not first.is_lexical:
        return check
    return check.in_processes(count or default_processes(first, messages=sys.maxsize))


def _have_semaphores() -> bool:
    """Return whether processes can wait for each other: not where /dev/shm is missing."""
    try:
        multiprocessing.Semaphore()
    except (ImportError, OSError):
        return False
    return True


def useful_processes(check: CheckSettings, messages: int, *, processors: int, memory: int) -> int:
    """Return how many processes pay off, at least 1.

    A process that waits for calls sends as many as its limits allow, and they are those of a run. A
    Python object and a model of the user's own may take any amount of memory.
    """
    are_known = (each.checker == LOCAL and each.scorer in (None, SMALL) for each in check.checkers)
    if not all(are_known):
        return 1
    busy, least = processors, _MESSAGES_BY_WORDS
    if check.scorer:
        busy = min(processors, check.max_in_flight) // _THREADS_OF_A_MODEL
        least = _MESSAGES_OF_A_MODEL
    return max(1, min(busy, messages // least, memory // _MEMORY_A_PROCESS))


def batch_size(check: CheckSettings, messages: int, processes: int, most: int) -> int:
    """Return the messages of a batch: some batches for each process, each worth its start."""
    if processes == 1:
        return most
    are_dear = any(one.scorer or one.is_object for one in check.checkers)
    fewest = _FEWEST_OF_DEAR_CHECKS if are_dear else _FEWEST_MESSAGES
    fair_share = -(-messages // (_BATCHES_A_PROCESS * processes))
    return min(most, max(fair_share, fewest))
