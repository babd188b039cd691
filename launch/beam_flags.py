"""Beam's own flags, which pass through; Beam itself would swallow a mistyped one."""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions
from apache_beam.options.pipeline_options_validator import PipelineOptionsValidator
from apache_beam.runners.runner import create_runner

from launch.flags import UsageError, describe_unknown, read_flags
from pipeline.check_config import check_problems
from pipeline.config import text_problems
from pipeline.option import Option

_NONE: Mapping[str, Any] = MappingProxyType({})


def read_job_flags(
    arguments: Sequence[str], options: Sequence[Option], absent: Mapping[str, Any] = _NONE
) -> tuple[dict[str, Any], PipelineOptions, list[str]]:
    """Read the command line of a command that runs the pipeline: its own flags, and Beam's.

    Args:
      arguments: what stands behind the command.
      options: the command's own flags.
      absent: the values of options that the pipeline asks for and the command does not have.

    Returns:
      The values by option name, defaults filled in; Beam's options; and the problems found: with a
      flag, with an argument that is no flag of Beam either, with what a runner misses, and with
      options that contradict each other.
    """
    given, others, problems = read_flags(arguments, options)
    values = {**absent, **given}
    if values["project"]:
        # A flag of both: the project pays for the check and for the job.
        others.append(f"--project={values['project']}")
    unknown = _problems(others, [option.name for option in options])
    beam_options = PipelineOptions([] if unknown else others)
    problems += unknown or _runner_problems(beam_options)
    return values, beam_options, [*problems, *check_problems(values), *text_problems(values)]


def names_runner(arguments: Sequence[str]) -> bool:
    """Tell whether a command line names a runner, so that it is not for this machine."""
    return any(argument.partition("=")[0] == "--runner" for argument in arguments)


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
