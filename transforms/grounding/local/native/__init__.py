"""The native core of the check by words, if it is built: the same results in less time."""

import os
from collections.abc import Iterable
from importlib import import_module
from typing import Protocol, cast

SWITCH = "GROUNDWATCH_NATIVE"
"""The environment variable that switches the core off if it is 0."""

Counts = tuple[int, int, int, int, int, int]
"""What facts have of a claim: its missed numbers, missed names and missed content tokens; its
distinct content forms that are found, its pairs that are found, and the forms close together."""

Compared = tuple[Counts, Iterable[tuple[int, Counts]]]
"""What all facts have of a claim, and what each of the facts alone that share most words with it
has, by index."""


class Core(Protocol):
    """The functions of `core.c`."""

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
