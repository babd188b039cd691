"""Errors of a run that a person can do something about."""


class RunFailed(Exception):
    """A run cannot start or go on; the message says why, and holds no text of an answer."""


class LockFailed(RunFailed):
    """Another process holds a lock, or a lock was not renewed in time."""
