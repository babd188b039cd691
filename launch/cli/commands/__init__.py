"""The commands: each module has the settings of the command of its name, and defines `COMMAND`."""

import os
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from msgspec.structs import replace

from groundwatch.launch.cli.placement import beam_flag_names
from groundwatch.launch.cli.terminal.exit_status import DONE
from groundwatch.pipeline.settings.definition import (
    Setting,
    Settings,
    accepted_settings,
    settings_of,
)
from groundwatch.pipeline.settings.load import (
    CommonSettings,
    Loaded,
    describe_unknown,
    flag_names,
    load,
)
from groundwatch.schemas import Record

_CREDENTIALS_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"
_REMOVED = {
    "estimate_from": "`estimate` reads the whole input",
    **dict.fromkeys(("facts", "cases", "fail_below"), "`probe` was removed in 2.2.0"),
}
"""Settings of earlier versions, which files and the environment may still hold, and why none is."""

# It fits a terminal of 80 columns.
_HELP_WIDTH = 79
# A longer list is cut to the main settings, unless with --help-all.
_MOST_FLAGS = 12
_MAIN_SETTINGS = frozenset(
    {
        *("input", "input_format", "map", "failures", "answers", "gold"),
        *("answer", "fact", "fact_file", "query", "format", "json", "evaluation_output"),
        *("subscription", "listen", "listen_key", "alert_topic", "failure_topic"),
        *("file_age_s", "pubsub_address", "health_address"),
        *("output", "run_id", "text", "work_folder", "workers", "sample", "config"),
        *("again", "fail_above", "escalate"),
        *("checker", "scorer", "project", "location", "max_in_flight", "requests_per_minute"),
        *("price_per_1k_chars", "max_calls", "max_cost"),
        *("low_grounded_threshold", "claim_threshold", "alert_verdicts"),
        *("alert_webhook", "test_alert"),
    }
)


class Command(Record, frozen=True, kw_only=True):
    """A command of the command line.

    Attributes:
      settings: its settings; Beam's pipeline options pass through where they have a `job`.
      run: the function that runs it, as ``module:function``, imported only then. It takes a
        `Loaded`, returns the exit status, and may raise UsageError.
      help: one sentence, and more below it; by default the docstring of its module.
      examples: command lines that a user would type, without `groundwatch` and the command.
      find_inherited: the function that finds settings of an earlier run, likewise (see `load`).
      variants: commands that run instead if the command line has a flag.
    """

    settings: type[Settings]
    run: str
    help: str = ""
    examples: tuple[str, ...] = ()
    find_inherited: str = ""
    variants: tuple[tuple[str, "Command"], ...] = ()

    @property
    def takes_beam_options(self) -> bool:
        return "job" in self.settings.__struct_fields__

    def variant(self, arguments: Sequence[str]) -> "Command":
        """Choose the command that the arguments ask for."""
        names = {argument.partition("=")[0] for argument in arguments}
        return next((other for flag, other in self.variants if flag in names), self)

    def load(self, arguments: Sequence[str]) -> Loaded[Any]:
        settings = (each for _, taken in documented_commands() for each in accepted_settings(taken))
        known = {each.key for each in settings if not each.is_argument}
        find_inherited = imported(self.find_inherited) if self.find_inherited else None
        loaded = load(
            self.settings, arguments, os.environ, known, _REMOVED, find_inherited=find_inherited
        )
        beam_flags = beam_flag_names() if self.takes_beam_options else []
        names = [*flag_names(self.settings), *beam_flags, "help", "help-all"]
        loaded.problems += describe_unknown(loaded.others, names)
        if loaded.credentials_file:
            # So that the clients of buckets find it, in this process and those it starts.
            os.environ[_CREDENTIALS_VARIABLE] = str(Path(loaded.credentials_file).absolute())
        return loaded


def imported(place: str) -> Any:
    """Import what stands at a place such as ``module:function``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@cache
def all_commands() -> dict[str, Command]:
    """Find the commands, by name."""
    commands = {}
    for each in iter_modules(__path__):
        if not each.name.startswith("_"):
            module = import_module(f"{__name__}.{each.name}")
            help_ = module.COMMAND.help or module.__doc__
            commands[each.name.replace("_", "-")] = replace(module.COMMAND, help=help_)
    return commands


def run_command(name: str, arguments: Sequence[str]) -> int:
    """Run a command, or print its help; raise UsageError if its settings have problems."""
    command = all_commands()[name].variant(arguments)
    if {"--help", "-h", "--help-all"} & set(arguments):
        sys.stdout.writelines(_help(name, command, with_all="--help-all" in arguments))
        return DONE
    loaded = command.load(arguments)
    sys.stderr.writelines(f"groundwatch: {note}\n" for note in loaded.notes)
    run: Callable[[Loaded[Any]], int] = imported(command.run)
    return run(loaded)


def documented_commands() -> Iterator[tuple[str, type[Settings]]]:
    """List the settings of each command and variant, by the command line that takes them."""
    for name, command in all_commands().items():
        yield f"`{name}`", command.settings
        yield from ((f"`{name} {flag}`", other.settings) for flag, other in command.variants)


def _help(name: str, command: Command, *, with_all: bool) -> Iterator[str]:
    positional = (
        each.written if each.is_required else f"[{each.written}]"
        for each in settings_of(command.settings)
        if each.note.positional
    )
    yield f"usage: {' '.join(('groundwatch', name, *positional))} [--flag value ...]\n\n"
    for paragraph in command.help.strip().split("\n\n"):
        yield f"{textwrap.fill(paragraph, _HELP_WIDTH)}\n\n"
    yield "Examples:\n"
    yield from (f"{_example_text(f'groundwatch {name} {each}')}\n" for each in command.examples)
    yield "\n"
    flags = len(settings_of(command.settings))
    is_short = flags > _MOST_FLAGS and not with_all
    yield help_text(command.settings, _MAIN_SETTINGS if is_short else None)
    if is_short:
        yield f"\n`groundwatch {name} --help-all` lists all {flags} flags.\n"
    elif command.takes_beam_options:
        yield "\nFlags of Apache Beam's pipeline options pass through.\n"


def _example_text(command: str) -> str:
    """Break a long command before a flag, so that it can be copied."""
    unbroken = re.sub(r" (?!--)", "\0", command.rstrip())
    lines = textwrap.wrap(unbroken, _HELP_WIDTH - 6, break_long_words=False, break_on_hyphens=False)
    return "  " + " \\\n    ".join(lines).replace("\0", " ")


def help_text(settings: type[Settings], keys: Collection[str] | None = None) -> str:
    """Describe the flags of a command, or those of some settings, in groups."""
    fields = [
        field
        for field in (*settings_of(settings), *settings_of(CommonSettings))
        if keys is None or field.key in keys
    ]
    blocks = []
    for group, grouped in groupby(fields, key=lambda field: field.group):
        lines = [line for field in grouped for line in _flag_lines(field)]
        blocks.append("\n".join((f"{group}:", *lines, "")))
    return "\n".join(blocks)


def _flag_lines(field: Setting) -> Iterator[str]:
    """Write a flag, and below it its help with its range and default, if they say anything."""
    has_value = not (field.is_switch or field.note.positional)
    value = f" {field.kind.placeholder}" if has_value else ""
    many = " ..." if field.is_many else ""
    yield f"  {field.written}{value}{many}{' (required)' if field.is_required else ''}"
    text = field.help
    if field.kind.range not in {"", "above 0", "from 1"}:
        text += f" Range: {field.kind.range}."
    if field.default_text and (field.default or not field.is_switch):
        text += f" Default: {field.default_with_unit}."
    yield from textwrap.wrap(text, _HELP_WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)
