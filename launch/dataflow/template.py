"""The program of the Flex Templates: a template's parameters are a command's flags.

A launcher on Google's side starts it with ``--name=value`` for each parameter, and with Beam's own
flags. It submits the pipeline and ends.
"""

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from apache_beam.options.pipeline_options import PipelineOptions

from launch.command import all_commands, load_settings
from launch.dataflow.streaming import stream
from launch.dataflow.submitting import submit
from launch.job.beam_options import beam_flag_names
from launch.job.remote_run import archives_of
from launch.job.start import backfill
from pipeline.settings.config import Config
from pipeline.settings.definition import Setting, settings_of
from pipeline.sinks.sink import ArchiveSink

_SUBSCRIPTION = "--subscription"
_log = logging.getLogger(__name__)


def start(arguments: Sequence[str]) -> int:
    """Start the job that the parameters describe: a streaming one where they name a subscription.

    Args:
      arguments: each ``--name=value``.

    Returns:
      0 started, 1 not.

    Raises:
      UsageError: the parameters have problems.
    """
    is_stream = any(argument.partition("=")[0] == _SUBSCRIPTION for argument in arguments)
    command = all_commands()["watch" if is_stream else "backfill"].variant(
        ["--runner"] if is_stream else []
    )
    known = {f"--{field.name}": field for field in settings_of(command.settings)}
    invocation = load_settings(command, _known_flags(arguments, known))
    return stream(invocation) if is_stream else backfill(invocation, _submit_backfill)


def _submit_backfill(config: Config, beam_options: PipelineOptions, *_: Any, **__: Any) -> int:
    return submit(config, archives_of(config), ArchiveSink(config), beam_options)


def _known_flags(arguments: Sequence[str], known: dict[str, Setting]) -> list[str]:
    """Drop what neither groundwatch nor Beam knows.

    Dataflow checks parameters against the template's metadata; any other flag comes from a launcher
    that is newer than Beam.
    """
    names = {*known, *(f"--{name}" for name in beam_flag_names())}
    flags: list[str] = []
    for argument in arguments:
        if argument.partition("=")[0] in names:
            flags += command_flags(argument, known)
        else:
            _log.warning("ignoring the launcher's %s", argument.partition("=")[0])
    return flags


def command_flags(argument: str, known: dict[str, Setting]) -> Iterator[str]:
    """Write a parameter as flags.

    Args:
      argument: ``--name=value``; several values are separated by white space.
      known: the command's own flags; any other stays as it is.
    """
    flag, equals, value = argument.partition("=")
    field = known.get(flag)
    if field is None or not equals:
        yield argument
    elif value:
        yield from (f"{flag}={each}" for each in (value.split() if field.is_many else [value]))
