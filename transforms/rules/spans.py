"""Validate byte spans of UTF-8 text, truncate it, and remove its control characters."""

_CONTINUATION_BYTES = range(0x80, 0xC0)
_MAX_CHARACTER_BYTES = 4


def is_valid_span(text: bytes, start: int, end: int) -> bool:
    """Return whether text[start:end] lies within the text and splits no UTF-8 character."""
    return 0 <= start <= end <= len(text) and _is_boundary(text, start) and _is_boundary(text, end)


def truncate_bytes(data: bytes, max_bytes: int) -> bytes:
    """Truncate bytes; where they are UTF-8, at the end of a character."""
    return data if len(data) <= max_bytes else data[: character_start(data, max_bytes)]


def character_start(data: bytes, position: int) -> int:
    """Return where the character at a byte begins; the byte itself where they are not UTF-8.

    >>> character_start("Größe".encode(), 3)
    2
    """
    starts = range(position, max(-1, position - _MAX_CHARACTER_BYTES), -1)
    return next((start for start in starts if _is_boundary(data, start)), position)


def truncate(text: str, max_bytes: int) -> str:
    """Truncate a text to a size in UTF-8."""
    return truncate_bytes(text.encode(), max_bytes).decode()


def without_controls(text: str) -> str:
    """Replace what could control a terminal, line ends included, by spaces."""
    return "".join(character if character.isprintable() else " " for character in text)


def _is_boundary(text: bytes, position: int) -> bool:
    return position == len(text) or text[position] not in _CONTINUATION_BYTES
