"""The processor time of a check grows with the sum of the sizes, not with their product."""

import time
from collections.abc import Callable

import pytest

from tests.support.hostile_texts import FAMILIES, STAGES, Case

_FACTS, _TOKENS = 4, 150
"""A quarter of a case: four times as much is compared by an index, this claim by claim."""

_MOST_GROWTH = 10.0
"""Four times the text takes four times as long, and sixteen times in proportion to the product."""

_NOISE_S = 0.25
_TRIES = 4
"""A collection of garbage may fall into one."""

_MOST_S = 2.0
"""Many times what any case takes; the worst took minutes."""


def seconds_for(stage: Callable[[Case], object], case: Case) -> float:
    started_s = time.thread_time()
    stage(case)
    return time.thread_time() - started_s


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("family", FAMILIES)
def test_processor_time_grows_no_faster_than_the_text(family: str, stage: str) -> None:
    run, make = STAGES[stage], FAMILIES[family]
    # A case is never measured twice: facts are remembered.
    if (took_s := seconds_for(run, make(4 * _FACTS, 4 * _TOKENS))) <= _NOISE_S:
        return
    quarter_s = max(seconds_for(run, make(_FACTS, _TOKENS)) for _ in range(2))
    limit_s = min(_MOST_GROWTH * quarter_s + _NOISE_S, _MOST_S)
    times_s = [took_s]
    while len(times_s) < _TRIES and min(times_s) > limit_s:
        times_s.append(seconds_for(run, make(4 * _FACTS, 4 * _TOKENS)))
    assert min(times_s) <= limit_s
