"""What a command is: its help, its settings, and the function that runs it."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from launch import commands
from launch.terminal.exit_status import DONE
from pipeline.settings.definition import Settings, settings_of
from pipeline.settings.load import Loaded, describe_unknown, flag_names, load
from pipeline.settings.reference import help_text
from schemas import Record


class Command(Record, frozen=True, kw_only=True):
    """A command, defined by `COMMAND` in a module of `launch.commands` that has its name.

    Attributes:
      help: what it does, for the list of commands.
      settings: the settings that it takes.
      run: the function that runs it, as ``module:function``. It takes a `Loaded`, returns the
        exit status, and may raise UsageError. Its module is imported only to run the command, since
        importing Beam takes a second.
      description: further sentences for its help.
      takes_beam_options: whether Beam's pipeline options pass through.
      variants: commands that run instead where an argument is given.
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


@cache
def all_commands() -> dict[str, Command]:
    """Find the commands, by name: one for each module of `launch.commands`."""
    names = [module.name for module in iter_modules(commands.__path__)]
    return {
        name.replace("_", "-"): import_module(f"{commands.__name__}.{name}").COMMAND
        for name in names
    }


def run_command(name: str, arguments: Sequence[str]) -> int:
    """Run a command, or print its help.

    Raises:
      UsageError: the arguments, the environment or the file have problems.
    """
    command = all_commands()[name].variant(arguments)
    if {"--help", "-h"} & set(arguments):
        sys.stdout.write(_help(name, command))
        return DONE
    return command.function(load_settings(command, arguments))


def load_settings(command: Command, arguments: Sequence[str]) -> Loaded[Any]:
    """Load the settings of a command."""
    loaded = load(command.settings, arguments, os.environ, _known_keys())
    if not command.takes_beam_options:
        loaded.problems += describe_unknown(loaded.others, flag_names(command.settings))
    return loaded


def documented_commands() -> list[tuple[str, type[Settings]]]:
    """List the settings of each command and variant, by the command line that takes them."""
    return [
        (f"`{name}{suffix}`", each.settings)
        for name, command in all_commands().items()
        for suffix, each in (
            ("", command),
            *((f" {flag}", other) for flag, other in command.variants),
        )
    ]


@cache
def _known_keys() -> frozenset[str]:
    settings = [each for _, each in documented_commands()]
    return frozenset(
        field.key for each in settings for field in settings_of(each) if not field.is_argument
    )


def _help(name: str, command: Command) -> str:
    folder = (
        " DIR" if any(each.note.is_positional for each in settings_of(command.settings)) else ""
    )
    description = f"{command.help[0].upper()}{command.help[1:]}.\n{command.description}"
    beam = "\nFlags of Apache Beam's pipeline options pass through.\n"
    return (
        f"usage: groundwatch {name}{folder} [--flag value ...]\n\n{description}\n"
        f"{help_text(command.settings)}{beam if command.takes_beam_options else ''}"
    )
