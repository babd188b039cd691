"""Reading a command line: all its faults at once, each with what to do."""

import argparse
import difflib
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from pipeline.option import Option

_SWITCH_ON = "true"


class UsageError(Exception):
    """What is wrong with a command line, one sentence each.

    Attributes:
      problems: at least one.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


def read_flags(
    arguments: Sequence[str], options: Sequence[Option]
) -> tuple[dict[str, Any], list[str], list[str]]:
    """Read a command's own flags.

    Args:
      arguments: what stands behind the command.
      options: the flags it knows.

    Returns:
      The values by option name, defaults filled in; the arguments that are none of its flags, in
      their order; and the problems found, none being no problem.
    """
    parser = _parser(options)
    texts, others = parser.parse_known_args(arguments)
    values: dict[str, Any] = {}
    problems: list[str] = []
    for option in options:
        given = getattr(texts, option.name)
        if option.is_required and not given:
            problems.append(f"--{option.name} is missing: {option.meaning}")
        values[option.name] = _value(option, given, problems)
    return values, others, problems


def describe_unknown(arguments: Sequence[str], known: Sequence[str]) -> list[str]:
    """Say which arguments are unknown, and which known flag is nearest to each.

    Args:
      arguments: what no flag took; a value behind an unknown flag is no problem of its own.
      known: the names of the known flags.

    Returns:
      The problems, one sentence each.
    """
    flags = [argument.partition("=")[0] for argument in arguments if argument.startswith("-")]
    if not flags:
        return [f"{argument!r} stands behind no flag" for argument in arguments]
    return [f"{flag} is unknown{_hint(flag, known)}" for flag in flags]


def _hint(flag: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(flag.lstrip("-").replace("-", "_"), known, n=1)
    return f"; did you mean --{near[0]}?" if near else ""


def help_lines(options: Sequence[Option]) -> Iterator[str]:
    """Describe each flag with its default."""
    for option in options:
        default = "" if option.default in (None, False, ()) else f" (default {_shown(option)})"
        yield f"  --{option.name}\n      {option.meaning}{default}"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError([message])


def _parser(options: Sequence[Option]) -> argparse.ArgumentParser:
    parser = _Parser(add_help=False, allow_abbrev=False)
    for option in options:
        flag = f"--{option.name}"
        if option.is_switch:
            parser.add_argument(flag, action="store_const", const=[_SWITCH_ON], default=[])
        elif option.takes_many:
            parser.add_argument(flag, action="extend", nargs="+", default=[])
        else:
            parser.add_argument(flag, action="append", default=[])
    return parser


def _value(option: Option, given: Sequence[str], problems: list[str]) -> Any:
    """Read what was given for one option; of a repeated single value the last counts."""
    if option.is_switch:
        return bool(given)
    read = []
    for text in given:
        try:
            read.append(option.read(text))
        except ValueError as error:
            problems.append(f"--{option.name} {text}: {error}")
    if option.takes_many:
        return tuple(read) or option.default or ()
    return read[-1] if read else option.default


def _shown(option: Option) -> str:
    return " ".join(option.default) if option.takes_many else str(option.default)
