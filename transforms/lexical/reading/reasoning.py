"""Find where a model thinks aloud in an answer, which a reader does not see."""

import re

_TAG = re.compile(r"<(/?)(?:think(?:ing)?|reasoning)>|\[(/?)THINK\]", re.IGNORECASE)
_TAG_SIGNS = "<", "[THINK]", "[/THINK]"
_THOUGHT = re.compile(r"\s*Thought:", re.IGNORECASE)
_FINAL_ANSWER = re.compile(r"^[ \t]*Final Answer:[ \t]*", re.IGNORECASE | re.MULTILINE)
_ACTION = re.compile(r"^[ \t]*Action:", re.IGNORECASE | re.MULTILINE)


def reasoning_spans(answer: str) -> list[tuple[int, int]]:
    """Return where an answer has reasoning, in characters, in order.

    That is what stands between tags, all before a closing tag without an opening one, all behind an
    opening tag that is not closed, and the lines of a ReAct agent before its final answer. An
    opening tag within a sentence or in a code span is text. Sources: the templates of DeepSeek R1,
    Qwen 3 and Magistral; ReAct (arXiv 2210.03629).
    """
    if _THOUGHT.match(answer):
        if final := list(_FINAL_ANSWER.finditer(answer)):
            return [(0, final[-1].end())]
        if _ACTION.search(answer):
            return [(0, len(answer))]
    return _between_tags(answer) if any(map(answer.__contains__, _TAG_SIGNS)) else []


def without_reasoning(answer: str) -> list[tuple[int, str]]:
    """Return the parts of an answer without its reasoning, and the first byte of each.

    >>> without_reasoning("<think>Lamps?</think>Lamps glow.")
    [(21, 'Lamps glow.')]
    """
    spans = reasoning_spans(answer)
    if not spans:
        return [(0, answer)] if answer else []
    parts = []
    place = byte = 0
    for start, end in [*spans, (len(answer), len(answer))]:
        part = answer[place:start]
        if part.strip():
            parts.append((byte, part))
        byte += len(part.encode()) + len(answer[start:end].encode())
        place = end
    return parts


def _between_tags(answer: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    depth = start = 0
    for tag in _TAG.finditer(answer):
        if answer[tag.start() - 1 : tag.start()] == "`":
            continue
        if not (tag[1] or tag[2]):
            start = start if depth else tag.start()
            depth += 1
            continue
        if not depth:
            spans, start = [], 0
        depth = max(0, depth - 1)
        if not depth:
            spans.append((start, tag.end()))
    if depth and not answer[answer.rfind("\n", 0, start) + 1 : start].strip():
        spans.append((start, len(answer)))
    return spans
