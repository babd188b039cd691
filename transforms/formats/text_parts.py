"""Join the parts of one answer: texts, and what stands between them."""

import re
from collections.abc import Iterable, Sequence

# Thai, Lao, Burmese, Khmer, Japanese and Chinese have no spaces between words.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{4}")
_WORD = re.compile(r"[^\W\d_]{2}")
_MANY = 200
TOOLS = ("tool", "function")
"""The roles of messages that hold what a tool returned."""
_CALL = re.compile(r"(?:[-_]call|_use|Call|Use)\Z")


def separate_parts(parts: Iterable[str | None]) -> list[str]:
    """Put a blank line before each text of an answer that stands behind something else.

    The parts are those of one content in their order; None is a part of another kind, such as the
    call of a tool. Texts that follow each other are parts of one text. Parts keep their places: one
    without text is empty.

    >>> [part.splitlines() for part in separate_parts(["Lamps ", "glow.", None, "At night."])]
    [['Lamps '], ['glow.'], [], ['', '', 'At night.']]
    """
    separated: list[str] = []
    has_text = is_behind = False
    for part in parts:
        separated.append(f"\n\n{part}" if part and has_text and is_behind else part or "")
        is_behind = part is None or (is_behind and not part)
        has_text |= bool(part)
    return separated


def join_parts(parts: Iterable[str | None]) -> str:
    """Join the texts of one content, with a blank line around other parts."""
    return "".join(separate_parts(parts))


def is_call(kind: object) -> bool:
    """Return whether parts of a kind, by its name in a message, are calls of tools."""
    return isinstance(kind, str) and _CALL.search(kind) is not None


def start_of_final(texts: Sequence[object], kinds: Sequence[object]) -> int:
    """Return where the final message of an answer begins, by the text and the kind of each part.

    Models announce what they are about to look up: the final message is behind the last call of a
    tool that another text follows.
    """
    last = max((number for number, text in enumerate(texts) if text), default=0)
    return next((number + 1 for number in range(last)[::-1] if is_call(kinds[number])), 0)


def count_words(text: str) -> int:
    """Count the words of a text between spaces, up to a few; a script without spaces has many."""
    if _UNSPACED.search(text):
        return _MANY
    return sum(1 for word in text.split(maxsplit=20)[:20] if _WORD.search(word))
