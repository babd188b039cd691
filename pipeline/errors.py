"""Errors of a run that a person can do something about, and those that a step raises."""

import re

_WRAPPED = re.compile(r" \[while running '.*'\]$", re.DOTALL)


class RunFailed(Exception):
    """A run cannot start or go on; the message says why, and holds no text of an answer."""


class LockFailed(RunFailed):
    """Another process holds a lock, or a lock was not renewed in time."""


def cause_of(error: BaseException) -> BaseException:
    """Return the exception that a step raised, which Beam wraps, or an interrupt before it."""
    context: BaseException | None = error
    while context is not None:
        if isinstance(context, KeyboardInterrupt):
            return context
        context = context.__context__
    while error.__context__ is not None and _WRAPPED.search(str(error)):
        error = error.__context__
    return error
