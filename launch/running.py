"""Running the pipeline once, on many machines, from a frozen configuration to a summary."""

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from msgspec.structs import replace

from launch.local.resolved_failures import move_replayed, replayed_from
from launch.local.run_counts import counts_from
from launch.local.run_summary import summary_of
from launch.remote_job import run_job
from pipeline import storage
from pipeline.build import build_pipeline
from pipeline.settings.config import Config
from pipeline.sinks.manifest import check_manifest
from pipeline.sinks.row_formats import row_formats
from pipeline.sinks.sink import ArchiveSink
from pipeline.sinks.summary_file import refuse_other_source, remove_summary, write_summary
from pipeline.sources.read_archives import ReadArchives
from pipeline.storage.output_lock import LOCK_WAIT_S, lock_output
from schemas.summary import Summary
from transforms.runtime import clock


def run_pipeline(
    config: Config, options: PipelineOptions, price_per_1k_chars: float | None
) -> Summary:
    """Run the pipeline to its end and write `summary.json`.

    Args:
      config: the run's settings.
      options: Beam's own, naming a runner.
      price_per_1k_chars: what 1,000 checked characters cost, None if unknown.

    Returns:
      The summary as written.

    Raises:
      JobFailed: the runner could not carry it out.
      LockTaken: another process runs it already.
      OtherSource: a run of the same id, over other input, has written to the output folder.
      Exception: whatever else ended the run early.
    """
    with lock_output(config.lock, LOCK_WAIT_S):
        refuse_other_source(config.destination, config.source)
        return _run(config, options, price_per_1k_chars)


def _run(config: Config, options: PipelineOptions, price_per_1k_chars: float | None) -> Summary:
    started_at_us = clock.now_us()
    destination = config.destination
    remove_summary(destination)
    pipeline = beam.Pipeline(options=options)
    build_pipeline(pipeline, archives_of(config), ArchiveSink(config), config)
    try:
        result = run_job(pipeline)
        summary = summary_of(
            config,
            counts_from(result),
            _rows_written(config),
            started_at_us=started_at_us,
            price_per_1k_chars=price_per_1k_chars,
        )
        if config.replays and not summary.damaged_archives:
            summary = replace(summary, replayed=replayed_from(config.inputs, config.output))
        write_summary(destination, summary)
        if summary.replayed:
            move_replayed(config.output, summary.replayed)
    finally:
        # A rerun writes its files anew, and a full disk is no place to leave a mess on.
        storage.remove_folder(destination.temporary_folder)
    return summary


def _rows_written(config: Config) -> dict[str, int]:
    """Count the rows in the run's files, by kind, while the files are held to their manifest."""
    return {
        row_format.kind: check_manifest(config.destination, row_format)
        for row_format in row_formats(config)
    }


def archives_of(config: Config) -> ReadArchives:
    """Choose what a bounded run on an engine reads."""
    return ReadArchives(config.inputs, are_failures=config.replays, salvage=config.salvage)
