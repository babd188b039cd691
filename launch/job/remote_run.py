"""Run the pipeline once on an engine, from its configuration to its summary."""

import re

import apache_beam as beam
import grpc
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.dataflow.dataflow_runner import DataflowRuntimeException
from apache_beam.runners.runner import PipelineResult, PipelineState
from google.api_core.exceptions import GoogleAPICallError
from google.auth.exceptions import GoogleAuthError
from msgspec.structs import replace

from launch.dataflow.submitting import job_page
from launch.local.resolved_failures import move_replayed, replayed_from
from launch.local.run_counts import counts_from
from launch.local.run_summary import summary_of
from pipeline import storage
from pipeline.build import build_pipeline
from pipeline.settings.config import Config
from pipeline.sinks.publication import check_manifest
from pipeline.sinks.row_formats import row_formats
from pipeline.sinks.sink import ArchiveSink
from pipeline.sinks.summary_file import refuse_other_source, remove_summary, write_summary
from pipeline.sources.read_archives import ReadArchives
from pipeline.storage.output_lock import LOCK_WAIT_S, lock_output
from schemas.summary import Summary
from transforms.runtime import clock

_OWN_ERROR = re.compile(
    r"^(?:transforms\.grounding\.errors\.\w+|OSError): (.+?)(?: \[while running .*)?$", re.MULTILINE
)
_ANY_ERROR = re.compile(r"\b\w+(?:Error|Exception)\b")


class JobFailed(Exception):
    """The runner reports that the job failed; the message holds no text of an answer."""


def run_remotely(
    config: Config, options: PipelineOptions, price_per_1k_chars: float | None
) -> Summary:
    """Run the pipeline to its end and write `summary.json`.

    Args:
      config: the run's settings.
      options: Beam's own, naming a runner.
      price_per_1k_chars: the price of 1,000 checked characters, None if unknown.

    Returns:
      The summary as written.

    Raises:
      JobFailed: the runner could not finish the job.
      LockTaken: another process runs it already.
      OtherSource: a run of the same id, over other input, has written to the output folder.
      Exception: a step failed.
    """
    with lock_output(config.lock, LOCK_WAIT_S):
        refuse_other_source(config.destination, config.source)
        return _run(config, options, price_per_1k_chars)


def archives_of(config: Config) -> ReadArchives:
    """Choose what a bounded run on an engine reads."""
    return ReadArchives(config.inputs, are_failures=config.replays, salvage=config.salvage)


def run_job(pipeline: beam.Pipeline) -> PipelineResult:
    """Run a pipeline on the runner that its options name, and wait for its end.

    Raises:
      JobFailed: it failed or was cancelled elsewhere, or no runner answers; the message says where
        to look.
      Exception: a step failed on a runner in this process.
    """
    try:
        result = pipeline.run()
        _wait(result, job_page(result, pipeline.options))
    except (GoogleAPICallError, GoogleAuthError) as error:
        raise JobFailed(f"the job could not be started: {error}") from None
    except grpc.FutureTimeoutError:
        raise JobFailed("no job server answers; is --job_endpoint right?") from None
    except grpc.RpcError as error:
        raise JobFailed(f"the job server has gone: {error.code().name}") from None
    except RuntimeError as error:
        if getattr(error, "_tagged_with_step", False):
            raise
        report = str(error)
        reason = _own_error(report) or f"{_error_name(report)}; its log has the rest"
        raise JobFailed(reason) from None
    return result


def _run(config: Config, options: PipelineOptions, price_per_1k_chars: float | None) -> Summary:
    started_at_us = clock.now_us()
    destination = config.destination
    remove_summary(destination)
    pipeline = beam.Pipeline(options=options)
    build_pipeline(pipeline, archives_of(config), ArchiveSink(config), config)
    try:
        result = run_job(pipeline)
        rows = {
            row_format.kind: check_manifest(destination, row_format)
            for row_format in row_formats(config)
        }
        summary = summary_of(
            config,
            counts_from(result),
            rows,
            started_at_us=started_at_us,
            price_per_1k_chars=price_per_1k_chars,
        )
        if config.replays and not summary.damaged_archives:
            summary = replace(summary, replayed=replayed_from(config.inputs, config.output))
        write_summary(destination, summary)
        if summary.replayed:
            move_replayed(config.output, summary.replayed)
    finally:
        # A rerun writes its files again, and a full disk needs the room.
        storage.remove_folder(destination.temporary_folder)
    return summary


def _wait(result: PipelineResult, page: str | None) -> None:
    """Wait for a job's end; `page` is its page on Dataflow, None on other runners."""
    try:
        state = result.wait_until_finish()
    except DataflowRuntimeException as error:
        reason = _own_error(str(error)) or _error_name(str(error))
        raise JobFailed(f"Dataflow ended the job as {result.state}: {reason}; see {page}") from None
    except (GoogleAPICallError, GoogleAuthError) as error:
        raise JobFailed(
            f"the job may still run, but its state is unknown: {error}; see {page}"
        ) from None
    except KeyboardInterrupt:
        if page is None:
            raise
        raise JobFailed(f"interrupted here, but the job continues; see {page}") from None
    if state != PipelineState.DONE:
        raise JobFailed(f"the job ended as {state}; see {page or 'the log of its runner'}")


def _own_error(report: str) -> str | None:
    """Find groundwatch's own error in a runner's report, a traceback inside a traceback."""
    sentences = _OWN_ERROR.findall(report)
    return str(sentences[-1]) if sentences else None


def _error_name(report: str) -> str:
    """Name the last error in a runner's report; its message could hold an answer."""
    errors = _ANY_ERROR.findall(report)
    return f"the runner reports {errors[-1] if errors else 'no reason'}"
