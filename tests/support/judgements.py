"""Replies of a language model that judges claims, in the form of OpenAI's chat completions."""

import json
from typing import Any


def completion(content: str) -> dict[str, Any]:
    """A reply as the API's reference shows it, as far as it matters."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": content, "refusal": None},
            }
        ],
        "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
    }


def judgements(*claims: dict[str, Any]) -> dict[str, Any]:
    """A completion that scores these claims."""
    return completion(json.dumps({"claims": claims}))
