"""`groundwatch watch --runner DataflowRunner`: the subscription as a streaming job."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from apache_beam.io.gcp.pubsub import parse_subscription, parse_topic
from apache_beam.options.pipeline_options import PipelineOptions
from msgspec.structs import replace

from launch.beam_flags import read_job_flags
from launch.command_help import wants_help, write_help
from launch.dataflow.submitting import submit
from launch.flags import UsageError
from launch.inputs.paths import try_output
from launch.start import BEAM_HELP
from launch.workers import is_on_dataflow, is_on_this_machine, quota_problems, worker_count
from pipeline import check_options, options, storage, watch_options
from pipeline.config import Config, config_from
from pipeline.option import Option, whole
from pipeline.sinks.destination import Destination, Windows
from pipeline.sinks.sink import StreamSink
from pipeline.sources.read_subscription import ReadSubscription
from transforms.grounding.settings import OutagePolicy
from transforms.persistence.seen_ids import SEEN_FOR_S

_HOUR_S = 3600
_RUN = "watch"
_NEVER_S = 1e9
_FROM_WATCH = ("alert_topic", "failure_topic", "file_age_s", "dedupe_h")
_NOT_HERE = {
    "segment_messages": 1,
    "salvage": False,
    "max_calls": None,
    "max_cost": None,
    "price_per_1k_chars": None,
    "give_up_after_s": _NEVER_S,
}
"""What a backfill is told and a streaming job is not."""

_STREAM = (
    Option(
        name="id_label",
        meaning="attribute that names a message: one of the same name that is published within ten"
        " minutes is dropped by Dataflow, and counted nowhere",
    ),
    Option(
        name="shards",
        meaning="files over which the records of a window and date are spread; one holds some 250"
        " records a second",
        read=whole,
        default=Windows().shards,
    ),
)


def stream_options() -> tuple[Option, ...]:
    """All flags of a streaming job."""
    known = (
        watch_options.SUBSCRIPTION,
        *options.FORMAT,
        options.SAMPLE,
        *options.OUTPUT,
        *(option for option in options.LOCAL if option.name == "workers"),
        *(option for option in watch_options.WATCH if option.name in _FROM_WATCH),
        *_STREAM,
        *check_options.CHECK,
        *options.VERDICTS,
        *options.ALERTS,
    )
    return tuple(_for_streaming(option) for option in known if option.name not in _NOT_HERE)


def _for_streaming(option: Option) -> Option:
    if option.name == "dedupe_h":
        return replace(option, default=SEEN_FOR_S / _HOUR_S)
    if option.name == "run_id":
        meaning = "begins every output file's name, before the time at which the job was started"
        return replace(option, meaning=meaning, default=_RUN)
    return option


def start_streaming(arguments: Sequence[str]) -> int:
    """Read the command line, and start a streaming job if nothing is wrong with it.

    Args:
      arguments: what stands behind the command.

    Returns:
      0 started, 1 not.

    Raises:
      UsageError: the flags make no sense, or name what is not there.
    """
    known = stream_options()
    if wants_help(arguments):
        return write_help("watch", known, BEAM_HELP)
    values, beam_options, problems = read_job_flags(arguments, known, _NOT_HERE)
    workers = worker_count(beam_options, values["workers"])
    problems += _problems(values, workers, beam_options)
    output = values["output"]
    if output and not storage.is_local(output):
        try_output(Destination(root=output, run=_RUN), problems)
    if problems:
        raise UsageError(problems)
    config = stream_config(values, workers or 1, time.time())
    source = ReadSubscription(values["subscription"], values["id_label"])
    return submit(config, source, stream_sink(config, values), beam_options)


def _problems(
    values: Mapping[str, Any], workers: int, beam_options: PipelineOptions
) -> Iterator[str]:
    if not (is_on_this_machine(beam_options) or is_on_dataflow(beam_options)):
        yield "--runner: a stream runs on DataflowRunner, or on this machine without the flag"
    yield from quota_problems(values, workers)
    if values["output"] and storage.is_local(values["output"]):
        yield f"--output {values['output']}: must begin with gs://, where every machine can write"
    parsers = {
        "subscription": parse_subscription,
        "alert_topic": parse_topic,
        "failure_topic": parse_topic,
    }
    for name, parse in parsers.items():
        if values[name]:
            yield from _parsing_problems(name, values[name], parse)


def _parsing_problems(name: str, value: str, parse: Callable[[str], object]) -> Iterator[str]:
    """Say what Beam would raise of a name while the pipeline is built."""
    try:
        parse(value)
    except ValueError as error:
        yield f"--{name} {value}: {error}"


def stream_config(values: Mapping[str, Any], workers: int, now_s: float) -> Config:
    """Sort the values of the options into a configuration.

    Args:
      values: by option name, read and valid.
      workers: how many processes share the quota.
      now_s: seconds since 1970 UTC; part of the run's id, so that no job replaces the files of
        another.

    Returns:
      The settings of a streaming job.
    """
    started = datetime.fromtimestamp(now_s, UTC).strftime("%Y%m%dT%H%M%SZ")
    run = f"{values['run_id']}-{started}"
    config = config_from(values, (), run, None, workers, replays=False)
    return replace(
        config,
        seen_for_s=round(values["dedupe_h"] * _HOUR_S),
        check=replace(config.check, outage=OutagePolicy.REDELIVER),
    )


def stream_sink(config: Config, values: Mapping[str, Any]) -> StreamSink:
    """Choose where a streaming job writes.

    Args:
      config: the job's settings.
      values: by option name, read and valid.
    """
    windows = Windows(width_s=round(values["file_age_s"]) or 1, shards=values["shards"])
    return StreamSink(config, windows, values["alert_topic"], values["failure_topic"])
