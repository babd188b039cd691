"""The metrics: their names, and that they can be read while they count."""

import re

from schemas.verdict import Verdict
from transforms import counters
from transforms.counters import Counter

ALL = [value for value in vars(counters).values() if isinstance(value, Counter)]


def test_every_counter_has_a_name_of_its_own_and_no_word_of_an_answer() -> None:
    names = [counter.name for counter in (*ALL, *counters.VERDICTS.values())]
    assert len(names) == len(set(names)) >= 10
    assert all(re.fullmatch("[a-z_]+", name) for name in names)


def test_every_verdict_is_counted() -> None:
    assert set(counters.VERDICTS) == set(Verdict)


def test_a_counter_can_be_read_while_the_run_goes_on() -> None:
    counter = Counter("test_only")
    counter.inc()
    counter.inc(3)
    assert counter.value == 4
