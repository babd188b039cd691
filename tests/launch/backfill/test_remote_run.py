"""The error messages of jobs that fail on an engine."""

import logging
import threading
from concurrent import futures
from pathlib import Path
from types import SimpleNamespace

import apache_beam as beam
import grpc
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.dataflow.dataflow_runner import DataflowPipelineResult
from apache_beam.runners.runner import PipelineResult, PipelineRunner, PipelineState
from google.api_core.exceptions import Forbidden
from google.cloud.dataflow import JobState

from groundwatch.launch.backfill.remote_run import run_pipeline
from groundwatch.launch.cli.json_log import keep_beam_quiet
from groundwatch.pipeline.errors import RunFailed
from tests.support.archives import an_envelope
from tests.support.network import unset_network
from tests.support.runs import an_archive, backfill

_REPORT = """Pipeline job_1 failed in state FAILED: java.lang.RuntimeException: Error received
Traceback (most recent call last):
  File "check_grounding.py", line 127, in _failure
{error} [while running 'CheckGrounding/CheckAnswer']
"""
_REASONS = {
    "the checker's error": (
        _REPORT.format(
            error="groundwatch.transforms.grounding.errors.Misconfigured: grant the permission"
        ),
        "grant the permission",
    ),
    "a file's error": (
        _REPORT.format(error="OSError: cannot write out/enriched: No space left on device"),
        "cannot write out/enriched: No space left on device",
    ),
    "a defect, whose words could be an answer's": (
        _REPORT.format(error="ValueError: The king lives in Atlantis."),
        "the runner reports ValueError; its log has the rest",
    ),
    "a jar that cannot be downloaded": (
        "Unable to fetch remote job server jar at https://example.com/a.jar: <urlopen error>.",
        "cannot download https://example.com/a.jar: pass the file as --flink_job_server_jar",
    ),
    "nothing": ("Pipeline failed.", "the runner reports no reason; its log has the rest"),
}


class _Result(PipelineResult):
    """A job that ends in a state, or by an error."""

    def __init__(self, end: str | Exception) -> None:
        super().__init__(PipelineState.RUNNING)
        self._end = end

    def wait_until_finish(self, duration: int | None = None) -> str:
        assert duration is None
        if isinstance(self._end, Exception):
            raise self._end
        return self._end


class _Runner(PipelineRunner):
    """Hands back a result, or raises."""

    def __init__(self, result: PipelineResult | Exception) -> None:
        super().__init__()
        self._result = result

    def run_pipeline(self, *_: object) -> PipelineResult:
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


def run(result: PipelineResult | Exception) -> str:
    """Run a job that comes to nothing; returns what is said of it."""
    flags = ["--project=p", "--region=europe-west4"]
    with pytest.raises(RunFailed) as raised:
        run_pipeline(beam.Pipeline(runner=_Runner(result), options=PipelineOptions(flags)))
    return str(raised.value)


@pytest.mark.parametrize(("message", "reason"), _REASONS.values(), ids=_REASONS)
def test_a_job_that_failed_elsewhere_is_reported_in_one_sentence(message: str, reason: str) -> None:
    assert run(_Result(RuntimeError(message))) == reason


def test_a_job_that_was_cancelled_elsewhere_is_not_done() -> None:
    message = run(_Result(PipelineState.CANCELLED))
    assert message == "the job ended as CANCELLED; see the log of its runner"


class _Gone(grpc.RpcError):
    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNAVAILABLE


def test_a_job_server_that_goes_away_is_reported() -> None:
    assert run(_Result(_Gone())) == "the job server has gone: UNAVAILABLE"


_PAGE = "https://console.cloud.google.com/dataflow/jobs/europe-west4/job-1?project=p"


def on_dataflow(state: JobState, message: str | None = None) -> DataflowPipelineResult:
    """What Dataflow's runner hands back of a job that has ended."""
    job = SimpleNamespace(id="job-1", current_state=state)
    return DataflowPipelineResult(job, SimpleNamespace(last_error_msg=message))


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (
            "groundwatch.transforms.grounding.errors.Misconfigured: grant the permission",
            "grant the permission",
        ),
        ("ValueError: The king lives in Atlantis.", "the runner reports ValueError"),
    ],
    ids=["the checker's error", "a defect, whose words could be an answer's"],
)
def test_a_job_that_failed_on_dataflow_is_reported_with_the_page_to_look_at(
    error: str, reason: str
) -> None:
    message = run(on_dataflow(JobState.JOB_STATE_FAILED, _REPORT.format(error=error)))
    assert message == f"Dataflow ended the job as FAILED: {reason}; see {_PAGE}"


def test_a_job_that_was_cancelled_on_dataflow_is_reported_with_its_page() -> None:
    message = run(on_dataflow(JobState.JOB_STATE_CANCELLED))
    assert message == f"the job ended as CANCELLED; see {_PAGE}"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyboardInterrupt(), "interrupted here, but the job continues"),
        (
            Forbidden("no permission"),
            "the job may still run, but its state is unknown: 403 no permission",
        ),
    ],
    ids=["an interrupt", "a service that says no more"],
)
def test_a_job_that_is_not_waited_for_any_more_goes_on_and_its_page_is_reported(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, reason: str
) -> None:
    result = on_dataflow(JobState.JOB_STATE_RUNNING)

    def leave() -> None:
        raise error

    monkeypatch.setattr(result, "wait_until_finish", leave)
    assert run(result) == f"{reason}; see {_PAGE}"


def test_a_job_that_may_not_be_started_is_a_persons_mistake() -> None:
    assert run(Forbidden("no permission")) == "the job could not be started: 403 no permission"


@pytest.mark.parametrize("runner", ["FlinkRunner", "PortableRunner"])
def test_no_job_server_is_a_persons_mistake(
    runner: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = "--runner", runner, "--job_endpoint", "localhost:1", "--job_server_timeout", "0"
    assert backfill(an_archive(tmp_path, an_envelope(1)), tmp_path / "out", *flags) == 1
    assert capsys.readouterr().err == (
        "groundwatch: the run failed: no job server answers at localhost:1 within 0 s:"
        " is --job_endpoint right?\n"
    )


@pytest.mark.parametrize("proxy", [None, "http://127.0.0.1:9"])
def test_a_job_server_of_this_machine_may_start_with_the_job(
    proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    unset_network(monkeypatch)
    monkeypatch.setenv("no_grpc_proxy", "")
    if proxy:
        monkeypatch.setenv("http_proxy", proxy)
    with futures.ThreadPoolExecutor() as threads:
        server = grpc.server(threads)
        port = server.add_insecure_port("localhost:0")
        start = threading.Timer(0.2, server.start)
        start.start()
        result = _Result(PipelineState.DONE)
        flags = [f"--job_endpoint=localhost:{port}", "--job_server_timeout=60"]
        pipeline = beam.Pipeline(runner=_Runner(result), options=PipelineOptions(flags))
        assert run_pipeline(pipeline) is result
        start.join(60)
        assert server.stop(None).wait(60)


def test_what_a_runner_says_of_a_failed_job_stands_in_no_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    keep_beam_quiet()
    records = [
        logging.LogRecord("root", logging.ERROR, f"/beam/{module}.py", 1, "text", (), None)
        for module in ("portable_runner", "another")
    ]
    for record in records:
        logging.getLogger().handle(record)
    logging.getLogger("apache_beam.runners.dataflow.dataflow_runner").error("text")
    assert caplog.records == records[1:]
