"""Stretches of an answer, given as byte offsets."""

_CONTINUATION_BYTES = range(0x80, 0xC0)


def is_stretch(answer: bytes, start: int, end: int) -> bool:
    """Whether answer[start:end] lies within the answer and cuts no UTF-8 character in two."""
    return (
        0 <= start <= end <= len(answer) and is_boundary(answer, start) and is_boundary(answer, end)
    )


def is_boundary(answer: bytes, position: int) -> bool:
    """Whether no UTF-8 character of the answer begins before the position and ends after it."""
    return position == len(answer) or answer[position] not in _CONTINUATION_BYTES
