"""Send results to Phoenix as annotations of spans and traces."""

import os
from collections.abc import Sequence

from launch.export.http_sender import HttpSender, TraceTarget, TraceUnknown, read_secret
from launch.export.result_payloads import phoenix_annotation
from schemas.grounding_result import GroundingResult

_LOCAL = "http://127.0.0.1:6006"


class PhoenixAnnotations(TraceTarget):
    """Post an annotation for each result; a repeated result replaces its annotation."""

    name = "phoenix"
    max_rows = 100

    def __init__(self, url: str | None = None) -> None:
        given = url or os.environ.get("PHOENIX_COLLECTOR_ENDPOINT") or _LOCAL
        key = read_secret("PHOENIX_API_KEY")
        headers = {"Authorization": f"Bearer {key}"} if key else None
        advice = "correct the address and PHOENIX_API_KEY"
        self._sender = HttpSender(
            self.name, given, advice, headers=headers, unknown=b"do not exist"
        )

    def send(self, rows: Sequence[GroundingResult]) -> None:
        """Post the annotations of spans, and those of traces whose span is not known."""
        for kind in ("span", "trace"):
            taken = [row for row in rows if bool(row.span_id) == (kind == "span")]
            if taken:
                self._post(f"/v1/{kind}_annotations", taken)

    def _post(self, path: str, rows: Sequence[GroundingResult]) -> None:
        body = {"data": [phoenix_annotation(row) for row in rows]}
        try:
            # Only then the reply says whether Phoenix has the spans.
            self._sender.post(f"{path}?sync=true", body)
        except TraceUnknown:
            if len(rows) == 1:
                # Without `sync`, Phoenix waits some minutes for the span.
                self._sender.post(path, body)
            raise

    def accepts(self, row: GroundingResult) -> bool:
        """Return whether the span or the trace of a result is known."""
        return bool(row.span_id or row.trace_id)
