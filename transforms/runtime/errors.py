"""The error of a process that cannot work where it runs; it is imported at every start."""


class InvalidEnvironment(Exception):
    """A variable of the environment cannot be used; the message names it, and what to do."""
