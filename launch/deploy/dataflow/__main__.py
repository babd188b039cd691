"""The program of the Flex Templates: its flags are the parameters. It submits the pipeline."""

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence

from groundwatch.launch.backfill.remote_run import archives_of, submit
from groundwatch.launch.backfill.start_job import prepare
from groundwatch.launch.cli.commands import all_commands
from groundwatch.launch.cli.placement import beam_flag_names
from groundwatch.launch.deploy.dataflow.streaming import stream
from groundwatch.pipeline.settings.definition import Setting, accepted_settings
from groundwatch.pipeline.settings.load import UsageError
from groundwatch.pipeline.sinks.sink import archive_sink

_log = logging.getLogger(__name__)


def start(arguments: Sequence[str]) -> int:
    """Start the job that the parameters describe: a stream if they name a subscription."""
    is_stream = any(argument.partition("=")[0] == "--subscription" for argument in arguments)
    commands = all_commands()
    command = commands["watch"].variant(["--runner"]) if is_stream else commands["backfill"]
    known = {f"--{field.name}": field for field in accepted_settings(command.settings)}
    loaded = command.load([*_flags(arguments, known)])
    if is_stream:
        return stream(loaded)
    config, _ = prepare(loaded, "input", loaded.settings.input.input)
    return submit(config, archives_of(config), archive_sink(config))


def _flags(arguments: Sequence[str], known: Mapping[str, Setting]) -> Iterator[str]:
    """Drop what neither groundwatch nor Beam knows: flags of a launcher that is newer than Beam."""
    names = {*known, *(f"--{name}" for name in beam_flag_names())}
    for argument in arguments:
        if argument.partition("=")[0] in names:
            yield from command_flags(argument, known)
        else:
            _log.warning("ignoring the launcher's %s", argument.partition("=")[0])


def command_flags(argument: str, known: Mapping[str, Setting]) -> Iterator[str]:
    """Write a parameter as flags of the command, one for each of its values."""
    flag, equals, value = argument.partition("=")
    field = known.get(flag)
    if field is None or not equals:
        yield argument
    elif value:
        yield from (f"{flag}={each}" for each in field.split(value))


if __name__ == "__main__":
    # Before Beam sets up a log of its own.
    logging.basicConfig(level=logging.INFO)
    try:
        sys.exit(start(sys.argv[1:]))
    except UsageError as error:
        sys.exit("".join(f"groundwatch: {problem}\n" for problem in error.problems))
