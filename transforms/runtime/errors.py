"""What errors say, and that of a process that cannot work; it is imported at every start."""


class InvalidEnvironment(Exception):
    """A variable, or a module that the user names, cannot be used here; the message says why."""


def type_name(value: object) -> str:
    """Name the type of a value in a sentence."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'AEIOaeio' else 'a'} {name}"
