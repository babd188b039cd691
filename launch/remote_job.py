"""A job that a runner carries out elsewhere: waiting for its end, and saying why it failed."""

import re

import apache_beam as beam
import grpc
from apache_beam.runners.runner import PipelineResult

_OWN_ERROR = re.compile(
    r"^(?:transforms\.grounding\.errors\.\w+|OSError): (.+?)(?: \[while running .*)?$", re.MULTILINE
)
_ANY_ERROR = re.compile(r"\b\w+(?:Error|Exception)\b")


class JobFailed(Exception):
    """The runner says that the job failed; the message holds no text of an answer."""


def run_job(pipeline: beam.Pipeline) -> PipelineResult:
    """Run a pipeline on the runner that its options name, to its end.

    Raises:
      JobFailed: it failed elsewhere, or there is no runner where it should be.
      Exception: whatever a step raised, where the runner works in this process.
    """
    try:
        result = pipeline.run()
        result.wait_until_finish()
    except grpc.FutureTimeoutError:
        raise JobFailed("no job server answers; is --job_endpoint right?") from None
    except grpc.RpcError as error:
        raise JobFailed(f"the job server has gone: {error.code().name}") from None
    except RuntimeError as error:
        if getattr(error, "_tagged_with_step", False):
            raise
        raise JobFailed(_reason(str(error))) from None
    return result


def _reason(told: str) -> str:
    """Find the one sentence in what a runner tells, a traceback inside a traceback."""
    own = _OWN_ERROR.findall(told)
    if own:
        return str(own[-1])
    errors = _ANY_ERROR.findall(told)
    return f"the runner reports {errors[-1] if errors else 'no reason'}; its log has the rest"
