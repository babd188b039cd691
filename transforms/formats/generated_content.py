"""gemini.generate_content, .stream_generate_content, and the same of vertex.

They are a response of generateContent, a pair of a request and its response, and the array that
streamGenerateContent returns. One that does not show its API is of the family gemini.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from schemas.verdict import Tag
from schemas.wire import gemini as wire
from schemas.wire.wire_type import Wire, read_wire
from transforms.formats.field_values import first_time, true_tags
from transforms.formats.format import Format, Reading, Request
from transforms.formats.gemini_candidates import enums_of, joined_text, read_exchange

_RESPONSE_FIELDS = frozenset({"candidates", "promptFeedback"})
_LAST_TEXT = "$.request.contents[-1].parts[0].text"
_SEARCH_TOOLS = frozenset(
    {
        *("retrieval", "googleSearch", "googleSearchRetrieval", "googleMaps", "fileSearch"),
        *("enterpriseWebSearch", "urlContext"),
    }
)


def _read(request: Request, name: str) -> Reading:
    asked, written = _sides(request.value)
    response = read_wire(written, wire.GenerateContentResponse)
    as_answer = wire.GenerateAnswerExchange(
        request=wire.GenerateAnswerRequest(contents=asked.contents),
        response=wire.GenerateAnswerResponse(
            answer=response.candidates[0] if response.candidates else wire.Candidate(),
            input_feedback=response.prompt_feedback,
        ),
    )
    candidates = written.get("candidates") or [None]
    answer = read_exchange(as_answer, request, name, enums_of(request, candidates[0], written))
    event_time_us, is_time_good = first_time(response.create_time)
    tags = true_tags(
        {
            Tag.BAD_TIMESTAMP: not is_time_good,
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
        tags=answer.tags + tags,
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
    """Join the chunks of a streamed response; later fields replace earlier ones, texts are joined.

    Only the first candidate of each chunk is joined; of others the last remain.
    """
    response: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    parts: list[Any] = []
    for chunk in chunks:
        of_chunk = chunk.get("candidates")
        first, *others = of_chunk if isinstance(of_chunk, list) and of_chunk else [None]
        response |= {name: field for name, field in chunk.items() if name != "candidates"}
        if isinstance(first, dict):
            response["candidates"] = [candidate, *others]
            content = first.get("content")
            _add_parts(parts, content.get("parts") if isinstance(content, dict) else None)
            metadata = candidate.get("groundingMetadata", {})
            candidate |= first
            if isinstance(metadata, dict) and isinstance(first.get("groundingMetadata"), dict):
                candidate["groundingMetadata"] = metadata | first["groundingMetadata"]
    if parts:
        candidate["content"] = {"role": "model", "parts": parts}
    return response


def _add_parts(parts: list[Any], added: object) -> None:
    """Add parts; a text continues the part before it, because spans count within whole parts."""
    for part in added if isinstance(added, list) else []:
        before: Any = parts[-1] if parts else None
        if _is_text(before) and _is_text(part) and before.get("thought") == part.get("thought"):
            parts[-1] = before | part | {"text": before["text"] + part["text"]}
        else:
            parts.append(part)


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _prompt(value: object) -> tuple[list[str], str]:
    asked, _ = _sides(value)
    has_search = any(not _SEARCH_TOOLS.isdisjoint(tool) for tool in asked.tools if tool)
    prompt = [asked.system_instruction, *(content for content in asked.contents if content)]
    return [] if has_search else list(map(joined_text, prompt)), _LAST_TEXT


def _is_exchange(fields: Mapping[str, Any]) -> bool:
    asked, response = fields.get("request"), fields.get("response")
    chunks: list[Any] = response if isinstance(response, list) else [response]
    if not all(isinstance(chunk, dict) for chunk in chunks):
        return False
    if any(not _RESPONSE_FIELDS.isdisjoint(chunk) for chunk in chunks):
        return True
    return isinstance(asked, dict) and "contents" in asked and any("error" in c for c in chunks)


def _is_response(fields: Mapping[str, Any]) -> bool:
    return not _RESPONSE_FIELDS.isdisjoint(fields) or _is_exchange(fields)


def _is_stream(elements: list[Any]) -> bool:
    return all(isinstance(chunk, dict) for chunk in elements) and any(
        not _RESPONSE_FIELDS.isdisjoint(chunk) for chunk in elements
    )


def _wire_of(fields: Mapping[str, object]) -> type[Wire]:
    is_response = not _RESPONSE_FIELDS.isdisjoint(fields)
    return wire.GenerateContentResponse if is_response else wire.GenerateContentExchange


def _formats(family: str) -> tuple[Format, Format]:
    """Make the formats of an API: a response, or an exchange, and a stream."""
    name, stream = f"{family}.generate_content", f"{family}.stream_generate_content"
    return Format(
        name=name,
        fields=_RESPONSE_FIELDS | {"response"},
        wire_of=_wire_of,
        detects=_is_response,
        read=partial(_read, name=name),
        prompt=_prompt,
        can_be_chunk=True,
    ), Format(
        name=stream,
        fields=_RESPONSE_FIELDS,
        wire_of=_wire_of,
        detects=_is_stream,
        read=partial(_read, name=stream),
        is_array=True,
    )


GENERATE_CONTENT, STREAM_GENERATE_CONTENT = _formats("gemini")
VERTEX_GENERATE_CONTENT, VERTEX_STREAM_GENERATE_CONTENT = _formats("vertex")
