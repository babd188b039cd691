"""List the makers of messages by format, and put a message into a carrier."""

import base64
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.support.made_messages import google, telemetry, tools
from tests.support.made_messages.pen import Pen, differences

MAKERS: dict[str, Callable[[Pen], Any]] = {
    make.__name__: make
    for make in (
        *(tools.envelope, google.answer, google.answer_query, google.stream_answer),
        *(google.assist_answer, google.stream_assist, google.user_activity),
        *(google.grounded_content, google.search_summary, google.conversation),
        *(google.check_grounding, google.generate_content, google.stream_generate_content),
        *(google.candidate, google.generate_answer),
        *(google.detect_intent, telemetry.gen_ai, telemetry.otlp, telemetry.otlp_logs),
        *(telemetry.open_inference, tools.ragas, tools.deepeval, tools.evaluation),
        *(tools.langchain_chain, tools.langchain_messages, tools.langsmith, tools.llamaindex),
        *(tools.haystack, tools.phoenix, tools.langfuse, tools.responses, tools.anthropic),
        *(tools.chat, tools.bedrock),
    )
}
"""What makes a message, by the name of its format."""

_JOINED = ("answer", "answer_query", "grounded_content", "generate_content", "candidate")
_OTHER_VALUES: tuple[Any, ...] = (
    *(5, -1, 1e300, True, "", "x", "[1", "{", [], {}, [5], [[]], [{}], {"a": 1}, {"type": []}),
)
# BigQuery's sink writes log entries in lower case, in which these do not come.
_NEVER_LOWER = ("otlp", "otlp_logs", "open_inference", "bedrock")


# Two of the others in an array may be parts of one stream, or have one name.
_SEPARATE = tuple(
    name
    for name in MAKERS
    if "stream" not in name and name not in ("otlp_logs", "haystack", *_JOINED)
)


def find_differences(name: str, number: int, seed: int = 0) -> tuple[Any, list[str]]:
    """Make a message of a format, and return it with what is read otherwise than it was written."""
    pen = Pen(f"{seed}/{name}/{number}")
    value = MAKERS[name](pen)
    if name in _SEPARATE and pen.flip(0.2):
        pen.answer += 1
        several = [value, MAKERS[name](pen)]
        value = {"answers": several} if pen.flip() else several
    spell = pen.pick(str, str, _in_snake_case, _in_camel_case, str.lower)
    if spell is str.lower and name in _NEVER_LOWER:
        spell = str
    value = _rewritten(pen, value, spell, sorted(_names_in(value)))
    if spell is str.lower:
        value = {"logname": "l", "insertid": "i", "jsonpayload": value}
    else:
        value = _carried(pen, value)
    return value, differences(value)


def make_broken(name: str, number: int) -> Any:
    """Make a message of a format in which a value or two are of another type."""
    pen = Pen(f"broken/{name}/{number}")
    value = _carried(pen, MAKERS[name](pen))
    places = list(_places_in(value))
    for holder, key in pen.several(lambda: pen.pick(*places), 1, 2):
        holder[key] = pen.pick(*_OTHER_VALUES)
    return value


def _places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = range(len(value)) if isinstance(value, list) else value
    for key in keys if isinstance(value, dict | list) else ():
        yield value, key
        yield from _places_in(value[key])


def _names_in(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(_names_in, value.values()))
    return set().union(*map(_names_in, value)) if isinstance(value, list) else set()


def _in_snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda match: f"_{match[1].lower()}", name)


def _in_camel_case(name: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def _rewritten(pen: Pen, value: Any, spell: Callable[[str], str], names: Sequence[str]) -> Any:
    """Spell the names of fields otherwise, and add fields of the message with null elsewhere."""
    if isinstance(value, list):
        return [_rewritten(pen, each, spell, names) for each in value]
    if not isinstance(value, dict):
        return value
    absent = {name: None for name in names if name not in value and pen.flip(0.05)}
    fields = pen.shuffled((absent | value).items())
    return {
        name if "." in name else spell(name): _rewritten(pen, field, spell, names)
        for name, field in fields
    }


def _carried(pen: Pen, value: Any) -> Any:
    """Put a message into a carrier, or leave it."""
    text = json.dumps(value, ensure_ascii=pen.flip())
    if isinstance(value, dict) and {*value} == {"request", "response"} and pen.flip():
        row = {"full_request": pen.as_json(value["request"]), "request_id": 1}
        batch = {"status": "", "processed_time": "2026-03-02T08:00:00Z"} | value
        if "candidates" in str(value):
            return pen.pick(row | {"full_response": pen.as_json(value["response"])}, batch)
    data = base64.b64encode(text.encode()).decode()
    return pen.pick(
        value,
        value,
        value,
        {"logName": "l", "insertId": "i", "jsonPayload": value},
        {"logName": "l", "insertId": "i", "textPayload": text},
        {"message": {"data": data, "messageId": "1"}, "subscription": "s"},
        {"subscription_name": "s", "message_id": "1", "data": text, "attributes": "{}"},
    )
