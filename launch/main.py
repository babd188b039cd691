"""The command line: which command stands for what."""

import logging
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper

from launch import __version__
from launch.flags import UsageError
from launch.terminal.exit_status import DONE, USAGE

_COMMANDS = {
    "demo": "run the main job on the bundled sample answers, with no cloud",
    "backfill": "check an archive of answers",
    "estimate": "tell what a backfill would take, without a call",
    "replay": "check again what an earlier run could not",
    "watch": "check answers as they come from Pub/Sub, and alert",
    "status": "print what became of the messages that `watch` read",
    "verify": "compare the files of an output with its ledger, summary and manifest",
    "evaluate": "measure scores against what people said of the same answers",
    "report": "draw what a run found, as one HTML page",
    "serve-checker": "serve the embedded checker over HTTP",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
      arguments: the command and its flags; by default those of the process.

    Returns:
      The exit status: 0 done, 1 failed, 2 usage, 3 done with failures left for a replay.
    """
    _spare_narrow_terminals()
    command, *rest = list(sys.argv[1:] if arguments is None else arguments) or [""]
    if command in {"--help", "-h", "help"}:
        sys.stdout.write(_help())
        return DONE
    if command == "--version":
        sys.stdout.write(f"groundwatch {__version__}\n")
        return DONE
    # Before Beam is imported, which would set up a log of its own.
    logging.basicConfig(level=logging.WARNING, format="groundwatch: %(message)s")
    if command not in _COMMANDS:
        complaint = f"{command!r} is no command" if command else "a command is missing"
        sys.stderr.write(f"groundwatch: {complaint}.\n\n{_help()}")
        return USAGE
    try:
        return _run_of(command)(rest)
    except UsageError as error:
        problems = "".join(f"  {problem}\n" for problem in error.problems)
        sys.stderr.write(f"groundwatch {command} cannot start:\n{problems}")
        sys.stderr.write(f"`groundwatch {command} --help` lists the flags.\n")
        return USAGE


def _spare_narrow_terminals() -> None:
    """Write a question mark where a terminal has no such character, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _run_of(command: str) -> Callable[[Sequence[str]], int]:
    """Import a command when it is needed: Beam takes a second."""
    module = import_module(f"launch.commands.{command.replace('-', '_')}")
    run: Callable[[Sequence[str]], int] = module.run
    return run


def _help() -> str:
    width = max(map(len, _COMMANDS))
    lines = [f"  {name:<{width}}  {meaning}\n" for name, meaning in _COMMANDS.items()]
    return (
        "usage: groundwatch COMMAND [--flag value ...]\n\n"
        "Know whether your chatbots' answers are supported by their sources.\n\n"
        f"{''.join(lines)}\n`groundwatch COMMAND --help` lists a command's flags.\n"
    )
