"""Any body of a post is kept or refused; what is kept is read, or is a failure."""

import base64
import copy
import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from groundwatch.launch.http_server import HttpRequest, RequestRefused
from groundwatch.launch.watch.posts.access import Access
from groundwatch.launch.watch.posts.otlp_requests import joined
from groundwatch.launch.watch.posts.post_server import Posted, PostServer
from groundwatch.launch.watch.posts.posted_messages import PostedMessages
from groundwatch.schemas.message import Message, ParseOptions
from groundwatch.transforms.formats.carriers.otlp_json import concerns_model
from groundwatch.transforms.formats.parser import parse_answers
from tests.support.archives import an_envelope, avro_of, lines_of, zstd_with_checksum
from tests.support.posting import chat_span, retrieval_span
from tests.transforms.formats.carriers.test_carriers import attributes_of
from tests.transforms.formats.test_hostile_input import VALID, values

JSON, PROTOBUF = "application/json", "application/x-protobuf"
SPAN = {
    "traceId": "1" * 32,
    "spanId": "2" * 16,
    "parentSpanId": "3" * 16,
    "startTimeUnixNano": "1772438400000000000",
    "endTimeUnixNano": 1772438500000000000,
    "status": {"code": 2},
}
INFERENCE = {
    "openinference.span.kind": "CHAIN",
    "input.value": '{"question": "q"}',
    "output.value": '{"answer": "a", "contexts": ["c"]}',
    "llm.input_messages.0.message.role": "user",
    "llm.output_messages": [{"message": {"content": "a", "contents": [{}]}}],
}
ITEMS: list[dict[str, Any]] = [
    SPAN | {"attributes": attributes_of(chat_span(gen_ai=1))},
    SPAN | {"spanId": "3" * 16, "attributes": attributes_of(INFERENCE), "parentSpanId": ""},
    SPAN | {"spanId": "4" * 16, "parentSpanId": "", "attributes": attributes_of(retrieval_span())},
    SPAN | {"spanId": "5" * 16, "events": [{"attributes": attributes_of(chat_span())}]},
    {"timeUnixNano": "1", "body": attributes_of({"b": chat_span()})[0]["value"]},
]
BODIES = {
    "/v1/traces": {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": ITEMS}]}]},
    "/v1/logs": {"resourceLogs": [{"resource": {}, "scopeLogs": [{"logRecords": ITEMS}]}]},
    "/push": {
        "message": {
            "data": base64.b64encode(json.dumps(VALID[2]).encode()).decode(),
            "messageId": "1",
            "attributes": {"engine": "e", "event_time": "2026-03-02T08:00:00Z", "format": "gemini"},
            "publishTime": "2026-03-02T08:00:00Z",
        }
    },
    "/answers": {"answers": VALID},
}
PATHS = sorted(BODIES)
HOLE = '"hole"'
DOTTED, LONG = "a." * 5_000, "9" * 5_000


def nested(opening: str, closing: str, levels: int) -> str:
    return opening * levels + "1" + closing * levels


def attribute(name: str, text: str = "a") -> str:
    return json.dumps(attributes_of({name: text}))


# What no encoder writes, or only of data that nobody has.
WRITTEN = (
    *("NaN", "1e999", "9" * 400, LONG, f'"{LONG}"', r'"\ud800"', r'"\u0000"', "\xff", "", "[1] a"),
    *('{"key": 1, "key": 2}', '{"value": {}, "value": []}', nested("[", "]", 85), "[" * 9_000),
    *(nested("[", "]", 400), nested('{"arrayValue":{"values":[', "]}}", 300)),
    *(f'{{"output.{DOTTED}a": 1}}', attribute(f"input.{DOTTED}a")),
    attribute(f"llm.input_messages.{LONG}.message.content"),
    *(
        attribute("output.value", text)
        for text in ("[" * 90, '{"answer": NaN}', '{"choices": [1]}')
    ),
)
places = st.lists(st.integers(0, 9), min_size=1, max_size=14)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostServer]:
    database = str(tmp_path_factory.mktemp("posts") / "run.sqlite")
    with closing(PostedMessages(database)) as messages:
        opened = PostServer(
            ("127.0.0.1", 0), messages, Access(), ParseOptions(), is_draining=lambda: False
        )
        with closing(opened):
            yield opened


def assert_kept_or_refused(
    server: PostServer, path: str, body: bytes, content_type: str = JSON
) -> None:
    """Assert also that what is kept can be read, and its parts be joined, without an error."""
    request = HttpRequest("POST", path, {"Content-Type": content_type}, body)
    posted, status = Posted([]), 0
    try:
        posted = server._read(request)
    except RequestRefused as refused:
        status = refused.status
    assert status in {0, 400, 413, 415}
    for each in posted.messages:
        list(parse_answers(Message(payload=each.payload, place=each.place)))
    if path.startswith("/v1") and posted.messages:
        parts = [msgspec.json.decode(each.payload) for each in posted.messages]
        whole = joined(parts) if path == "/v1/traces" else parts[0]
        if concerns_model(whole):
            list(parse_answers(Message(payload=msgspec.json.encode(whole), place="joined")))


def with_hole(value: Any, steps: list[int]) -> Any:
    """A copy in which what some steps lead to is a hole."""
    holder = whole = [copy.deepcopy(value)]
    key: Any = 0
    for step in steps:
        inner = holder[key]
        if not (isinstance(inner, dict | list) and inner):
            break
        keys = [*inner] if isinstance(inner, dict) else range(len(inner))
        holder, key = inner, keys[step % len(keys)]
    holder[key] = "hole"
    return whole[0]


@given(st.sampled_from(PATHS), places, st.sampled_from(WRITTEN) | values.map(json.dumps))
@example("/v1/traces", [0, 0, 1, 0, 0, 1, 4], f'"{LONG}"')
@example("/v1/traces", [0, 0, 1, 0, 0, 1, 6], attribute(f"input.{DOTTED}a"))
@example(
    "/v1/traces", [0, 0, 1, 0, 0, 1, 6], attribute(f"llm.input_messages.{LONG}.message.content")
)
@example("/v1/logs", [0, 0, 1, 0, 0, 1, 6, 0, 1, 0], nested("[", "]", 950))
def test_a_post_with_anything_in_any_place_is_kept_or_refused(
    server: PostServer, path: str, steps: list[int], written: str
) -> None:
    body = json.dumps(with_hole(BODIES[path], steps)).replace(HOLE, written)
    assert_kept_or_refused(server, path, body.encode("latin-1", "replace"))


@given(
    st.sampled_from(PATHS),
    st.sampled_from([JSON, PROTOBUF, "", "text/plain"]),
    st.sampled_from(
        [b"", b"\x1f\x8b\x08\x00", b"Obj\x01", b"PAR1", b"\x28\xb5\x2f\xfd", b"[", b"\n"]
    ),
    st.binary(),
)
def test_a_post_of_any_bytes_is_kept_or_refused(
    server: PostServer, path: str, content_type: str, begin: bytes, rest: bytes
) -> None:
    assert_kept_or_refused(server, path, begin + rest, content_type)


def serialised() -> dict[str, tuple[str, bytes]]:
    """Bodies that are no JSON, each with its path."""
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add(trace_id=b"1" * 16)
    for name, value in {**chat_span(), **retrieval_span()}.items():
        span.attributes.add(key=name).value.string_value = value
    lines = lines_of(an_envelope(1), an_envelope(2))
    return {
        "protobuf": ("/v1/traces", request.SerializeToString()),
        "gzip": ("/answers", gzip.compress(lines) + gzip.compress(lines)),
        "zstd": ("/answers", zstd_with_checksum(lines)),
        "avro": (
            "/answers",
            avro_of([{"answer": "a", "id": "1"}], ("answer", "string"), ("id", "string")),
        ),
    }


@given(st.sampled_from(sorted(serialised())), st.floats(0, 1), st.binary(max_size=4), st.booleans())
def test_a_post_with_other_bytes_in_a_serialised_body_is_kept_or_refused(
    server: PostServer, kind: str, at: float, replaced: bytes, is_cut: bool
) -> None:
    path, body = serialised()[kind]
    begin = int(at * len(body))
    rest = b"" if is_cut else body[begin + len(replaced) :]
    assert_kept_or_refused(server, path, body[:begin] + replaced + rest, PROTOBUF)
