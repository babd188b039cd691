"""`groundwatch serve-checker`: the embedded checker over HTTP."""

from collections.abc import Sequence

from launch.checker_server.server import serve
from launch.command_help import wants_help, write_help
from launch.flags import UsageError, read_all_flags
from launch.terminal.exit_status import DONE, fail
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
    values, problems = read_all_flags(arguments, OPTIONS)
    if problems:
        raise UsageError(problems)
    try:
        serve(values["port"], values["host"], values["scorer"])
    except (OSError, Misconfigured) as error:
        reason = getattr(error, "strerror", None) or error
        return fail(f"the checker cannot be served: {reason}")
    return DONE
