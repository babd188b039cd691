"""`groundwatch watch --runner DataflowRunner`: the subscription as a streaming job."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

from apache_beam.io.gcp.pubsub import parse_subscription, parse_topic
from apache_beam.options.pipeline_options import PipelineOptions, TestOptions
from msgspec.structs import replace

from groundwatch.launch.backfill.remote_run import submit
from groundwatch.launch.cli.beam_options import (
    is_on_dataflow,
    is_on_this_machine,
    read_beam_options,
    worker_count,
)
from groundwatch.launch.cli.commands.watch import WatchStreamSettings
from groundwatch.launch.cli.paths import try_output
from groundwatch.launch.cli.placement import beam_arguments
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config, Destination, job_config
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.sinks.sink import stream_sink
from groundwatch.pipeline.sinks.write_windows import Windows
from groundwatch.pipeline.sources.read_subscription import ReadSubscription
from groundwatch.transforms.grounding.settings import OutagePolicy

_RUN = "watch"
_NEVER_S = 1e9
# Files of a window and date, one for each process or more: one takes some 250 records a second.
_FEWEST_SHARDS = 4


def stream(loaded: Loaded[WatchStreamSettings]) -> int:
    """Start a streaming job; return the exit status."""
    settings, problems = loaded.settings, loaded.problems
    beam_options = read_beam_options(loaded, beam_arguments(loaded, settings.job))
    workers = worker_count(beam_options, settings.job, problems)
    problems += _problems(settings, beam_options)
    output, pubsub = settings.job.output.output, settings.pubsub
    # A bucket that does not answer takes two minutes; a dry run starts nothing.
    if not problems and not beam_options.view_as(TestOptions).dry_run:
        try_output(Destination(root=output, run=_RUN), problems)
    loaded.raise_problems()
    config = stream_config(loaded, workers, time.time())
    windows = Windows(width_s=round(pubsub.file_age_s) or 1, shards=max(_FEWEST_SHARDS, workers))
    source = ReadSubscription(settings.source.subscription, settings.stream.id_label)
    topics = (pubsub.alert_topic, pubsub.failure_topic, pubsub.enriched_topic)
    return submit(config, source, stream_sink(config, windows, *topics))


def stream_config(loaded: Loaded[WatchStreamSettings], workers: int, now_s: float) -> Config:
    """Derive the configuration of a streaming job; its run id is unique by the time."""
    settings = loaded.settings
    started = datetime.fromtimestamp(now_s, UTC).strftime("%Y%m%dT%H%M%SZ")
    return job_config(
        settings.job,
        run=f"{settings.job.output.run_id or _RUN}-{started}",
        workers=workers,
        retries=replace(settings.job.retries.policy, give_up_after_s=_NEVER_S),
        outage=OutagePolicy.REDELIVER,
        seen_for_s=round(settings.stream.dedupe_h * 3600),
        beam_arguments=beam_arguments(loaded, settings.job),
    )


def _problems(settings: WatchStreamSettings, beam_options: PipelineOptions) -> Iterator[str]:
    if not (is_on_this_machine(beam_options) or is_on_dataflow(beam_options)):
        yield "--runner: a stream runs on DataflowRunner, or on this machine without the flag"
    output = settings.job.output.output
    if output and storage.is_local(output):
        yield f"--output {output}: must begin with gs://, where every machine can write"
    topics = settings.pubsub
    for name, value, parse in (
        ("subscription", settings.source.subscription, parse_subscription),
        ("alert_topic", topics.alert_topic, parse_topic),
        ("failure_topic", topics.failure_topic, parse_topic),
        ("enriched_topic", topics.enriched_topic, parse_topic),
    ):
        # Beam would raise this while the pipeline is built.
        if value:
            try:
                parse(value)
            except ValueError as error:
                yield f"--{name} {value}: {error}"
