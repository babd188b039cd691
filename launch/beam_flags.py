"""Beam's own flags, which pass through; Beam itself would swallow a mistyped one."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence

from apache_beam.options.pipeline_options import PipelineOptions

from launch.flags import describe_unknown


def read_beam_flags(
    arguments: Sequence[str], own_flags: Sequence[str]
) -> tuple[PipelineOptions, list[str]]:
    """Read what is left of a command line as Beam's options.

    Args:
      arguments: what is none of the command's own flags.
      own_flags: the command's own flags, which a mistyped one may have meant.

    Returns:
      The options; and a problem for each argument that is no flag of Beam either.
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False, conflict_handler="resolve")
    for options in _all_subclasses(PipelineOptions):
        options._add_argparse_args(parser)  # noqa: SLF001 - how Beam collects its own flags
    _, unknown = parser.parse_known_args(list(arguments))
    known = [*own_flags, *(action.dest for action in parser._actions)]  # noqa: SLF001
    problems = describe_unknown(unknown, known)
    return PipelineOptions([] if problems else list(arguments)), problems


def _all_subclasses(options: type[PipelineOptions]) -> Iterator[type[PipelineOptions]]:
    for subclass in options.__subclasses__():
        yield subclass
        yield from _all_subclasses(subclass)
