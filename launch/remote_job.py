"""A job that a runner carries out elsewhere: waiting for its end, and saying why it failed."""

import re

import apache_beam as beam
import grpc
from apache_beam.runners.dataflow.dataflow_runner import DataflowRuntimeException
from apache_beam.runners.runner import PipelineResult, PipelineState
from google.api_core.exceptions import GoogleAPICallError
from google.auth.exceptions import GoogleAuthError

from launch.dataflow.submitting import job_page

_OWN_ERROR = re.compile(
    r"^(?:transforms\.grounding\.errors\.\w+|OSError): (.+?)(?: \[while running .*)?$", re.MULTILINE
)
_ANY_ERROR = re.compile(r"\b\w+(?:Error|Exception)\b")


class JobFailed(Exception):
    """The runner says that the job failed; the message holds no text of an answer."""


def run_job(pipeline: beam.Pipeline) -> PipelineResult:
    """Run a pipeline on the runner that its options name, to its end.

    Raises:
      JobFailed: it failed or was cancelled elsewhere, or there is no runner where it should be; the
        message says where to look.
      Exception: whatever a step raised, where the runner works in this process.
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
        told = str(error)
        raise JobFailed(_own_error(told) or f"{_reported(told)}; its log has the rest") from None
    return result


def _wait(result: PipelineResult, page: str | None) -> None:
    """Wait for a job's end; `page` is where Dataflow shows it, None elsewhere."""
    try:
        state = result.wait_until_finish()
    except DataflowRuntimeException as error:
        reason = _own_error(str(error)) or _reported(str(error))
        raise JobFailed(f"Dataflow ended the job as {result.state}: {reason}; see {page}") from None
    except (GoogleAPICallError, GoogleAuthError) as error:
        raise JobFailed(f"the job may go on, unheard of: {error}; see {page}") from None
    except KeyboardInterrupt:
        if page is None:
            raise
        raise JobFailed(f"interrupted here, but the job goes on; see {page}") from None
    if state != PipelineState.DONE:
        raise JobFailed(f"the job ended as {state}; see {page or 'the log of its runner'}")


def _own_error(told: str) -> str | None:
    """Find the one sentence of ours in what a runner tells, a traceback inside a traceback."""
    sentences = _OWN_ERROR.findall(told)
    return str(sentences[-1]) if sentences else None


def _reported(told: str) -> str:
    """Name the error at the bottom of what a runner tells; its words could be an answer's."""
    errors = _ANY_ERROR.findall(told)
    return f"the runner reports {errors[-1] if errors else 'no reason'}"
