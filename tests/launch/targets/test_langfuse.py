"""Scores as Langfuse's API describes them: POST /api/public/scores."""

import threading
from base64 import b64encode

import pytest

from groundwatch.launch.targets.target import TargetMisconfigured, TargetUnavailable
from groundwatch.launch.targets.trace_tools import LangfuseScores
from groundwatch.schemas.alert import WorstClaim
from tests.support.builders import RECORD_ID
from tests.support.http_messages import Reply
from tests.support.results import METADATA, SPAN_ID, TRACE_ID, a_result
from tests.support.results_server import ResultsServer


@pytest.fixture
def target(server: ResultsServer, monkeypatch: pytest.MonkeyPatch) -> LangfuseScores:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk")
    return LangfuseScores(server.url)


def test_a_result_becomes_a_verdict_and_a_score_under_ids_that_repeat(
    server: ResultsServer, target: LangfuseScores
) -> None:
    shared = {
        "traceId": TRACE_ID,
        "observationId": SPAN_ID,
        "comment": "SUPPORT_SCORE; least supported claim 0.10",
        "metadata": METADATA,
    }
    for _ in range(2):
        target.send([a_result()])
    # Some are sent at a time: in any order.
    score, verdict, *repeated = sorted(server.bodies()[:2], key=lambda body: body["id"])
    assert verdict == {
        "id": f"{RECORD_ID}-grounding_verdict",
        "name": "grounding_verdict",
        "value": "LOW_GROUNDED",
        "dataType": "CATEGORICAL",
        **shared,
    }
    assert score == {
        "id": f"{RECORD_ID}-grounding",
        "name": "grounding",
        "value": 0.25,
        "dataType": "NUMERIC",
        **shared,
    }
    assert not repeated
    assert sorted(body["id"] for body in server.bodies()[2:]) == [score["id"], verdict["id"]]
    request = server.received[0]
    assert (request.method, request.path) == ("POST", "/api/public/scores")
    assert request.headers["authorization"] == f"Basic {b64encode(b'pk:sk').decode()}"


def test_an_answer_without_a_score_has_a_verdict_and_the_claims_text_only_where_allowed(
    server: ResultsServer, target: LangfuseScores
) -> None:
    claim = WorstClaim(start=0, end=11, score=0.1, text="Lamps glow.")
    target.send([a_result(support_score=None, worst_claim=claim)])
    (verdict,) = server.bodies()
    assert verdict["comment"] == "SUPPORT_SCORE; least supported claim 0.10: Lamps glow."


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGFUSE_SECRET_KEY", raising=False)
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk")
    with pytest.raises(TargetMisconfigured, match="LANGFUSE_SECRET_KEY is missing"):
        LangfuseScores()


def test_no_thread_keeps_the_process_and_a_service_that_is_away_is_not_asked_for_each_score(
    server: ResultsServer, target: LangfuseScores
) -> None:
    before = {*threading.enumerate()}
    server.answer = lambda _: Reply(503)
    with pytest.raises(TargetUnavailable):
        target.send([a_result(record_id=str(number)) for number in range(50)])
    assert len(server.received) <= 8
    assert all(each.daemon for each in threading.enumerate() if each not in before)
