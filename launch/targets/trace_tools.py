"""Send results to the tools that keep them on traces: Langfuse, MLflow and Phoenix."""

import re
from collections.abc import Sequence
from functools import partial
from multiprocessing.pool import ThreadPool
from typing import Any

from groundwatch.schemas import Record
from groundwatch.schemas.grounding_result import GroundingResult
from groundwatch.schemas.quantities import to_rfc3339
from groundwatch.transforms.runtime import clock
from groundwatch.transforms.runtime.network_environment import read_variable
from .http_sender import HttpSender, TraceUnknown, json_of, read_secret, require_secret
from .result_payloads import langfuse_scores, mlflow_assessment, phoenix_annotation
from .target import Target

_PARALLEL = 8
_LANGFUSE_CLOUD = "https://cloud.langfuse.com"
_MLFLOW_LOCAL, _PHOENIX_LOCAL = "http://127.0.0.1:5000", "http://127.0.0.1:6006"
_TRACE = re.compile("[0-9a-f]{32}")


class _Stored(Record, frozen=True):
    """What Langfuse and Phoenix answer for a score or an annotation that they have stored."""

    id: str


class _Annotated(Record, frozen=True):
    data: list[_Stored]


class _TraceInfo(Record, frozen=True):
    assessments: list[dict[str, Any]] = []


class _Trace(Record, frozen=True):
    trace_info: _TraceInfo


class _TraceFound(Record, frozen=True):
    trace: _Trace


class _Assessed(Record, frozen=True):
    assessment: dict[str, Any]


_STORED, _ANNOTATED, _ASSESSED = json_of(_Stored), json_of(_Annotated), json_of(_Assessed)
_FOUND = json_of(_TraceFound)


class TraceTarget(Target[GroundingResult]):
    """Send results over HTTP to a tool that keeps them on traces."""

    def __init__(self, sender: HttpSender) -> None:
        self._sender = sender
        self.place = sender.place

    def accepts(self, row: GroundingResult) -> bool:
        return bool(row.trace_id)

    def close(self) -> None:
        self._sender.close()


class LangfuseScores(TraceTarget):
    """Post a verdict and a score for each result; a repeated result replaces its scores."""

    name = "langfuse"
    max_rows = 50  # two requests each, eight at a time

    def __init__(self, url: str | None = None) -> None:
        keys = require_secret("LANGFUSE_PUBLIC_KEY"), require_secret("LANGFUSE_SECRET_KEY")
        variables = ("LANGFUSE_BASE_URL", "LANGFUSE_HOST")
        given = url or next(filter(None, map(read_variable, variables)), _LANGFUSE_CLOUD)
        advice = "correct the address, LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"
        # Its threads are daemons: a server that hangs must not keep the process.
        self._threads = ThreadPool(_PARALLEL)
        super().__init__(HttpSender(self.name, given, advice, auth=keys, account=keys[0]))

    def send(self, rows: Sequence[GroundingResult]) -> None:
        scores = [score for row in rows for score in langfuse_scores(row)]
        post = partial(self._sender.post, "/api/public/scores", confirm=_STORED)
        # One chunk a thread: it ends at the first error.
        self._threads.map(post, scores, chunksize=-(-len(scores) // _PARALLEL))

    def close(self) -> None:
        self._threads.terminate()
        super().close()


class MlflowAssessments(TraceTarget):
    """Create an assessment for each result, unless the trace has the one of the record."""

    name = "mlflow"
    max_rows = 20  # two requests each

    def __init__(self, url: str | None = None) -> None:
        given = url or read_variable("MLFLOW_TRACKING_URI") or _MLFLOW_LOCAL
        token = read_secret("MLFLOW_TRACKING_TOKEN", in_header=True)
        user = read_secret("MLFLOW_TRACKING_USERNAME")
        sender = HttpSender(
            self.name,
            given,
            "correct the address, MLFLOW_TRACKING_TOKEN or MLFLOW_TRACKING_USERNAME",
            headers={"Authorization": f"Bearer {token}"} if token else None,
            unknown=b"RESOURCE_DOES_NOT_EXIST",
            auth=(user, read_secret("MLFLOW_TRACKING_PASSWORD") or "") if user else None,
        )
        super().__init__(sender)

    def send(self, rows: Sequence[GroundingResult]) -> None:
        for row in rows:
            self._send(row)

    def _send(self, row: GroundingResult) -> None:
        # MLflow has no id of the sender's choice: a repeated result would be a second assessment.
        trace_id = f"tr-{row.trace_id}" if _TRACE.fullmatch(row.trace_id or "") else row.trace_id
        path = f"/api/3.0/mlflow/traces/{trace_id}"
        stored = self._sender.send("GET", path, _FOUND).trace.trace_info.assessments
        if row.record_id in [(each.get("metadata") or {}).get("record_id") for each in stored]:
            return
        times = dict.fromkeys(("create_time", "last_update_time"), to_rfc3339(clock.now_us()))
        body = {"assessment": {"trace_id": trace_id, **times, **mlflow_assessment(row)}}
        self._sender.post(f"{path}/assessments", body, _ASSESSED)


class PhoenixAnnotations(TraceTarget):
    """Post an annotation for each result; a repeated result replaces its annotation."""

    name = "phoenix"
    max_rows = 100

    def __init__(self, url: str | None = None) -> None:
        given = url or read_variable("PHOENIX_COLLECTOR_ENDPOINT") or _PHOENIX_LOCAL
        key = read_secret("PHOENIX_API_KEY", in_header=True)
        headers = {"Authorization": f"Bearer {key}"} if key else None
        advice = "correct the address and PHOENIX_API_KEY"
        super().__init__(
            HttpSender(self.name, given, advice, headers=headers, unknown=b"do not exist")
        )

    def send(self, rows: Sequence[GroundingResult]) -> None:
        """Post the annotations of spans, and those of traces whose span is not known."""
        for kind in ("span", "trace"):
            taken = [row for row in rows if bool(row.span_id) == (kind == "span")]
            if taken:
                self._annotate(f"/v1/{kind}_annotations", taken, is_alone=len(rows) == 1)

    def _annotate(self, path: str, rows: Sequence[GroundingResult], *, is_alone: bool) -> None:
        """Post annotations; raise TraceUnknown if Phoenix lacks one of their spans or traces."""
        body = {"data": [phoenix_annotation(row) for row in rows]}
        try:
            # Without `sync`, the reply does not say whether Phoenix has the spans.
            self._sender.post(f"{path}?sync=true", body, _ANNOTATED)
        except TraceUnknown:
            if is_alone:
                # Phoenix waits some minutes for its span. It counts as unknown.
                self._sender.post(path, body, _ANNOTATED)
            raise

    def accepts(self, row: GroundingResult) -> bool:
        return bool(row.span_id or row.trace_id)
