"""How long is waited before another attempt."""

import pytest

from groundwatch.transforms.runtime.retry_schedule import RetrySchedule

SURE = RetrySchedule(first_s=1.0, longest_s=60.0)
SHARED = RetrySchedule(first_s=1.0, longest_s=30.0, min_share=0.5)
RANDOM = RetrySchedule(first_s=0.5, longest_s=20.0, min_share=0.0)
CONSTANT = RetrySchedule(first_s=15.0, longest_s=15.0)


@pytest.mark.parametrize(
    ("schedule", "failures", "jitter", "wait_s"),
    [
        (SURE, 1, 1.0, 1.0),
        (SURE, 2, 0.0, 2.0),
        (SURE, 6, 0.5, 32.0),
        (SURE, 7, 1.0, 60.0),
        (SURE, 1_000_000, 1.0, 60.0),
        (SHARED, 1, 0.0, 0.5),
        (SHARED, 1, 1.0, 1.0),
        (SHARED, 3, 0.5, 3.0),
        (SHARED, 99, 1.0, 30.0),
        (RANDOM, 1, 0.0, 0.0),
        (RANDOM, 2, 0.5, 0.5),
        (RANDOM, 9, 1.0, 20.0),
        (CONSTANT, 1, 1.0, 15.0),
        (CONSTANT, 9, 1.0, 15.0),
    ],
)
def test_a_wait_doubles_up_to_its_bound(
    schedule: RetrySchedule, failures: int, jitter: float, wait_s: float
) -> None:
    assert schedule.wait_s(failures, jitter) == wait_s
