"""Annotations as Phoenix takes them; `make integrations` holds these replies to a real server."""

import pytest

from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.launch.targets.target import TargetMisconfigured, deliver
from groundwatch.launch.targets.trace_tools import PhoenixAnnotations
from tests.support.builders import RECORD_ID
from tests.support.http_messages import Received, Reply
from tests.support.results import METADATA, SPAN_ID, TRACE_ID, a_result
from tests.support.results_server import ResultsServer
from tests.support.vendor_replies import documented_reply


def test_a_result_becomes_an_annotation_of_its_span_or_its_trace(server: ResultsServer) -> None:
    PhoenixAnnotations(server.url).send([a_result(), a_result(record_id="t", span_id=None)])
    assert [each.path for each in server.received] == [
        "/v1/span_annotations?sync=true",
        "/v1/trace_annotations?sync=true",
    ]
    span, trace = (body["data"][0] for body in server.bodies())
    assert span == {
        "span_id": SPAN_ID,
        "name": "grounding",
        "annotator_kind": "CODE",
        "identifier": RECORD_ID,
        "result": {
            "label": "LOW_GROUNDED",
            "score": 0.25,
            "explanation": "SUPPORT_SCORE; least supported claim 0.10",
        },
        "metadata": METADATA,
    }
    assert (trace["trace_id"], trace["identifier"]) == (TRACE_ID, "t")


def test_an_unknown_span_is_refused_and_left_to_phoenix_and_the_others_are_annotated(
    server: ResultsServer, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(request: Received) -> Reply:
        is_unknown = "sync=true" in request.path and b'"unknown"' in request.body
        unknown = Reply(404, b"Spans with IDs unknown do not exist.")
        return unknown if is_unknown else documented_reply(request)

    server.answer = answer
    rows = [a_result(record_id=f"r{number}", span_id=str(number)) for number in range(4)]
    rows.insert(2, a_result(record_id="lost", span_id="unknown"))
    assert deliver(PhoenixAnnotations(server.url), rows) == Delivered(sent=4, refused=1)
    assert "refuses the record lost: HTTP 404, the trace or the span is not known" in caplog.text
    later = [each for each in server.received if "sync" not in each.path]
    assert [each.json["data"][0]["identifier"] for each in later] == ["lost"]


def test_a_wrong_address_is_no_unknown_span(server: ResultsServer) -> None:
    server.answer = lambda _: Reply(404, b'{"detail": "Not Found"}')
    with pytest.raises(TargetMisconfigured, match="there is no such address"):
        PhoenixAnnotations(server.url).send([a_result()])


def test_the_key_is_sent_and_a_wrong_one_is_named(
    server: ResultsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHOENIX_API_KEY", "hush")
    server.answer = lambda _: Reply(401)
    with pytest.raises(TargetMisconfigured, match="correct the address and PHOENIX_API_KEY"):
        PhoenixAnnotations(server.url).send([a_result()])
    assert server.received[0].headers["authorization"] == "Bearer hush"
