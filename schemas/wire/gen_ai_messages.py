"""Wire types of OpenTelemetry's GenAI conventions, after the carrier has unified their names.

Source: https://opentelemetry.io/docs/specs/semconv/gen-ai/, gen-ai-{input,output}-messages.json.
"""

# ruff: noqa: D101 - the conventions describe the types and their fields

from typing import Any, ClassVar

from schemas.wire.wire_type import Essential, Wire, words


class MessagePart(Wire, frozen=True):
    # Tool calls and files.
    ignored: ClassVar = words("id name arguments mimeType modality uri fileId")
    type_: str = ""
    content: Any = ""
    response: Any = None
    result: Any = None  # the name in earlier versions


class GenAiMessage(Wire, frozen=True):
    ignored: ClassVar = words("name")
    text_field: ClassVar = "parts"
    role: str = ""
    parts: Essential[tuple[MessagePart, ...]] = ()
    content: Any = ""  # the name in earlier versions
    finish_reason: str = ""


class GenAiRecord(Wire, frozen=True):
    facts_field: ClassVar = "retrievalDocuments"
    input_messages: Essential[tuple[GenAiMessage, ...]] = ()
    output_messages: Essential[tuple[GenAiMessage, ...]] = ()
    retrieval_documents: Any = None
    system_instructions: Any = None
    error_type: str = ""
