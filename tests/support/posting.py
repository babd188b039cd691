"""Posting to a worker, and what OpenTelemetry's own exporter sends."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import httpx
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from groundwatch.launch.watch.posts.post_server import PostServer
from groundwatch.launch.watch.posts.posted_messages import PostedMessages
from groundwatch.schemas.message import Message

FACT = "Lamps glow red at night."


class Posting(NamedTuple):
    """A server, and the messages that it keeps."""

    server: PostServer
    messages: PostedMessages

    def post(self, path: str, content: bytes, **headers: Any) -> httpx.Response:
        """Post a body."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx.post(self.server.address + path, content=content, headers=named)

    def pulled(self, most: int = 1_000) -> Sequence[Message]:
        """Pull what waits now."""
        return self.messages.pull(most, 100_000_000, 0.0)


def exported(address: str, *spans: dict[str, Any]) -> str:
    """Export spans below a root, one request a span; return their trace."""
    provider = TracerProvider()
    exporter = OTLPSpanExporter(f"{address}/v1/traces")
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("tests")
    with tracer.start_as_current_span("GET /chat") as root:
        for attributes in spans:
            tracer.start_span("chat", attributes=attributes).end()
    provider.shutdown()
    return f"{root.get_span_context().trace_id:032x}"


def chat_span(answer: str = FACT, **attributes: Any) -> dict[str, Any]:
    """The attributes of a model's call."""
    said = {"role": "assistant", "parts": [{"type": "text", "content": answer}]}
    return {"gen_ai.output.messages": json.dumps([said]), **attributes}


def retrieval_span(fact: str = FACT) -> dict[str, Any]:
    """The attributes of a search for facts."""
    return {"gen_ai.retrieval.documents": json.dumps([{"id": "1", "content": fact}])}
