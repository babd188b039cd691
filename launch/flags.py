"""Reading a command line: all its faults at once, each with what to do."""

import argparse
import difflib
from collections.abc import Iterator, Sequence
from itertools import chain, filterfalse, takewhile
from typing import Any

from pipeline.option import Option


class UsageError(Exception):
    """What is wrong with a command line.

    Attributes:
      problems: one sentence each, at least one.
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
    given, others = _parser(options).parse_known_args(arguments)
    problems: list[str] = []
    values = {
        option.name: _value(option, getattr(given, option.name), problems) for option in options
    }
    return values, others, problems


def read_all_flags(
    arguments: Sequence[str], options: Sequence[Option]
) -> tuple[dict[str, Any], list[str]]:
    """Read the flags of a command that knows no others.

    Args:
      arguments: what stands behind the command.
      options: the flags it knows.

    Returns:
      The values by option name, defaults filled in; and the problems found.
    """
    values, others, problems = read_flags(arguments, options)
    return values, problems + describe_unknown(others, [option.name for option in options])


def split_folder(
    arguments: Sequence[str], options: Sequence[Option]
) -> tuple[str | None, list[str]]:
    """Take the folder out of a command line: the first text that no flag takes as its value.

    Args:
      arguments: what stands behind the command.
      options: the flags it knows.

    Returns:
      The folder, None if there is none; and the other arguments.
    """
    taking = {f"--{option.name}" for option in options if not option.is_switch}
    before = ("", *arguments)
    for place, (argument, previous) in enumerate(zip(arguments, before, strict=False)):
        if not argument.startswith("-") and previous not in taking:
            return argument, [*arguments[:place], *arguments[place + 1 :]]
    return None, list(arguments)


def describe_unknown(arguments: Sequence[str], known: Sequence[str]) -> list[str]:
    """Say which arguments are unknown, and which known flag is nearest to each.

    Args:
      arguments: what no flag took; a value behind an unknown flag is no problem of its own.
      known: the names of the known flags.

    Returns:
      The problems, one sentence each.
    """
    strays = takewhile(_is_no_flag, arguments)
    flags = (argument.partition("=")[0] for argument in filterfalse(_is_no_flag, arguments))
    return [
        *(f"{stray!r} stands behind no flag" for stray in strays),
        *(f"{flag} is unknown{_hint(flag, known)}" for flag in flags),
    ]


def _is_no_flag(argument: str) -> bool:
    return not argument.startswith("-")


def _hint(flag: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(flag.lstrip("-").replace("-", "_"), known, n=1)
    return f"; did you mean --{near[0]}?" if near else ""


def help_lines(options: Sequence[Option]) -> Iterator[str]:
    """Describe each flag with its default."""
    for option in options:
        default = "" if option.default in (None, False, ()) else f" (default {_shown(option)})"
        need = " (required)" if option.is_required else ""
        yield f"  --{option.name}{need}\n      {option.meaning}{default}"


def _parser(options: Sequence[Option]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for option in options:
        # Any number of values, since argparse would stop at the first wrong one.
        parser.add_argument(f"--{option.name}", action="append", nargs="*", default=[])
    return parser


def _value(option: Option, given: Sequence[Sequence[str]], problems: list[str]) -> Any:
    """Read what was given for one option; of a repeated single value the last counts.

    Args:
      option: the option.
      given: the texts behind the flag, for each time that it stands there.
      problems: what is wrong is added to it.
    """
    if option.is_required and not given:
        problems.append(f"--{option.name} is missing: {option.meaning}")
    problems += [fault for texts in given for fault in _miscounted(option, texts)]
    if option.is_switch:
        return bool(given)
    read = [value for text in chain(*given) for value in _read(option, text, problems)]
    if option.takes_many:
        problems += _too_many(option, read)
        return tuple(read) or option.default or ()
    return read[-1] if read else option.default


def _miscounted(option: Option, texts: Sequence[str]) -> Iterator[str]:
    if option.is_switch and texts:
        yield f"--{option.name} takes no value, but {texts[0]!r} stands behind it"
    elif not option.is_switch and not texts:
        yield f"--{option.name} needs a value: {option.meaning}"
    elif not option.takes_many and len(texts) > 1:
        yield f"--{option.name} takes one value, but {texts[1]!r} stands behind it, too"


def _too_many(option: Option, values: Sequence[Any]) -> Iterator[str]:
    if option.at_most is not None and len(values) > option.at_most:
        yield f"--{option.name} takes at most {option.at_most} values, not {len(values)}"


def _read(option: Option, text: str, problems: list[str]) -> Iterator[Any]:
    try:
        yield option.read(text)
    except ValueError as error:
        problems.append(f"--{option.name} {text or repr(text)}: {error}")


def _shown(option: Option) -> str:
    return " ".join(option.default) if option.takes_many else str(option.default)
