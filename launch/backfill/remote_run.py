"""Run a pipeline on an engine such as Dataflow or Flink."""

import os
import re
import sys
from typing import Any
from urllib.request import getproxies

import apache_beam as beam
import grpc
from apache_beam.options.pipeline_options import (
    GoogleCloudOptions,
    PipelineOptions,
    PortableOptions,
    StandardOptions,
)
from apache_beam.runners.dataflow.dataflow_runner import DataflowRuntimeException
from apache_beam.runners.runner import PipelineResult, PipelineState
from google.api_core.exceptions import GoogleAPICallError
from google.auth.exceptions import GoogleAuthError
from msgspec.structs import replace

from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.engine.run_summary import summary_of
from groundwatch.pipeline import storage
from groundwatch.pipeline.build import Source, build_pipeline
from groundwatch.pipeline.errors import RunFailed, cause_of
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.publication import check_manifest
from groundwatch.pipeline.sinks.row_formats import row_formats
from groundwatch.pipeline.sinks.sink import Sink, archive_sink
from groundwatch.pipeline.sinks.summary_file import refuse_other_source
from groundwatch.pipeline.sources.read_archives import ReadArchives
from groundwatch.pipeline.sources.read_subscription import ReadSubscription
from groundwatch.pipeline.storage.output_lock import LOCK_WAIT_S, lock_output
from groundwatch.transforms.runtime import clock
from groundwatch.transforms.runtime.counters import counts_from
from groundwatch.transforms.runtime.network_environment import choose_proxy
from groundwatch.transforms.runtime.waiting import waiting_for
from . import earlier_runs, replayed_failures
from .same_run import EndedRun, WouldReplace, finished_run, planned_now, repeated_run, what_it_holds

_PAGES = "https://console.cloud.google.com/dataflow/jobs"
_OWN_ERROR = re.compile(
    r"^(?:groundwatch\.transforms\.grounding\.errors\.\w+|OSError): (.+?)(?: \[while running .*)?$",
    re.MULTILINE,
)
_NO_JAR = re.compile(r"Unable to fetch remote job server jar at (\S+): ")
_ANY_ERROR = re.compile(r"\b\w+(?:Error|Exception)\b")
_NO_PROXY = "no_grpc_proxy"
_ANY_CALL = "/grpc.health.v1.Health/Check"  # "unimplemented" is an answer, too


def run_remotely(config: Config, *, again: bool) -> EndedRun:
    """Run a job on the runner that Beam's options name, and write and return its summary.

    A finished run is not run again, unless with `again`. The files of a runner are named by the run
    alone, so a second replay of a name would replace those of the first.

    Raises:
      WouldReplace: the run would replace the results of a finished one.
    """
    with lock_output(config.lock, LOCK_WAIT_S):
        refuse_other_source(config.destination, config.source)
        if not again and (finished := repeated_run(config)):
            earlier_runs.end_publication(config, finished)
            earlier_runs.remove_unused_folder(config.destination.temporary_folder)
            return EndedRun(finished, is_earlier=True)
        if config.replays and (finished := finished_run(config)):
            raise WouldReplace(
                f"{config.output} holds {what_it_holds(finished)} of the replay {config.run!r},"
                " and a replay on a runner would replace them: nothing was checked or written;"
                " give another --run_id, or none"
            )
        overwritten = earlier_runs.announce_replacement(config)
        started_at_us = clock.now_us()
        planned = planned_now(config)
        pipeline = beam.Pipeline(options=PipelineOptions(list(config.beam_arguments)))
        build_pipeline(pipeline, archives_of(config), archive_sink(config), config)
        try:
            result = run_pipeline(pipeline)
            rows = {
                row_format.kind: check_manifest(config.destination, row_format)
                for row_format in row_formats(config)
            }
            summary = summary_of(config, counts_from(result), rows, started_at_us=started_at_us)
            summary = replace(summary, planned=replace(planned, messages=summary.read))
            summary = replayed_failures.resolve_replayed(config, summary)
            return EndedRun(earlier_runs.publish_summary(config, summary, overwritten))
        finally:
            # A rerun writes its files again, and a full disk needs the room.
            storage.remove_folder(config.destination.temporary_folder)


def archives_of(config: Config) -> ReadArchives:
    """Choose what a bounded run on an engine reads."""
    ended = replayed_failures.resolving_files(config) if config.replays else ()
    return ReadArchives(config.inputs, are_failures=config.replays, ended=ended)


def submit(config: Config, source: Source, sink: Sink) -> int:
    """Start a job without waiting for its end, print its page's address; return the exit status."""
    options = PipelineOptions(list(config.beam_arguments))
    options.view_as(StandardOptions).streaming = isinstance(source, ReadSubscription)
    pipeline = beam.Pipeline(options=options)
    try:
        build_pipeline(pipeline, source, sink, config)
        _wait_for_job_server(options)
        result = pipeline.run()
    except (GoogleAPICallError, GoogleAuthError, OSError, RunFailed) as error:
        return fail(f"the job could not be started: {error}")
    page = _job_page(result, options)
    started = f"the job {result.job_id()} is started: {page}" if page else "the pipeline is built."
    sys.stdout.write(f"groundwatch: {started}\n")
    return DONE


def run_pipeline(pipeline: beam.Pipeline) -> PipelineResult:
    """Run a pipeline to its end, or raise RunFailed, or what a step raises in this process."""
    try:
        _wait_for_job_server(pipeline.options)
        result = pipeline.run()
        _wait(result, _job_page(result, pipeline.options))
    except (GoogleAPICallError, GoogleAuthError) as error:
        raise RunFailed(f"the job could not be started: {error}") from None
    except grpc.RpcError as error:
        raise RunFailed(f"the job server has gone: {error.code().name}") from None
    except RuntimeError as error:
        if cause_of(error) is not error:
            raise
        raise RunFailed(_reason(str(error), "; its log has the rest")) from None
    return result


def _wait_for_job_server(options: PipelineOptions) -> None:
    """Wait until the job server of a runner accepts connections; Beam alone waits for minutes."""
    portable = options.view_as(PortableOptions)
    if not portable.job_endpoint or ":" not in portable.job_endpoint:
        return  # Beam starts one itself.
    _leave_out_proxy(portable.job_endpoint.rpartition(":")[0])
    with grpc.insecure_channel(portable.job_endpoint) as channel:
        try:
            call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(_ANY_CALL)
            with waiting_for(f"the job server at {portable.job_endpoint}"):
                call(b"", portable.job_server_timeout, wait_for_ready=True)
        except grpc.RpcError as error:
            if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
                raise RunFailed(
                    f"no job server answers at {portable.job_endpoint} within"
                    f" {portable.job_server_timeout} s: is --job_endpoint right?"
                ) from None


def _leave_out_proxy(host: str) -> None:
    """Have gRPC connect directly where no proxy is meant.

    Beam opens channels by itself, and gRPC goes through a proxy to this machine, too.
    """
    if choose_proxy(f"http://{host}") is None:
        listed = os.environ.get(_NO_PROXY) or getproxies().get("no", "")
        os.environ[_NO_PROXY] = f"{listed},{host.strip('[]')}"


def _wait(result: PipelineResult, page: str | None) -> None:
    """Wait for a job's end; `page` is its page on Dataflow, None on other runners."""
    try:
        state = result.wait_until_finish()
    except DataflowRuntimeException as error:
        raise RunFailed(
            f"Dataflow ended the job as {result.state}: {_reason(str(error))}; see {page}"
        ) from None
    except (GoogleAPICallError, GoogleAuthError) as error:
        raise RunFailed(
            f"the job may still run, but its state is unknown: {error}; see {page}"
        ) from None
    except KeyboardInterrupt:
        if page is None:
            raise
        raise RunFailed(f"interrupted here, but the job continues; see {page}") from None
    if state != PipelineState.DONE:
        raise RunFailed(f"the job ended as {state}; see {page or 'the log of its runner'}")


def _job_page(result: Any, options: PipelineOptions) -> str | None:
    """Return the address of a job on Dataflow; None for a template, a dry run, other runners."""
    if not getattr(result, "has_job", False):
        return None
    cloud = options.view_as(GoogleCloudOptions)
    return f"{_PAGES}/{cloud.region}/{result.job_id()}?project={cloud.project}"


def _reason(report: str, hint: str = "") -> str:
    """Find groundwatch's own error in a runner's report, or name the last error.

    The report is a traceback inside a traceback. The message of another error could hold an answer.
    """
    if own := _OWN_ERROR.findall(report):
        return str(own[-1])
    if jar := _NO_JAR.search(report):
        return f"cannot download {jar[1]}: pass the file as --flink_job_server_jar"
    errors = _ANY_ERROR.findall(report) or ["no reason"]
    return f"the runner reports {errors[-1]}{hint}"
