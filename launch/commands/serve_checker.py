"""`groundwatch serve-checker`: the embedded checker over HTTP."""

import sys
from collections.abc import Sequence

from launch.command_help import wants_help, write_help
from launch.flags import UsageError, describe_unknown, read_flags
from launch.serve_checker import serve
from pipeline.check_options import CHECK
from pipeline.option import Option
from transforms.grounding.errors import Misconfigured

_HIGHEST_PORT = 65_535


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _HIGHEST_PORT):
        raise ValueError("must be a port from 0 to 65535; 0 takes a free one")
    return int(text)


OPTIONS = (
    Option(name="port", meaning="TCP port; 0 takes a free one", read=_port, default=8080),
    Option(name="host", meaning="address to listen on", default="127.0.0.1"),
    next(option for option in CHECK if option.name == "scorer"),
)


def run(arguments: Sequence[str]) -> int:
    """Serve until SIGINT or SIGTERM.

    Raises:
      UsageError: the flags make no sense.
    """
    if wants_help(arguments):
        return write_help("serve-checker", OPTIONS)
    values, others, problems = read_flags(arguments, OPTIONS)
    problems += describe_unknown(others, [option.name for option in OPTIONS])
    if problems:
        raise UsageError(problems)
    try:
        serve(values["port"], values["host"], values["scorer"])
    except (OSError, Misconfigured) as error:
        reason = getattr(error, "strerror", None) or error
        sys.stderr.write(f"groundwatch serve-checker: {reason}\n")
        return 1
    return 0
