"""Formatted numbers."""

from collections.abc import Callable
from typing import Any

import pytest

from groundwatch.launch.cli.terminal import figures

WRITTEN: list[tuple[Callable[[Any], str], list[tuple[float | None, str]]]] = [
    (figures.percent, [(None, "—"), (0.0, "0.0%"), (0.0001, "<0.1%"), (0.194, "19.4%")]),
    (figures.percent, [(0.9999, ">99.9%"), (1.0, "100.0%")]),
    (figures.drift, [(None, "—"), (0.125, "+0.12"), (-0.5, "-0.50"), (0.0, "+0.00")]),
    (figures.count, [(None, "—"), (0, "0"), (1234567, "1,234,567")]),
    (lambda number: figures.counted(number, "answer"), [(0, "0 answers"), (1, "1 answer")]),
    (figures.duration, [(None, "—"), (999, "999 ms"), (1_500, "1.5 s")]),
    (figures.score, [(None, "—")]),
]


@pytest.mark.parametrize(
    ("figure", "number", "written"), [(f, *row) for f, rows in WRITTEN for row in rows]
)
def test_a_number_is_written_for_a_person(
    figure: Callable[[Any], str], number: float | None, written: str
) -> None:
    assert figure(number) == written
