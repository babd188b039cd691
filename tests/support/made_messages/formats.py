"""List the makers of messages by format, and put a message into a carrier."""

import base64
import json
from collections.abc import Callable
from typing import Any

from tests.support.made_messages import google, telemetry, tools
from tests.support.made_messages.pen import Pen, differences

MAKERS: dict[str, Callable[[Pen], Any]] = {
    make.__name__: make
    for make in (
        *(tools.envelope, google.answer, google.answer_query, google.stream_answer),
        *(google.assist_answer, google.stream_assist, google.user_activity, google.elided_reply),
        *(google.grounded_content, google.search_summary, google.conversation),
        *(google.check_grounding, google.generate_content, google.stream_generate_content),
        *(google.exchanged_stream, google.candidate, google.generate_answer),
        *(google.detect_intent, telemetry.gen_ai, telemetry.otlp, telemetry.otlp_logs),
        *(telemetry.open_inference, tools.ragas, tools.deepeval, tools.evaluation),
        *(tools.langchain_chain, tools.langchain_messages, tools.langsmith, tools.llamaindex),
        *(tools.haystack, tools.phoenix, tools.langfuse, tools.responses, tools.anthropic),
        *(tools.chat, tools.bedrock),
    )
}
"""What makes a message, by the name of its format."""


def find_differences(name: str, number: int, seed: int = 0) -> tuple[Any, list[str]]:
    """Make a message of a format, and return it with what is read otherwise than it was written."""
    pen = Pen(f"{seed}/{name}/{number}")
    value = _carried(pen, MAKERS[name](pen))
    return value, differences(value)


def _carried(pen: Pen, value: Any) -> Any:
    """Put a message into a carrier, or leave it."""
    text = json.dumps(value, ensure_ascii=pen.flip())
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
