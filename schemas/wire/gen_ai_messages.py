"""Wire types of OpenTelemetry's GenAI conventions, after the carrier has unified their names.

Source: https://opentelemetry.io/docs/specs/semconv/gen-ai/, gen-ai-{input,output}-messages.json.
"""

from typing import Any

from .wire_type import Essential, Wire


class MessagePart(Wire, frozen=True):
    type_: str = ""
    content: Any = ""
    response: Any = None
    result: Any = None  # the name in earlier versions
    server_tool_call_response: Any = None


class GenAiMessage(Wire, frozen=True):
    role: str = ""
    parts: Essential[tuple[MessagePart, ...]] = ()
    content: Any = ""  # the name in earlier versions
    finish_reason: str = ""


class GenAiRecord(Wire, frozen=True):
    input_messages: Essential[tuple[GenAiMessage, ...]] = ()
    output_messages: Essential[tuple[GenAiMessage, ...]] = ()
    retrieval_documents: Any = None
    system_instructions: Any = None
    error_type: str = ""
    finish_reasons: tuple[str, ...] = ()
