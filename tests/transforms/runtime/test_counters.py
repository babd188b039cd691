"""The metrics: their names, and that they can be read while they count."""

import re

import pytest

from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.runtime import counters
from groundwatch.transforms.runtime.counters import Counter, Distribution
from tests.support.interleaving import run_interleaved

ALL = [value for value in vars(counters).values() if isinstance(value, Counter)]


def test_counter_names_are_distinct_and_in_lower_case() -> None:
    names = [counter.name for counter in (*ALL, *counters.VERDICTS.values())]
    assert len(names) == len(set(names)) >= 10
    assert all(re.fullmatch("[a-z_]+", name) for name in names)


def test_every_verdict_is_counted() -> None:
    assert set(counters.VERDICTS) == set(Verdict)


def test_no_count_of_several_threads_is_lost() -> None:
    counter, distribution = Counter("test_only"), Distribution("test_only_ms", (10,))

    def count() -> None:
        for _ in range(500):
            counter.inc()
            distribution.update(1)

    run_interleaved(count)
    assert (counter.value, distribution.bins, distribution.sum) == (2_000, [2_000, 0], 2_000)


def test_threads_share_one_counter_per_kind_and_per_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "_NAMED", {})
    used: set[Counter] = set()

    def find() -> None:
        for number in range(200):
            used.add(counters.written(f"test_only_{number}"))
            used.add(counters.failed(f"TestOnly{number}"))

    run_interleaved(find)
    assert len(used) == 400
