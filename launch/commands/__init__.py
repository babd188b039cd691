"""The commands: each module defines `COMMAND`, the command of its name, and has no logic."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from launch.terminal.exit_status import DONE
from pipeline.settings.definition import Settings, settings_of
from pipeline.settings.load import Loaded, describe_unknown, flag_names, load
from pipeline.settings.reference import help_text
from schemas import Record


class Command(Record, frozen=True, kw_only=True):
    """Describe a command of the command line.

    Attributes:
      help: what it does, for the list of commands.
      run: the function that runs it, as ``module:function``. It takes a `Loaded`, returns the
        exit status, and may raise UsageError. Its module is imported only to run the command, since
        importing Beam takes a second.
      description: further sentences for its help.
      takes_beam_options: whether Beam's pipeline options pass through.
      variants: commands that run instead if the command line has a flag.
    """

    help: str
    settings: type[Settings]
    run: str
    description: str = ""
    takes_beam_options: bool = False
    variants: tuple[tuple[str, "Command"], ...] = ()

    def variant(self, arguments: Sequence[str]) -> "Command":
        """Choose the command that the arguments ask for."""
        names = {argument.partition("=")[0] for argument in arguments}
        return next((other for flag, other in self.variants if flag in names), self)

    @property
    def function(self) -> Callable[[Loaded[Any]], int]:
        """Import the function that runs the command."""
        module, _, name = self.run.partition(":")
        function: Callable[[Loaded[Any]], int] = getattr(import_module(module), name)
        return function

    def load(self, arguments: Sequence[str]) -> Loaded[Any]:
        """Load the settings of the command from its arguments, the environment and a file."""
        known = frozenset(
            setting.key
            for _, settings in documented_commands()
            for setting in settings_of(settings)
            if not setting.is_argument
        )
        loaded = load(self.settings, arguments, os.environ, known)
        if not self.takes_beam_options:
            loaded.problems += describe_unknown(loaded.others, flag_names(self.settings))
        return loaded


@cache
def all_commands() -> dict[str, Command]:
    """Find the commands, by name."""
    modules = [each.name for each in iter_modules(__path__) if not each.name.startswith("_")]
    return {name.replace("_", "-"): import_module(f"{__name__}.{name}").COMMAND for name in modules}


def run_command(name: str, arguments: Sequence[str]) -> int:
    """Run a command, or print its help.

    Raises:
      UsageError: the arguments, the environment or the file have problems.
    """
    command = all_commands()[name].variant(arguments)
    if {"--help", "-h"} & set(arguments):
        sys.stdout.writelines(_help(name, command))
        return DONE
    return command.function(command.load(arguments))


def documented_commands() -> Iterator[tuple[str, type[Settings]]]:
    """List the settings of each command and variant, by the command line that takes them."""
    for name, command in all_commands().items():
        yield f"`{name}`", command.settings
        yield from ((f"`{name} {flag}`", other.settings) for flag, other in command.variants)


def _help(name: str, command: Command) -> Iterator[str]:
    is_positional = any(each.note.is_positional for each in settings_of(command.settings))
    yield f"usage: groundwatch {name}{' DIR' if is_positional else ''} [--flag value ...]\n\n"
    yield f"{command.help[0].upper()}{command.help[1:]}.\n{command.description}\n"
    yield help_text(command.settings)
    if command.takes_beam_options:
        yield "\nFlags of Apache Beam's pipeline options pass through.\n"
