"""The native core of the check by words, if it is built: the same results in less time."""

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Protocol, cast

SWITCH = "NATIVE_CORE"
"""The environment variable that switches the core off if it is 0."""

Counts = tuple[int, int, int, int, int, int]
"""What facts have of a claim: its missed numbers, missed names and missed content tokens; its
distinct content forms that are found, its pairs that are found, and the forms close together."""

Compared = tuple[Counts, Iterable[tuple[int, Counts]]]
"""What all facts have of a claim, and what each of the facts alone that share most words with it
has, by index."""


Piece = tuple[tuple[str, ...], bytes, object]
"""The forms of a text between white space, their kinds, and its features."""


class PieceTable(Protocol):
    """Remember what pieces of texts are read into."""

    def words(self, text: str, /) -> tuple[list[str], bytes, list[Any]]:
        """Return the forms, the kinds and the features of the pieces of a text, each in order."""
        ...


class Core(Protocol):
    """What `core.c` defines."""

    def PieceTable(  # noqa: N802 - a class
        self, read: Callable[[str], Piece], max_pieces: int, max_chars: int, /
    ) -> PieceTable:
        """Create a table that is emptied when it is full, and remembers no long pieces."""
        ...

    def compare(
        self,
        claims: list[tuple[list[str], bytes]],
        facts: list[list[str]],
        most_candidates: int,
        min_coverage: float,
        window: int,
        /,
    ) -> list[Compared]:
        """Count what facts have of claims, each given as its forms and their kinds."""
        ...


def _load() -> Core | None:
    try:
        return cast(Core, import_module(f"{__name__}.core"))
    except ImportError:
        return None


core = None if os.environ.get(SWITCH) == "0" else _load()
