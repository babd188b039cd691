"""How many messages are worked off at once."""

from collections.abc import Callable

import pytest

from launch.watch.batch_size import BatchSize

Seconds = Callable[[int], float]


def sizes(batches: int, seconds: Seconds, *, most: int = 1_000) -> list[int]:
    """Work off full batches that take so long; returns how large each was."""
    size = BatchSize(most, target_s=5.0)
    seen = []
    for _ in range(batches):
        seen.append(size.messages)
        size.note(size.messages, seconds(size.messages))
    return seen


def test_quick_batches_grow_from_small_to_as_large_as_they_may_be() -> None:
    assert sizes(9, lambda _: 0.1) == [10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]
    assert sizes(2, lambda _: 0.1, most=3) == [3, 3]


@pytest.mark.parametrize(
    ("per_s", "expected"),
    [(100.0, [10, 20, 40, 80, 160, 320, 320]), (2.0, [10, 10, 10]), (0.1, [10, 1, 1])],
    ids=["slow", "rationed", "hardly any"],
)
def test_where_only_so_many_go_in_a_second_a_batch_takes_about_as_long_as_wished(
    per_s: float, expected: list[int]
) -> None:
    assert sizes(len(expected), lambda messages: messages / per_s) == expected


def test_where_some_check_of_each_batch_hangs_batches_stay_large() -> None:
    seen = sizes(40, lambda _: 10.0)[20:]
    assert min(seen) >= 500
    assert max(seen) == 1_000


def test_after_an_outage_batches_grow_again_within_a_few() -> None:
    size = BatchSize(most=1_000, target_s=5.0)
    size.note(1, seconds=60.0)
    for _ in range(10):
        size.note(size.messages, seconds=1.0)
    assert size.messages == 1_000
