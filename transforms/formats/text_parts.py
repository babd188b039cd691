"""Join the parts of one answer: texts, and what stands between them."""

from collections.abc import Iterable


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
