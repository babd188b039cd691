"""How many lines of a kind are let through."""

from launch.logs.json_log import LineLimit
from tests.support.clocks import ManualClock


def a_limit(clock: ManualClock) -> LineLimit[str]:
    return LineLimit(3, 60.0, clock)


def test_the_first_lines_of_a_kind_are_let_through_and_the_rest_is_counted() -> None:
    clock = ManualClock()
    limit = a_limit(clock)
    assert [limit.admits("outage") for _ in range(10)] == [True] * 3 + [False] * 7
    assert limit.admits("something else")
    assert list(limit.dropped()) == []
    clock.advance(60.0)
    assert list(limit.dropped()) == [("outage", 7)]
    assert list(limit.dropped()) == []


def test_a_kind_has_its_lines_again_once_its_stretch_is_over() -> None:
    clock = ManualClock()
    limit = a_limit(clock)
    for _ in range(4):
        limit.admits("outage")
    clock.advance(59.9)
    assert list(limit.dropped()) == []
    assert not limit.admits("outage")
    clock.advance(0.1)
    assert list(limit.dropped()) == [("outage", 2)]
    assert limit.admits("outage")


def test_a_kind_of_which_nothing_was_dropped_is_not_worth_a_word() -> None:
    clock = ManualClock()
    limit = a_limit(clock)
    for _ in range(3):
        limit.admits("outage")
    clock.advance(60.0)
    assert list(limit.dropped()) == []


def test_in_the_end_all_that_was_dropped_is_told() -> None:
    limit = a_limit(ManualClock())
    for _ in range(5):
        limit.admits("outage")
        limit.admits("another")
    assert list(limit.dropped(so_far=True)) == [("outage", 2), ("another", 2)]


def test_however_many_kinds_there_are_only_so_many_are_remembered() -> None:
    limit: LineLimit[int] = LineLimit(1, 60.0, ManualClock())
    told = []
    for kind in range(5_000):
        limit.admits(kind)
        limit.admits(kind)
        told += limit.dropped()
    assert told == [(kind, 1) for kind in range(4_000)]
