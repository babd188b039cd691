"""Attributes of OpenInference, which Phoenix's instrumentors write, as those of OpenTelemetry.

An answer is what a model, a chain or an agent puts out. Retrievers and tools give facts.
Source: https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
"""

from collections.abc import Iterator, Mapping
from typing import Any

from groundwatch.schemas import Record
from groundwatch.schemas.message import UnmappedFields
from groundwatch.schemas.wire.json_input import read_if_json
from groundwatch.schemas.wire.wire_type import words
from groundwatch.transforms.formats.field_maps.field_map import parse_map, returned_items
from groundwatch.transforms.formats.field_maps.json_path import TEXT_BLOCKS, json_path
from groundwatch.transforms.formats.text_parts import join_parts
from groundwatch.transforms.formats.unread_content import (
    KnownPaths,
    Part,
    known_by_map,
)

_NAMESPACES = frozenset(words("input output llm retrieval reranker openinference session tool"))
_GIVING_FACTS = frozenset(words("RETRIEVER RERANKER TOOL"))
_WITHOUT_ANSWER = _GIVING_FACTS | frozenset(words("EMBEDDING EVALUATOR GUARDRAIL PROMPT"))
# Where chains and clients write them in the JSON of `input.value` and `output.value`.
_ANSWERS = words("""
    $.answer $.output $.result $.response $.text $.content $.output.content $.data.content
    $.kwargs.content $.output.kwargs.content $.messages[-1].content $.messages[-1].kwargs.content
    $.choices[0].message.content $.generations[0][0].text
    $.generations[0][0].message.kwargs.content
""")
_QUERIES = words("$.question $.query $.input $.user_input $.messages[-1].content")
_FACTS = words("$.context $.documents $.source_documents $.source_nodes")
_VALUES = parse_map(
    tuple(
        (field, path)
        for field, paths in (("answer", _ANSWERS), ("query", _QUERIES), ("facts", _FACTS))
        for path in paths
    )
)
_DOCUMENTS = words("$.retrieval.documents[*].document $.reranker.output_documents[*].document")
# Messages and values, tools, settings.
_OTHERS = words("""
    $.input.value $.output.value $.llm.input_messages $.llm.output_messages $.llm.tools
    $.llm.invocation_parameters $.tool.description $.tool.json_schema $.tool.parameters
    $.llm.finish_reason $.reranker.query $.openinference
""")
_KNOWN = KnownPaths(
    tuple(
        (field, json_path(path).steps)
        for field, paths in (("facts", _DOCUMENTS), ("", _OTHERS))
        for path in paths
    )
)


class InferenceSpan(Record, frozen=True, kw_only=True):
    """What a span holds: attributes of an answer in OpenTelemetry's names, or none; and documents.

    An answer is uncertain, and may have no messages, where it is in JSON of a shape of its own.
    """

    answer: dict[str, Any] = {}
    documents: list[Any] = []
    is_certain: bool = True


def is_of_inference(name: str) -> bool:
    """Return whether an attribute's name is of OpenInference."""
    return name.split(".", maxsplit=1)[0] in _NAMESPACES


def read_inference(attributes: Mapping[str, Any]) -> InferenceSpan:
    """Read the attributes of a span; those of another convention hold nothing."""
    fields = _own_fields(attributes)
    kind = str(_at(fields, "openinference.span.kind") or "").upper()
    found = (*_listed(fields, "retrieval.documents"), *_listed(fields, "reranker.output_documents"))
    documents: list[Any] = [_document(each) for each in found]
    asked, said = (read_if_json(_at(fields, f"{side}.value")) for side in ("input", "output"))
    if kind in _WITHOUT_ANSWER:
        if kind in _GIVING_FACTS and not documents:
            documents = returned_items(said)
        return InferenceSpan(documents=documents)
    outputs = _messages(fields, "llm.output_messages")
    is_certain = bool(outputs) or isinstance(said, str)
    if not outputs:
        outputs = _message("assistant", said, "answer")
        documents += [
            each for found in _VALUES.find("facts", said) for each in returned_items(found)
        ]
    inputs = _messages(fields, "llm.input_messages") or _message("user", asked, "query")
    answer = {
        "gen_ai.input.messages": inputs,
        "gen_ai.output.messages": outputs,
        "gen_ai.conversation.id": _at(fields, "session.id") or "",
        "gen_ai.response.finish_reasons": [_at(fields, "llm.finish_reason") or ""],
    }
    is_answer = bool(outputs or said)
    return InferenceSpan(
        answer=answer if is_answer else {}, documents=documents, is_certain=is_certain
    )


def unread_inference(attributes: Mapping[str, Any]) -> Iterator[Part]:
    """Yield what a span's attributes of OpenInference hold beside what is read of them."""
    fields = _own_fields(attributes)
    yield "", fields, _KNOWN
    sides = ("output",) if _at(fields, "llm.input_messages") else ("input", "output")
    for side in sides:
        yield f"{side}.value", read_if_json(_at(fields, f"{side}.value")), known_by_map(_VALUES)


def _own_fields(attributes: Mapping[str, Any]) -> Any:
    return _nested({name: each for name, each in attributes.items() if is_of_inference(name)})


def without_text() -> UnmappedFields:
    """Make the error of an output that is an object in which no text is known."""
    return UnmappedFields(
        "The output.value of the span is an object in which no text of an answer is known: set it"
        " to the text, or send the spans of the model's calls in the same message."
    )


def _message(role: str, value: object, field: str) -> list[Any]:
    """Make a message of a text, or of the text in an object that a chain got or returned."""
    found = value if isinstance(value, str) else next(iter(_VALUES.find(field, value)), "")
    return [_text_message(role, found)] if isinstance(found, str) and found.strip() else []


def _text_message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _messages(fields: Mapping[str, Any], path: str) -> list[Any]:
    messages = []
    for each in _listed(fields, path):
        blocks = [_at(part, "message_content") for part in _listed(each, "message.contents")]
        text = join_parts(map(_block_text, blocks))
        if not text.strip():
            content = _at(each, "message.content")
            text = content if isinstance(content, str) else ""
        messages.append(_text_message(str(_at(each, "message.role") or ""), text))
    return messages if any(each["parts"][0]["content"].strip() for each in messages) else []


def _block_text(block: Any) -> str | None:
    """Return the text of a block; None of a thought, a call or a picture, which separate texts."""
    text, kind = _at(block, "text"), _at(block, "type")
    if kind in TEXT_BLOCKS:
        return text if isinstance(text, str) else ""
    return None


def _document(holder: Any) -> Any:
    document = _at(holder, "document")
    if not isinstance(document, dict):
        return holder
    return document | {"metadata": read_if_json(document.get("metadata", ""))}


def _nested(value: Any) -> Any:
    """Nest names with points, of any level, as objects."""
    if isinstance(value, list):
        return [_nested(item) for item in value]
    if not isinstance(value, dict):
        return value
    nested: dict[str, Any] = {}
    for name, field in value.items():
        *path, last = name.split(".")
        holder = nested
        for step in path:
            inner = holder.setdefault(step, {})
            holder = inner if isinstance(inner, dict) else holder
        inner, known = _nested(field), holder.get(last)
        is_joined = isinstance(known, dict) and isinstance(inner, dict)
        holder[last] = known | inner if is_joined else inner
    return nested


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _listed(value: Any, path: str) -> list[Any]:
    """Return a list that is one, or JSON in a text, or an object with the items' numbers."""
    found = read_if_json(_at(value, path))
    if isinstance(found, dict):
        numbers = sorted((name for name in found if name.isdecimal()), key=int)
        return [found[number] for number in numbers]
    return _nested(found) if isinstance(found, list) else []
