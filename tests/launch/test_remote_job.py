"""What a person hears of a job that failed on a runner elsewhere."""

import logging
from pathlib import Path

import apache_beam as beam
import grpc
import pytest
from apache_beam.runners.runner import PipelineResult, PipelineRunner, PipelineState

from launch.quiet import keep_beam_quiet
from launch.remote_job import JobFailed, run_job
from tests.support.archives import an_envelope
from tests.support.runs import an_archive, backfill

_TOLD = """Pipeline job_1 failed in state FAILED: java.lang.RuntimeException: Error received
Traceback (most recent call last):
  File "check_grounding.py", line 127, in _failure
{error} [while running 'CheckGrounding/CheckAnswer']
"""
_REASONS = {
    "the checker's error": (
        _TOLD.format(error="transforms.grounding.errors.Misconfigured: grant the permission"),
        "grant the permission",
    ),
    "a file's error": (
        _TOLD.format(error="OSError: cannot write out/enriched: No space left on device"),
        "cannot write out/enriched: No space left on device",
    ),
    "a defect, whose words could be an answer's": (
        _TOLD.format(error="ValueError: The king lives in Atlantis."),
        "the runner reports ValueError; its log has the rest",
    ),
    "nothing": ("Pipeline failed.", "the runner reports no reason; its log has the rest"),
}


class _Result(PipelineResult):
    def __init__(self, error: Exception) -> None:
        super().__init__(PipelineState.RUNNING)
        self._error = error

    def wait_until_finish(self, duration: int | None = None) -> str:
        assert duration is None
        raise self._error


class _Runner(PipelineRunner):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def run_pipeline(self, *_: object) -> PipelineResult:
        return _Result(self._error)


def a_pipeline(error: Exception) -> beam.Pipeline:
    return beam.Pipeline(runner=_Runner(error), argv=[])


@pytest.mark.parametrize(("told", "reason"), _REASONS.values(), ids=_REASONS)
def test_a_job_that_failed_elsewhere_is_told_in_one_sentence(told: str, reason: str) -> None:
    with pytest.raises(JobFailed) as raised:
        run_job(a_pipeline(RuntimeError(told)))
    assert str(raised.value) == reason


class _Gone(grpc.RpcError):
    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNAVAILABLE


def test_a_job_server_that_goes_away_is_told() -> None:
    with pytest.raises(JobFailed, match=r"^the job server has gone: UNAVAILABLE$"):
        run_job(a_pipeline(_Gone()))


def test_no_job_server_is_a_persons_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise grpc.FutureTimeoutError

    monkeypatch.setattr(beam.Pipeline, "run", none)
    flags = "--runner", "FlinkRunner", "--job_endpoint", "localhost:1"
    assert backfill(an_archive(tmp_path, an_envelope(1)), tmp_path / "out", *flags) == 1
    assert capsys.readouterr().err == (
        "groundwatch: the run failed: no job server answers; is --job_endpoint right?\n"
    )


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
    assert caplog.records == records[1:]
