"""gemini.generate_content, .stream_generate_content, and the same of vertex.

They are a response of generateContent, a pair of a request and its response, and the array that
streamGenerateContent returns. One that does not show its API is of the family gemini.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.verdict import Tag
from groundwatch.schemas.wire import gemini as wire
from groundwatch.schemas.wire.json_input import has_any, list_in, whole_number
from groundwatch.schemas.wire.wire_type import Wire, read_wire, words
from .field_values import first_time, true_tags
from .format import Format, Reading, Request
from .gemini_candidates import enums_of, joined_text, read_exchange

_RESPONSE_FIELDS = frozenset({"candidates", "promptFeedback"})
_SOURCES = frozenset(
    words("groundingMetadata groundingAttributions citationMetadata citationSources citations")
)
_LAST_TEXT = "$.request.contents[-1].parts[0].text"
_SEARCH_TOOLS = frozenset(
    words("""
        retrieval googleSearch googleSearchRetrieval googleMaps fileSearch enterpriseWebSearch
        urlContext
    """)
)


def _read(request: Request) -> Reading:
    asked, fields = _sides(request.value)
    response = read_wire(fields, wire.GenerateContentResponse)
    as_answer = wire.GenerateAnswerExchange(
        request=wire.GenerateAnswerRequest(
            contents=asked.contents + response.automatic_function_calling_history
        ),
        response=wire.GenerateAnswerResponse(
            answer=response.candidates[0] if response.candidates else wire.Candidate(),
            input_feedback=response.prompt_feedback,
        ),
    )
    candidates = fields.get("candidates") or [None]
    answer = read_exchange(as_answer, request, enums_of(request, candidates[0], fields))
    event_time_us, time_tags = first_time(response.create_time)
    tags = true_tags(
        {
            Tag.MULTIPLE_CANDIDATES: len(response.candidates) > 1,
            Tag.STREAM_ERROR: response.error is not None and bool(response.candidates),
        }
    )
    has_failed = response.error is not None and answer.finish_reason is None
    answer = replace(
        answer,
        event_time_us=event_time_us,
        state="FAILED" if has_failed else None,
        error_status=response.error.name if response.error and has_failed else None,
        response_id=response.response_id or None,
        tags=answer.tags + time_tags + tags,
    )
    return answer, ""


def _sides(value: object) -> tuple[wire.GenerateContentRequest, dict[str, Any]]:
    """Return the request, if there is one, and the response, with its chunks joined."""
    asked, response = wire.GenerateContentRequest(), value
    if isinstance(value, dict) and "response" in value and _RESPONSE_FIELDS.isdisjoint(value):
        asked = read_wire(value.get("request", {}), wire.GenerateContentRequest)
        response = value["response"]
    if isinstance(response, dict):
        return asked, response
    return asked, join_chunks(response if isinstance(response, list) else [])


def join_chunks(chunks: Iterable[Any]) -> dict[str, Any]:
    """Join the chunks of a streamed response: texts and lists of sources; other fields replace.

    Only the first candidate is joined; of others the last chunk remains.
    """
    response: dict[str, Any] = {}
    by_index: dict[str, dict[str, Any]] = {}
    parts: list[Any] = []
    for chunk in chunks:
        if not isinstance(chunk, dict):
            raise UnreadableAnswer("A chunk of a stream must be an object.")
        response |= {name: field for name, field in chunk.items() if name != "candidates"}
        for number, candidate in enumerate(list_in(chunk, "candidates")):
            if isinstance(candidate, dict):
                index = str(candidate.get("index", number))
                known = by_index.setdefault(index, {})
                if known is next(iter(by_index.values())):
                    parts += list_in(candidate.get("content"), "parts")
                    _join(known, candidate)
                else:
                    known |= candidate
    if by_index:
        response["candidates"] = list(by_index.values())
    if parts:
        response["candidates"][0]["content"] = {"role": "model", "parts": list(_merged(parts))}
    return response


def _join(kept: dict[str, Any], later: Mapping[str, Any]) -> None:
    """Add the fields of a later chunk, which may repeat the sources of earlier ones."""
    first = _extend(kept, "groundingChunks", list_in(later, "groundingChunks"))
    for name, field in later.items():
        if name in _SOURCES and isinstance(field, dict):
            if not isinstance(kept.get(name), dict):
                kept[name] = {}
            _join(kept[name], field)
        elif name == "groundingSupports" and isinstance(field, list):
            _extend(kept, name, [_renumbered(support, first) for support in field])
        elif name in _SOURCES and isinstance(field, list):
            _extend(kept, name, field)
        elif name != "groundingChunks":
            kept[name] = field


def _extend(kept: dict[str, Any], name: str, added: list[Any]) -> int:
    """Extend a list by what it does not begin with already, and return where that stands."""
    earlier = kept.setdefault(name, []) if added else []
    if not isinstance(earlier, list):
        earlier = kept[name] = []
    if added[: len(earlier)] == earlier:
        earlier[:] = added
        return 0
    earlier += added
    return len(earlier) - len(added)


def _renumbered(support: Any, earlier_sources: int) -> Any:
    """Return a later chunk's support with its sources counted behind those of earlier chunks."""
    indices = list_in(support, "groundingChunkIndices")
    if not indices or not earlier_sources:
        return support
    renumbered = [
        index if (number := whole_number(index)) is None else number + earlier_sources
        for index in indices
    ]
    return support | {"groundingChunkIndices": renumbered}


def _merged(parts: Iterable[Any]) -> Iterator[Any]:
    """Join adjacent texts, because spans count within a part of the whole response."""
    for is_thought, group in groupby(parts, _kind_of_text):
        if is_thought is None:
            yield from group
        else:
            yield {"text": "".join(part["text"] for part in group), "thought": is_thought}


def _kind_of_text(part: Any) -> bool | None:
    """Return whether a text is a thought; None for other parts."""
    is_text = isinstance(part, dict) and isinstance(part.get("text"), str)
    return part.get("thought") is True if is_text else None


def _prompt(value: object) -> tuple[list[str], str]:
    asked, _ = _sides(value)
    has_search = any(not _SEARCH_TOOLS.isdisjoint(tool) for tool in asked.tools if tool)
    prompt = [asked.system_instruction, *(content for content in asked.contents if content)]
    return [] if has_search else list(map(joined_text, prompt)), _LAST_TEXT


def _is_exchange(fields: Mapping[str, Any]) -> bool:
    response = fields.get("response")
    chunks: list[Any] = response if isinstance(response, list) else [response]
    has_failed = any(has_any(each, {"error"}) for each in chunks)
    return all(isinstance(each, dict) for each in chunks) and (
        any(has_any(each, _RESPONSE_FIELDS) for each in chunks)
        or (has_failed and has_any(fields.get("request"), {"contents"}))
    )


def _wire_of(fields: Mapping[str, object]) -> type[Wire]:
    is_response = not _RESPONSE_FIELDS.isdisjoint(fields)
    return wire.GenerateContentResponse if is_response else wire.GenerateContentExchange


def _formats(family: str) -> tuple[Format, Format]:
    """Make the formats of an API: a response, or an exchange, and a stream."""
    return Format(
        name=f"{family}.generate_content",
        fields=_RESPONSE_FIELDS | {"response"},
        wire_of=_wire_of,
        detects=lambda fields: not _RESPONSE_FIELDS.isdisjoint(fields) or _is_exchange(fields),
        read=_read,
        prompt=_prompt,
        can_be_chunk=True,
    ), Format(
        name=f"{family}.stream_generate_content",
        fields=_RESPONSE_FIELDS,
        wire_of=_wire_of,
        detects=lambda chunk: not _RESPONSE_FIELDS.isdisjoint(chunk),
        read=_read,
        is_array=True,
    )


GENERATE_CONTENT, STREAM_GENERATE_CONTENT = _formats("gemini")
VERTEX_GENERATE_CONTENT, VERTEX_STREAM_GENERATE_CONTENT = _formats("vertex")
