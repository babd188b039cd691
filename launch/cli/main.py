"""The command line: find the command, run it, and say what is wrong with its arguments."""

import io
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

from groundwatch import __version__
from groundwatch.pipeline.settings.load import UsageError, nearest_hint
from groundwatch.transforms.runtime.errors import InvalidEnvironment
from .commands import all_commands, run_command
from .terminal.exit_status import DONE, USAGE, fail

_GONE = {
    "status": "; use `groundwatch verify`, which prints the ledger",
    "probe": "; use `groundwatch evaluate --answers F --gold F`, which measures on your labels",
}
"""Commands of earlier versions, and what to use now."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, by default with the arguments of the process; return the exit status."""
    _open_closed_streams()
    _let_the_reader_end()
    status = _run(list(sys.argv[1:] if arguments is None else arguments))
    sys.stdout.flush()
    return status


def _run(arguments: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal may lack a character.
            stream.reconfigure(errors="replace")
    command, *rest = arguments or [""]
    if command == "help" and rest:
        command, rest = rest[0], ["--help"]
    if command in {"--help", "-h", "help", "--help-all"}:
        sys.stdout.write(_help())
        return DONE
    if command in {"--version", "-V", "version"}:
        sys.stdout.write(f"groundwatch {__version__}\n")
        return DONE
    # Before Beam is imported, which would set up a log of its own.
    _log_on_terminal()
    if command not in all_commands():
        complaint = f"unknown command {command!r}" if command else "a command is missing"
        hint = _GONE.get(command) or nearest_hint(command, all_commands()) or "."
        sys.stderr.write(f"groundwatch: {complaint}{hint}\n\n{_help()}")
        return USAGE
    try:
        return run_command(command, rest)
    except KeyboardInterrupt:
        return fail("interrupted")
    except (InvalidEnvironment, UsageError) as error:
        found = error.problems if isinstance(error, UsageError) else [str(error)]
        problems = "".join(f"  {problem}\n" for problem in found)
        sys.stderr.write(f"groundwatch {command} cannot start:\n{problems}")
        sys.stderr.write(f"`groundwatch {command} --help` lists the flags.\n")
        return USAGE


def _log_on_terminal() -> None:
    """Write warnings and errors to standard error, unless a log is set up already."""
    handler = logging.StreamHandler()
    handler.setFormatter(TerminalFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class TerminalFormatter(logging.Formatter):
    """Put before each message who says it: groundwatch, or the library, such as Beam."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record; of a library's its lines are joined to one."""
        name = record.name.partition(".")[0]
        message = super().format(record)
        is_whole = name == "groundwatch" or record.exc_info
        return f"{name}: {message if is_whole else ' '.join(message.split())}"


def _open_closed_streams() -> None:
    """Open what the caller has closed, such as cron and ``2>&-``, as a device that keeps nothing.

    Else the next file that is opened, a database perhaps, would get what is written to them.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The lowest number that is free: its own.
            os.open(os.devnull, os.O_RDWR)
            stream = open(descriptor, "w" if descriptor else "r", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def _let_the_reader_end() -> None:
    """Let standard output drop what nobody reads: the exit status says what was decided."""
    stream = sys.stdout
    buffer = getattr(stream, "buffer", None)
    file = getattr(buffer, "raw", buffer)  # python -u has no buffer
    if isinstance(stream, io.TextIOWrapper) and isinstance(file, io.FileIO):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_OptionalReader(file)),
            encoding=stream.encoding,
            errors=stream.errors,
            line_buffering=stream.line_buffering or buffer is file,
        )


class _OptionalReader(io.RawIOBase):
    """A file that drops what is written after its reader, as `head`, has ended, or an error."""

    def __init__(self, file: io.FileIO) -> None:
        self._file = file
        self._is_lost = False

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._file.isatty()

    def fileno(self) -> int:
        return self._file.fileno()

    def write(self, data: Any) -> int | None:
        try:
            return len(data) if self._is_lost else self._file.write(data)
        except BrokenPipeError:
            self._is_lost = True
            return len(data)
        except OSError as error:
            self._is_lost = True
            raise SystemExit(fail(f"standard output cannot be written: {error}")) from None


def _help() -> str:
    width = max(map(len, all_commands()))
    commands = all_commands().items()
    lines = [f"  {name:<{width}}  {each.help.splitlines()[0]}\n" for name, each in commands]
    return (
        "usage: groundwatch COMMAND [--flag value ...]\n\n"
        "Find out whether your chatbots' answers are supported by their sources.\n\n"
        f"{''.join(lines)}\n`groundwatch COMMAND --help` lists a command's flags. Begin with\n"
        "`groundwatch demo`.\n"
    )
