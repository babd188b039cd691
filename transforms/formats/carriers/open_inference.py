"""Attributes of OpenInference, which Phoenix's instrumentors write, as those of OpenTelemetry.

An answer is what a model, a chain or an agent puts out. Retrievers and tools give facts.
Source: https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.message import UnmappedFields, UnreadableAnswer
from groundwatch.schemas.wire.json_input import MAX_DEPTH, list_in, read_if_json, whole_number
from groundwatch.schemas.wire.wire_type import words
from groundwatch.transforms.formats.field_maps.fact_values import returned_items
from groundwatch.transforms.formats.field_maps.field_map import (
    FieldMap,
    joined_blocks,
    with_one_answer,
)
from groundwatch.transforms.formats.field_maps.field_names import ANSWER_LISTS, ranked_names
from groundwatch.transforms.formats.field_maps.json_path import MISSING, json_path, value_at
from groundwatch.transforms.formats.field_maps.presets import INPUT, OUTPUT
from groundwatch.transforms.formats.finish_reasons import deciding_reason, may_lack_text
from groundwatch.transforms.formats.text_parts import TOOLS, start_of_final
from groundwatch.transforms.formats.unread_content import KnownPaths, SearchedPart, known_by_map

_NAMESPACES = frozenset(words("input output llm retrieval reranker openinference session tool"))
_GIVING_FACTS = frozenset(words("RETRIEVER RERANKER TOOL"))
WITHOUT_ANSWER = _GIVING_FACTS | frozenset(words("EMBEDDING EVALUATOR GUARDRAIL PROMPT"))
"""The kinds of spans that give facts, or none, but never an answer."""
_DOCUMENTS = words("$.retrieval.documents[*].document $.reranker.output_documents[*].document")
# Messages and values, tools, settings.
_OTHERS = words("""
    $.input.value $.output.value $.llm.tools $.llm.invocation_parameters $.tool.description
    $.tool.json_schema $.tool.parameters $.llm.finish_reason $.reranker.query $.openinference
""")
# Calls of tools beside them may hold what these returned.
_MESSAGE = "['role', 'content', 'contents', 'name', 'tool_call_id', 'function_call_arguments_json']"
_MESSAGES = [f"$.llm.{side}_messages[*].message{_MESSAGE}" for side in ("input", "output")]
_KNOWN = KnownPaths(
    tuple(
        (field, json_path(path).steps)
        for field, paths in (("facts", _DOCUMENTS), ("", (*_OTHERS, *_MESSAGES)))
        for path in paths
    )
)
_KNOWN_SHAPES = {"input": known_by_map(INPUT), "output": known_by_map(OUTPUT)}
UNDECIDED = "openinference.undecided"
"""Where an answer has the texts of an output that are named as answers, if names do not decide."""


class InferenceSpan(Record, frozen=True, kw_only=True):
    """What a span holds: attributes of an answer in OpenTelemetry's names, or none; and documents.

    An answer is uncertain, and may have no messages, where it is in JSON of a shape of its own.
    """

    kind: str = ""
    answer: dict[str, Any] = {}
    documents: list[Any] = []
    is_certain: bool = True


def is_of_inference(name: str) -> bool:
    """Return whether an attribute's name is of OpenInference."""
    return name.split(".", maxsplit=1)[0] in _NAMESPACES


def has_inference(attributes: Mapping[str, Any], kind: object, *, has_failed: bool) -> bool:
    """Return whether a span has an answer, has failed, or is of a kind that has no answers."""
    fields = _own_fields(attributes)
    kind = _kind(fields, kind)
    output = _value(fields, "output") or _listed(fields, "llm.output_messages")
    return bool(kind in WITHOUT_ANSWER or (has_failed and kind) or output)


def read_inference(attributes: Mapping[str, Any], kind: object = None) -> InferenceSpan:
    """Read the attributes of a span; those of another convention hold nothing.

    A table may have the kind of the span in a column of its own.
    """
    fields = _own_fields(attributes)
    kind = _kind(fields, kind)
    found = (*_listed(fields, "retrieval.documents"), *_listed(fields, "reranker.output_documents"))
    documents = list(map(_document, found))
    value = _value(fields, "output")
    if kind in WITHOUT_ANSWER:
        if kind in _GIVING_FACTS and not documents:
            documents = returned_items(value)
        return InferenceSpan(kind=kind, documents=documents)
    output = _read_output(fields, value)
    turns, facts = _read_input(fields)
    asked = {
        "gen_ai.input.messages": [_text_message(*turn) for turn in turns],
        "gen_ai.conversation.id": value_at(fields, "session.id") or "",
    }
    answer = output.answer and asked | output.answer
    documents += [*output.documents, *facts]
    return replace(output, kind=kind, answer=answer, documents=documents)


def _read_output(fields: Mapping[str, Any], given: Any) -> InferenceSpan:
    """Read what a model wrote, or else the output's value; the last alternative is the answer."""
    messages = _listed(fields, "llm.output_messages")
    turns, facts = _turns(messages), []
    value, undecided = (given, {}) if turns else _decided(given)
    reason = str(value_at(fields, "llm.finish_reason") or "")
    if isinstance(value, dict | list):
        reason = deciding_reason((reason, *OUTPUT.end_words(value)))
    if turns:
        texts = [text if role not in TOOLS else "" for role, text in turns]
        calls = [value_at(each, "message.tool_calls") and "tool_call" for each in messages]
        texts = ["\n\n".join(filter(str.strip, texts[start_of_final(texts, calls) :]))]
    elif isinstance(value, str):
        texts = [value]
    else:
        texts, facts = _texts_of_output(value), _found_facts(OUTPUT, value)
    is_read = bool(turns or texts[-1].strip() or may_lack_text(reason))
    answer = {
        "gen_ai.output.messages": [_text_message("assistant", text) for text in texts if is_read],
        "gen_ai.response.finish_reasons": [reason],
        UNDECIDED: undecided,
    }
    return InferenceSpan(
        answer=answer if is_read or given else {},
        documents=facts,
        is_certain=bool(turns) or isinstance(value, str),
    )


def _read_input(fields: Mapping[str, Any]) -> tuple[list[tuple[str, str]], Sequence[Any]]:
    """Return the messages that a model was given, or else the query and the facts of the input."""
    if turns := _turns(_listed(fields, "llm.input_messages")):
        return turns, ()
    value = _value(fields, "input")
    return [("user", query) for query in _queries(value)], _found_facts(INPUT, value)


def is_readable(answer: Mapping[str, Any]) -> bool:
    """Return whether an answer that was read has a message, or several texts to decide between."""
    return bool(answer.get("gen_ai.output.messages") or answer.get(UNDECIDED))


def _decided(value: Any) -> tuple[Any, dict[str, Any]]:
    """Return an output with one answer; without any, and its answers, if names do not decide.

    The reader of the answer decides: the user's map may name one of them.
    """
    try:
        return with_one_answer(value), {}
    except UnmappedFields:
        undecided = {name: value[name] for name in ranked_names(value)}
        return {name: value[name] for name in value if name not in undecided}, undecided


def _texts_of_output(value: Any) -> list[str]:
    """Return the text of each alternative of an output, the first one last, as it is the answer."""
    others = [{name: [each]} for name in ANSWER_LISTS for each in list_in(value, name)[1:]]
    return list(map(_text_of_output, (*others, value)))


def _text_of_output(value: Any) -> str:
    """Return the text of an output; "" for one that is none, such as a number."""
    try:
        return OUTPUT.text("answer", value)
    except UnreadableAnswer:
        # An error would be that of all spans in the batch.
        return ""


def unread_inference(attributes: Mapping[str, Any]) -> Iterator[SearchedPart]:
    """Yield what a span's attributes of OpenInference hold beside what is read of them."""
    fields = _own_fields(attributes)
    for name in ("input_messages", "output_messages"):
        if messages := _listed(fields, f"llm.{name}"):
            fields["llm"] |= {name: messages}
    yield "", fields, _KNOWN
    sides = ("output",) if value_at(fields, "llm.input_messages") else ("input", "output")
    for side in sides:
        yield f"{side}.value", read_if_json(value_at(fields, f"{side}.value")), _KNOWN_SHAPES[side]


def _own_fields(attributes: Mapping[str, Any]) -> Any:
    return _nested({name: each for name, each in attributes.items() if is_of_inference(name)})


def without_text() -> UnmappedFields:
    """Make the error of an output that is an object in which no text is known."""
    return UnmappedFields(
        "The output.value of the span is an object in which no text of an answer is known: set it"
        " to the text, or send the spans of the model's calls in the same message."
    )


def _kind(fields: Mapping[str, Any], beside: object) -> str:
    return str(value_at(fields, "openinference.span.kind") or beside or "").upper()


def _value(fields: Mapping[str, Any], side: str) -> object:
    """Return what a span was given or put out; tables write what is missing as a text."""
    value = read_if_json(value_at(fields, f"{side}.value"))
    return None if isinstance(value, str) and value.strip() in MISSING else value


def _found_facts(shapes: FieldMap, value: object) -> list[Any]:
    found = shapes.find("facts", value) if isinstance(value, dict | list) else []
    return [*chain.from_iterable(map(returned_items, found))]


def _queries(asked: object) -> list[str]:
    """Return the last text of the user, if there is one."""
    found = [asked] if isinstance(asked, str) else INPUT.find("query", asked)
    return [each for each in found if isinstance(each, str) and each.strip()][-1:]


def _text_message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _turns(messages: Sequence[Any]) -> list[tuple[str, str]]:
    """Return the role and the text of each message; nothing if none has a text."""
    turns = []
    for each in messages:
        blocks = [
            value_at(part, "message_content") or value_at(part, "messageContent")
            for part in _listed(each, "message.contents")
        ]
        text = joined_blocks(blocks)
        if not (isinstance(text, str) and text.strip()):
            content = value_at(each, "message.content")
            text = content if isinstance(content, str) else ""
        turns.append((str(value_at(each, "message.role") or ""), text))
    return turns if any(text.strip() for _, text in turns) else []


def _document(holder: Any) -> Any:
    document = value_at(holder, "document")
    if not isinstance(document, dict):
        return holder
    return document | {"metadata": read_if_json(document.get("metadata", ""))}


def _nested(value: Any, depth: int = 0) -> Any:
    """Nest names with points, of any level, as objects; raise UnreadableAnswer for too many."""
    if depth > MAX_DEPTH:
        raise UnreadableAnswer(f"The names of the span's attributes nest over {MAX_DEPTH} levels.")
    if isinstance(value, list):
        return [_nested(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    nested: dict[str, Any] = {}
    for name, field in value.items():
        *path, last = name.split(".")
        holder = nested
        for step in path:
            inner = holder.setdefault(step, {})
            holder = inner if isinstance(inner, dict) else holder
        inner, known = _nested(field, depth + len(path) + 1), holder.get(last)
        is_joined = isinstance(known, dict) and isinstance(inner, dict)
        holder[last] = known | inner if is_joined else inner
    return nested


def _listed(value: Any, path: str) -> list[Any]:
    """Return a list that is one, or JSON in a text, or an object with the items' numbers."""
    found = read_if_json(value_at(value, path))
    if isinstance(found, dict):
        numbered = ((whole_number(name), name) for name in found)
        items = sorted(each for each in numbered if each[0] is not None)
        return [found[name] for _, name in items]
    return _nested(found) if isinstance(found, list) else []
