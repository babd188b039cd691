"""Numbers as a person reads them, on a page and on a terminal."""

NOTHING = "—"
"""Stands where there is no number."""

_SECOND_MS = 1_000


def count(number: int | None) -> str:
    """Write a whole number: 12,345."""
    return NOTHING if number is None else f"{number:,}"


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: 1 answer, 2 answers."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float | None) -> str:
    """Write a share, 0..1, in percent; none and all are written only where they are meant."""
    if share is None:
        return NOTHING
    rounded = round(share * 100, 1)
    if share > 0 and not rounded:
        return "<0.1%"
    if share < 1 and rounded == 100.0:  # noqa: PLR2004 - all of a hundred
        return ">99.9%"
    return f"{rounded:.1f}%"


def score(number: float | None) -> str:
    """Write a score, 0..1, to two digits, as the summary on the terminal does."""
    return NOTHING if number is None else f"{number:.2f}"


def drift(number: float | None) -> str:
    """Write a difference of scores with its sign: +0.12."""
    return NOTHING if number is None else f"{number:+.2f}"


def duration(latency_ms: int | None) -> str:
    """Write milliseconds, from one second on as seconds."""
    if latency_ms is None:
        return NOTHING
    if latency_ms < _SECOND_MS:
        return f"{latency_ms} ms"
    return f"{latency_ms / _SECOND_MS:,.1f} s"
