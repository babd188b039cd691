"""Beam's own flags, which pass through; Beam itself would swallow a mistyped one."""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions
from apache_beam.options.pipeline_options_validator import PipelineOptionsValidator
from apache_beam.runners.runner import create_runner

from launch.flags import UsageError, describe_unknown


def read_beam_flags(
    arguments: Sequence[str], own_flags: Sequence[str]
) -> tuple[PipelineOptions, list[str]]:
    """Read what is left of a command line as Beam's options.

    Args:
      arguments: what is none of the command's own flags.
      own_flags: the command's own flags, which a mistyped one may have meant.

    Returns:
      The options; and a problem for each argument that is no flag of Beam either, or else for
      each that the runner misses.
    """
    problems = _problems(arguments, own_flags)
    options = PipelineOptions([] if problems else list(arguments))
    return options, problems or _runner_problems(options)


def names_runner(arguments: Sequence[str]) -> bool:
    """Tell whether a command line names a runner, so that it is not for this machine."""
    return any(argument.partition("=")[0] == "--runner" for argument in arguments)


def shared_flags(values: Mapping[str, Any]) -> list[str]:
    """Repeat for Beam what is a flag of both: the project pays for the check and for the job."""
    return [f"--project={values['project']}"] if values["project"] else []


def beam_flag_names() -> list[str]:
    """List Beam's own flags, without their dashes."""
    return _names(_parser())


def _problems(arguments: Sequence[str], own_flags: Sequence[str]) -> list[str]:
    parser = _parser()
    try:
        _, unknown = parser.parse_known_args(list(arguments))
    except UsageError as error:
        return list(error.problems)
    return describe_unknown(unknown, [*own_flags, *_names(parser)])


def _parser() -> ArgumentParser:
    parser = _Parser(add_help=False, allow_abbrev=False, conflict_handler="resolve")
    for options in _all_subclasses(PipelineOptions):
        options._add_argparse_args(parser)  # noqa: SLF001 - how Beam collects its own flags
    return parser


def _names(parser: ArgumentParser) -> list[str]:
    actions = parser._actions  # noqa: SLF001 - argparse has no other way to ask
    return [flag.lstrip("-") for action in actions for flag in action.option_strings]


def _runner_problems(options: PipelineOptions) -> list[str]:
    name = options.view_as(StandardOptions).runner
    if name is None:
        return []
    try:
        runner = create_runner(name)
    except (ValueError, ImportError, AttributeError):
        return [f"--runner {name}: Beam has no such runner"]
    problems = PipelineOptionsValidator(options, runner).validate()
    return [f"--runner {name}: {problem}" for problem in problems]


class _Parser(ArgumentParser):
    """Argparse would print the usage of some hundred flags and leave."""

    def error(self, message: str) -> NoReturn:
        raise UsageError([message])


def _all_subclasses(options: type[PipelineOptions]) -> Iterator[type[PipelineOptions]]:
    for subclass in options.__subclasses__():
        yield subclass
        yield from _all_subclasses(subclass)
