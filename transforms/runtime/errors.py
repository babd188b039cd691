"""The error of a process that cannot work where it runs; it is imported at every start."""


class InvalidEnvironment(Exception):
    """A variable, or a module that the user names, cannot be used here; the message says why."""
