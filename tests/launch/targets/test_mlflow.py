"""Assessments as MLflow takes them; `make integrations` holds these replies to a real server."""

from typing import Any

import msgspec
import pytest

from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.launch.targets.target import deliver
from groundwatch.launch.targets.trace_tools import MlflowAssessments
from tests.support.builders import RECORD_ID
from tests.support.http_messages import Received, Reply
from tests.support.results import SPAN_ID, TRACE_ID, a_result
from tests.support.results_server import ResultsServer
from tests.support.vendor_replies import documented_reply


@pytest.fixture
def server(server: ResultsServer) -> ResultsServer:
    """A server that keeps assessments by trace, and knows all traces but one."""
    kept: dict[str, list[Any]] = {}

    def answer(request: Received) -> Reply:
        trace = request.path.removesuffix("/assessments")
        if trace.endswith("unknown"):
            return Reply(404, b'{"error_code": "RESOURCE_DOES_NOT_EXIST"}')
        if request.method == "POST":
            kept.setdefault(trace, []).append(request.json["assessment"])
            return documented_reply(request)
        info = {"assessments": kept[trace]} if trace in kept else {}
        return Reply(body=msgspec.json.encode({"trace": {"trace_info": info}}))

    server.answer = answer
    return server


def test_a_result_becomes_one_assessment_however_often_it_is_sent(server: ResultsServer) -> None:
    for _ in range(2):
        MlflowAssessments(server.url).send([a_result(), a_result(record_id="other", span_id=None)])
    first, second = (body["assessment"] for body in server.bodies())
    assert first.pop("create_time") == first.pop("last_update_time")
    assert first == {
        "trace_id": f"tr-{TRACE_ID}",
        "span_id": SPAN_ID,
        "assessment_name": "grounding",
        "source": {"source_type": "CODE", "source_id": "groundwatch"},
        "feedback": {"value": "LOW_GROUNDED"},
        "rationale": "SUPPORT_SCORE; least supported claim 0.10",
        "metadata": {
            "record_id": RECORD_ID,
            "reason": "SUPPORT_SCORE",
            "engine": "shop",
            "tags": "UNSUPPORTED_CLAIM",
            "min_claim_score": "0.1",
            "response_id": "resp-1",
            "support_score": "0.25",
        },
    }
    assert "span_id" not in second


def test_a_trace_of_mlflows_own_name_and_an_unknown_one(server: ResultsServer) -> None:
    rows = [a_result(trace_id="tr-1"), a_result(trace_id="unknown"), a_result(trace_id=None)]
    delivered = deliver(MlflowAssessments(server.url), rows)
    assert delivered == Delivered(sent=1, refused=1, skipped=1)
    assert server.received[-1].path == "/api/3.0/mlflow/traces/unknown"
    assert server.bodies()[0]["assessment"]["trace_id"] == "tr-1"


def test_the_token_or_the_user_is_sent(
    server: ResultsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "hush")
    MlflowAssessments(server.url).send([a_result()])
    monkeypatch.delenv("MLFLOW_TRACKING_TOKEN")
    monkeypatch.setenv("MLFLOW_TRACKING_USERNAME", "user")
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", "hush")
    MlflowAssessments(server.url).send([a_result(record_id="other")])
    sent = {each.headers["authorization"] for each in server.received}
    assert sent == {"Bearer hush", "Basic dXNlcjpodXNo"}
