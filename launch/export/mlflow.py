"""Send results to MLflow as assessments of traces."""

import os
import re
from collections.abc import Sequence

import msgspec

from launch.export.http_sender import HttpSender, TraceTarget, read_secret
from launch.export.result_payloads import mlflow_assessment
from schemas.grounding_result import GroundingResult
from schemas.quantities import to_rfc3339
from transforms.runtime import clock

_LOCAL = "http://127.0.0.1:5000"
_TRACE = re.compile("[0-9a-f]{32}")


class MlflowAssessments(TraceTarget):
    """Create an assessment for each result, unless the trace has the one of the record."""

    name = "mlflow"
    max_rows = 20  # each takes two requests

    def __init__(self, url: str | None = None) -> None:
        given = url or os.environ.get("MLFLOW_TRACKING_URI") or _LOCAL
        token, user = read_secret("MLFLOW_TRACKING_TOKEN"), read_secret("MLFLOW_TRACKING_USERNAME")
        self._sender = HttpSender(
            self.name,
            given,
            "correct the address, MLFLOW_TRACKING_TOKEN or MLFLOW_TRACKING_USERNAME",
            headers={"Authorization": f"Bearer {token}"} if token else None,
            unknown=b"RESOURCE_DOES_NOT_EXIST",
            auth=(user, read_secret("MLFLOW_TRACKING_PASSWORD") or "") if user else None,
        )

    def send(self, rows: Sequence[GroundingResult]) -> None:
        """Create the assessments, one by one."""
        for row in rows:
            self._send(row)

    def _send(self, row: GroundingResult) -> None:
        # MLflow has no id of the sender's choice: a repeated result would be a second assessment.
        trace_id = f"tr-{row.trace_id}" if _TRACE.fullmatch(row.trace_id or "") else row.trace_id
        trace = msgspec.json.decode(self._sender.get(f"/api/3.0/mlflow/traces/{trace_id}"))
        stored = trace["trace"]["trace_info"].get("assessments", [])
        if row.record_id in [(each.get("metadata") or {}).get("record_id") for each in stored]:
            return
        times = dict.fromkeys(("create_time", "last_update_time"), to_rfc3339(clock.now_us()))
        body = {"assessment": {"trace_id": trace_id, **times, **mlflow_assessment(row)}}
        self._sender.post(f"/api/3.0/mlflow/traces/{trace_id}/assessments", body)
