"""Unwrap the exceptions of Beam."""


def cause_of(error: BaseException) -> BaseException:
    """Return the exception that a step raised; Beam wraps it, often in another class.

    An interrupt takes precedence over the errors that it causes.
    """
    context: BaseException | None = error
    while context is not None:
        if isinstance(context, KeyboardInterrupt):
            return context
        context = context.__context__
    while getattr(error, "_tagged_with_step", False) and error.__context__ is not None:
        error = error.__context__
    return error
