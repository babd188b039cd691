"""What is posted is durable before the reply, and every refusal has its status."""

import base64
import gzip
import json
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import httpx
import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from groundwatch.launch.engine.pubsub.outstanding import PullSettings
from groundwatch.launch.watch.posts.access import Access
from groundwatch.launch.watch.posts.posted_messages import PostedMessages
from groundwatch.schemas.message import ParseOptions
from groundwatch.transforms.formats.parser import parse_answers
from groundwatch.transforms.persistence.database import Database
from tests.support.archives import an_envelope
from tests.support.posting import FACT, Posting, chat_span, exported, retrieval_span
from tests.transforms.formats.carriers.test_carriers import attributes_of

Open = Callable[..., Posting]
PROTOBUF = "application/x-protobuf"
ONE, TWO = an_envelope(1), an_envelope(2)
UNMAPPED = ParseOptions()
MAPPED = ParseOptions(own_map=(("answer", "$.said"), ("facts", "$.known")))


def answer_texts(posting: Posting, options: ParseOptions = UNMAPPED) -> list[str]:
    """The answers of what waits; none of a message that cannot be read."""
    return [
        answer.answer_text
        for message in posting.pulled()
        for answer in parse_answers(message, options)
        if hasattr(answer, "answer_text")
    ]


@pytest.mark.parametrize(
    ("body", "headers", "accepted"),
    [
        (ONE, {}, 1),
        (ONE + b"\n" + TWO + b"\n", {}, 2),
        (json.dumps(json.loads(ONE), indent=2).encode(), {}, 1),
        (gzip.compress(ONE + b"\n" + TWO), {"Content_Encoding": "gzip"}, 2),
        (gzip.compress(ONE + b"\n" + TWO), {}, 2),
        (b"[" + ONE + b"," + TWO + b"]", {}, 1),
    ],
    ids=["one", "lines", "spread", "encoded", "compressed", "array"],
)
def test_messages_in_every_form_that_an_archive_has_are_kept(
    posting: Open, body: bytes, headers: Mapping[str, str], accepted: int
) -> None:
    server = posting()
    reply = server.post("/answers", body, **headers)
    assert (reply.status_code, reply.json()) == (202, {"accepted": accepted, "unreadable": 0})
    assert set(answer_texts(server)) == {FACT}


def test_the_sender_learns_which_messages_cannot_be_read_and_they_are_kept(posting: Open) -> None:
    server = posting()
    reply = server.post("/answers", ONE + b'\n{"said": "Lamps glow."}').json()
    assert (reply["accepted"], reply["unreadable"]) == (2, 1)
    assert "--map" in reply["reason"]
    assert len(server.pulled()) == 2


def test_a_map_reads_what_is_posted(posting: Open) -> None:
    server = posting(options=MAPPED)
    body = json.dumps({"said": FACT, "known": FACT}).encode()
    assert server.post("/answers", body).json()["unreadable"] == 0
    assert answer_texts(server, MAPPED) == [FACT]


def test_a_message_without_an_id_counts_each_time_unless_a_key_says_that_it_is_the_same(
    posting: Open,
) -> None:
    server, greeting = posting(), json.dumps({"answer": "Hello!", "facts": [FACT]}).encode()
    for key in ("k", "k", "l"):
        server.post("/answers", greeting, Idempotency_Key=key)
    for _ in range(2):
        server.post("/answers", greeting)
    assert len({message.place for message in server.pulled()}) == 4


def pushed(data: bytes, number: str = "77") -> bytes:
    """What Pub/Sub posts of a message."""
    encoded = base64.b64encode(data).decode()
    times = {"publishTime": "2026-03-02T08:00:00Z"}
    message = {"data": encoded, "messageId": number, "attributes": {"engine": "shop"}, **times}
    return json.dumps({"message": message, "subscription": "projects/p/subscriptions/s"}).encode()


def test_a_push_is_the_message_that_a_pull_gives_wrapped_or_not(posting: Open) -> None:
    server = posting()
    data = json.dumps({"answer": FACT, "facts": [FACT]}).encode()
    unwrapped = {
        "X_Goog_Pubsub_Message_Id": "78",
        "X_Goog_Pubsub_Publish_Time": "2026-03-02T08:00:00Z",
        "engine": "shop",
    }
    replies = [
        server.post("/push", pushed(data)),
        server.post("/push", pushed(data)),  # is delivered again
        server.post("/push", data, **unwrapped),
    ]
    assert [(each.status_code, each.content) for each in replies] == [(204, b"")] * 3
    first, second = (next(iter(parse_answers(message))) for message in server.pulled())
    assert first.record_id != second.record_id
    for answer in (first, second):
        assert (answer.answer_text, answer.engine) == (FACT, "shop")
        assert answer.event_time_us == 1_772_438_400_000_000


@pytest.mark.parametrize("kind", ["protobuf", "json"])
def test_the_sdk_s_request_is_read_in_both_encodings(posting: Open, kind: str) -> None:
    server = posting()
    trace = "5b8efff798038103d269b633813fc60c"
    span = {
        "traceId": trace,
        "spanId": "eee19b7ec3c1b174",
        "name": "chat",
        "endTimeUnixNano": "1772438400000000000",
        "attributes": [
            {"key": name, "value": {"stringValue": value}}
            for name, value in {**chat_span(), **retrieval_span()}.items()
        ],
    }
    batch = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    content, content_type = json.dumps(batch).encode(), "application/json"
    if kind == "protobuf":
        request = ExportTraceServiceRequest()
        made = (
            request.resource_spans.add()
            .scope_spans.add()
            .spans.add(
                trace_id=bytes.fromhex(trace),
                span_id=bytes.fromhex(span["spanId"]),
                end_time_unix_nano=1772438400000000000,
                name="chat",
            )
        )
        for name, value in {**chat_span(), **retrieval_span()}.items():
            made.attributes.add(key=name).value.string_value = value
        content, content_type = request.SerializeToString(), PROTOBUF
    for body, headers in ((content, {}), (gzip.compress(content), {"Content_Encoding": "gzip"})):
        reply = server.post("/v1/traces", body, Content_Type=content_type, **headers)
        assert reply.status_code == 200
        assert reply.headers["Content-Type"] == content_type
        assert reply.content == (b"{}" if kind == "json" else b"")
    [message] = server.pulled()
    [answer] = parse_answers(message)
    assert [fact.text for fact in answer.facts] == [FACT]
    assert (answer.trace_id, answer.event_time_us) == (trace, 1_772_438_400_000_000)


def test_spans_of_a_trace_in_several_requests_are_one_message(posting: Open) -> None:
    server = posting()
    trace = exported(server.server.address, retrieval_span(), {"http.method": "GET"}, chat_span())
    exported(server.server.address, {"http.method": "GET"})  # has no model
    [message] = server.pulled()
    [answer] = parse_answers(message)
    assert ([fact.text for fact in answer.facts], answer.trace_id) == ([FACT], trace)
    assert server.messages.stats().waiting == 0


def test_a_span_without_its_text_is_said_in_a_partial_success(posting: Open) -> None:
    server = posting()
    span = {"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174"}
    span["attributes"] = [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}]
    batch = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    reply = server.post("/v1/traces", json.dumps(batch).encode(), Content_Type="application/json")
    found = reply.json()["partialSuccess"]
    assert found["rejectedSpans"] == "1"
    assert "capture" in found["errorMessage"]
    assert len(server.pulled()) == 1  # and becomes a failure


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (
            json.dumps({"prediction": "Lamps blink.", "model_response": FACT}),
            "$.modelResponse and $.prediction",
        ),
        ('{"output": 3}', "no text of an answer"),
        ("[true]", "no text of an answer"),
    ],
)
def test_a_span_without_one_text_is_kept_with_the_others_of_its_request(
    posting: Open, output: str, reason: str
) -> None:
    server = posting()
    spans = [
        {"traceId": number * 32, "spanId": number * 16, "attributes": attributes_of(attributes)}
        for number, attributes in (("1", {"output.value": output}), ("2", chat_span()))
    ]
    batch = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    reply = server.post("/v1/traces", json.dumps(batch).encode(), Content_Type="application/json")
    found = reply.json()["partialSuccess"]
    assert reason in found["errorMessage"]
    assert len(server.pulled()) == 2


def test_a_log_record_is_read_and_others_are_not_kept(posting: Open) -> None:
    server = posting()
    attributes = [
        {"key": name, "value": {"stringValue": value}}
        for name, value in {**chat_span(), **retrieval_span()}.items()
    ]
    for record in ({"attributes": attributes}, {"body": {"stringValue": "started"}}):
        batch = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
        body = json.dumps(batch).encode()
        assert server.post("/v1/logs", body, Content_Type="application/json").content == b"{}"
    assert answer_texts(server) == [FACT]
    reply = server.post("/v1/logs", b"", Content_Type=PROTOBUF)
    assert ExportLogsServiceResponse.FromString(reply.content) == ExportLogsServiceResponse()


OTLP_JSON = {"Content_Type": "application/json"}
REFUSALS: Mapping[str, tuple[str, bytes, Mapping[str, str], int, str]] = {
    "empty": ("/answers", b" \n", {}, 400, "no message"),
    "damaged gzip": ("/answers", gzip.compress(ONE)[:-9], {}, 400, ""),
    "damaged encoding": ("/answers", b"no gzip", {"Content_Encoding": "gzip"}, 400, ""),
    "too large": ("/answers", bytes(10_000_001), {}, 413, "10,000,000"),
    "a bomb": ("/answers", gzip.compress((b" " * 10**6 + ONE + b"\n") * 30), {}, 413, "20,000,000"),
    "a long line": ("/answers", gzip.compress(b"x" * 20_000_001), {}, 413, "20,000,000"),
    "no path": ("/", ONE, {}, 404, "/answers"),
    "otlp, no type": ("/v1/traces", b"{}", {}, 415, "application/json"),
    "otlp, no json": ("/v1/traces", b"{", OTLP_JSON, 400, "not JSON"),
    "otlp, a list": ("/v1/logs", b"[]", OTLP_JSON, 400, "not JSON"),
    "otlp, deep": ("/v1/logs", b'{"a":' * 100_000, OTLP_JSON, 400, "not JSON"),
    "otlp, no protobuf": ("/v1/traces", b"\xff", {"Content_Type": PROTOBUF}, 400, "protobuf"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_cannot_be_read_is_refused_with_a_sentence_and_not_kept(
    posting: Open, name: str
) -> None:
    path, body, headers, status, words = REFUSALS[name]
    server = posting()
    reply = server.post(path, body, **headers)
    assert reply.status_code == status
    content = reply.content
    if headers.get("Content_Type") == PROTOBUF:
        content = Status.FromString(content).message.encode()
    assert words.encode() in content
    assert not server.pulled()


@pytest.mark.parametrize(("content_type", "body"), [(PROTOBUF, b""), ("application/json", b"{}")])
def test_metrics_are_accepted_and_dropped(posting: Open, content_type: str, body: bytes) -> None:
    server = posting()
    reply = server.post("/v1/metrics", b"any", Content_Type=content_type)
    assert (reply.status_code, reply.content) == (200, body)
    assert not server.pulled()


def test_only_post_is_served(posting: Open) -> None:
    server = posting()
    assert httpx.get(f"{server.server.address}/answers").status_code == 405


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer other"}, 401),
        ({"Authorization": b"Bearer \xe9"}, 401),
        ({"Authorization": "Basic secret"}, 401),
        ({"Authorization": "Bearer secret"}, 202),
        ({"Authorization": "bearer  secret"}, 202),
    ],
)
def test_a_key_opens_every_path(posting: Open, given: Mapping[str, Any], status: int) -> None:
    server = posting(access=Access(key="secret"))
    assert server.post("/answers", ONE, **given).status_code == status
    for path in ("/push", "/v1/traces", "/v1/logs"):
        reply = server.post(path, b"{}", Content_Type="application/json", **given)
        assert (reply.status_code == 401) is (status == 401)


@pytest.mark.parametrize("path", ["/answers", "/push", "/v1/traces"])
@pytest.mark.parametrize(("state", "status"), [("full", 429), ("draining", 503), ("disk", 503)])
def test_a_later_request_may_succeed_and_the_reply_says_when(
    posting: Open, monkeypatch: pytest.MonkeyPatch, path: str, state: str, status: int
) -> None:
    small = {"limits": PullSettings(max_messages=0)} if state == "full" else {}
    server = posting(is_draining=lambda: state == "draining", **small)
    if state == "disk":
        full = OSError("no space")

        def fail(*_: object) -> None:
            raise full

        monkeypatch.setattr(Database, "transaction", fail)
    span = {"traceId": "1" * 32, "spanId": "2" * 16}
    batch = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    body = json.dumps(batch).encode() if path == "/v1/traces" else ONE
    reply = server.post(path, body, Content_Type="application/json")
    assert (reply.status_code, reply.headers["Retry-After"]) == (status, "5")
    monkeypatch.undo()
    assert not server.pulled()


def test_a_defect_is_a_reply_and_the_next_request_is_kept(
    posting: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = posting()

    def fail(*_: object) -> None:
        raise ValueError("private")

    monkeypatch.setattr(PostedMessages, "add", fail)
    assert server.post("/answers", ONE).status_code == 500
    monkeypatch.undo()
    assert server.post("/answers", ONE).status_code == 202
    assert "ValueError" in caplog.text
    assert "private" not in caplog.text


def test_requests_that_come_together_are_each_durable_when_they_are_answered(
    posting: Open, database: str
) -> None:
    server = posting()

    def post(number: int) -> int:
        server.post("/answers", an_envelope(number)).raise_for_status()
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as reading:
            found = reading.execute("SELECT payload FROM posted").fetchall()
        return sum(json.loads(payload)["id"] == f"answer-{number}" for (payload,) in found)

    with ThreadPoolExecutor(16) as threads:
        assert set(threads.map(post, range(200))) == {1}
    assert server.server.requests["/answers", 202] == 200


def test_the_next_worker_has_what_was_not_acknowledged(posting: Open, database: str) -> None:
    server = posting()
    server.post("/answers", ONE + b"\n" + TWO)
    server.post("/push", pushed(ONE))
    first, *others = server.pulled()
    server.messages.acknowledge([first.place, "another subscription's"])
    with closing(PostedMessages(database)) as later:
        assert [*later.pull(10, 10**9, 0.0)] == others
        later.acknowledge(each.place for each in others)
        assert later.stats().outstanding == 0
    with closing(PostedMessages(database)) as last:
        assert not last.pull(10, 10**9, 0.0)


def test_nothing_of_a_message_or_key_is_in_the_log(
    posting: Open, caplog: pytest.LogCaptureFixture
) -> None:
    server = posting(access=Access(key="secret"))
    for headers in ({}, {"Authorization": "Bearer wrong-key"}, {"Authorization": "Bearer secret"}):
        for path in ("/answers", "/push", "/v1/traces"):
            server.post(path, b'{"text": "private"}', **headers)
    assert not {"private", "wrong-key", "secret"} & {*caplog.text.split()}
