"""The program of the Flex Templates: a template's parameters are a command's flags.

A launcher on Google's side starts it with ``--name=value`` for each parameter, and with Beam's own
flags. It hands the pipeline over and ends.
"""

import logging
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from apache_beam.options.pipeline_options import PipelineOptions

from launch.beam_flags import beam_flag_names
from launch.dataflow.streaming import start_streaming, stream_options
from launch.dataflow.submitting import submit
from launch.running import archives_of
from launch.start import options_from, start_main_job
from pipeline import options
from pipeline.config import Config
from pipeline.option import Option
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
      UsageError: the parameters make no sense, or name what is not there.
    """
    if any(argument.partition("=")[0] == _SUBSCRIPTION for argument in arguments):
        return start_streaming(_flags(arguments, stream_options()))
    flags = _flags(arguments, options_from(options.INPUT))
    return start_main_job("backfill", options.INPUT, flags, run=_submit_backfill)


def _flags(arguments: Sequence[str], known: Sequence[Option]) -> list[str]:
    """Spell as a command line what groundwatch or Beam knows.

    Dataflow has held the parameters against the template's metadata; what is still unknown is of a
    launcher newer than Beam, and no reason not to start.
    """
    names = {*(option.name for option in known), *beam_flag_names()}
    for argument in arguments:
        if not _is_known(argument, names):
            _log.warning("the launcher's %s is left out", argument.partition("=")[0])
    return command_flags([each for each in arguments if _is_known(each, names)], known)


def _is_known(argument: str, names: Collection[str]) -> bool:
    return argument.startswith("--") and argument.partition("=")[0].lstrip("-") in names


def _submit_backfill(config: Config, beam_options: PipelineOptions, *_: Any, **__: Any) -> int:
    return submit(config, archives_of(config), ArchiveSink(config), beam_options)


def command_flags(arguments: Sequence[str], known: Sequence[Option]) -> list[str]:
    """Spell parameters as a command line does.

    Args:
      arguments: each ``--name=value``; several values are parted by white space, and a switch is
        ``true`` or ``false``.
      known: the command's own flags; any other stays as it is.
    """
    by_flag = {f"--{option.name}": option for option in known}
    return [flag for argument in arguments for flag in _command_flag(argument, by_flag)]


def _command_flag(argument: str, by_flag: dict[str, Option]) -> Iterator[str]:
    flag, equals, value = argument.partition("=")
    option = by_flag.get(flag)
    if option is None or not equals:
        yield argument
    elif option.is_switch:
        yield from [flag] if value.lower() == "true" else []
    elif value:
        yield flag
        yield from value.split() if option.takes_many else [value]
