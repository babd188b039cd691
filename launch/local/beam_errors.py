"""What a step raised, out of what Beam puts around it."""


def cause_of(error: BaseException) -> BaseException:
    """Find what a step raised: Beam puts an exception around it, often of another class.

    An interrupt goes before whatever it made fail.
    """
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, KeyboardInterrupt):
            return behind
        behind = behind.__context__
    while getattr(error, "_tagged_with_step", False) and error.__context__ is not None:
        error = error.__context__
    return error
