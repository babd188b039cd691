"""How many messages are worked off at once."""

from typing import Any

import pytest

from groundwatch.launch.watch.batch_size import BatchSize

BATCH = {"messages": 100, "seconds": 1.0, "checked": 100, "deferred": 0, "latency_s": 0.1}


def size_after(*batches: dict[str, Any], per_minute: float | None = None) -> int:
    """How large the next batch is, after some that went as they do by default, but for these."""
    size = BatchSize(most=1_000, in_flight=16, per_minute=per_minute)
    for batch in batches:
        size.adjust(**BATCH | batch)
    return size.messages


@pytest.mark.parametrize(
    ("batch", "size"),
    [
        ({"latency_s": 0.0}, 1_000),
        ({"latency_s": 0.08}, 1_000),
        ({"latency_s": 1.0}, 80),
        ({"latency_s": 4.0}, 20),
        ({"latency_s": 400.0}, 1),
        ({"latency_s": 1.0, "checked": 10}, 800),
        ({"latency_s": 1.0, "checked": 50, "deferred": 50}, 80),
        ({"latency_s": 1.0, "seconds": 15.0, "deferred": 3}, 78),
        ({"checked": 0}, 1_000),
        ({"checked": 0, "deferred": 100, "seconds": 10.0}, 50),
        ({"checked": 0, "deferred": 1, "messages": 1, "seconds": 15.0}, 1),
    ],
    ids=[
        "no time at all",
        "quick",
        "slow",
        "very slow",
        "hardly any",
        "few need a check",
        "half of them fail",
        "one check hangs",
        "nothing to check",
        "an outage",
        "a long outage",
    ],
)
def test_a_batch_holds_what_can_be_checked_in_the_wished_time(
    batch: dict[str, Any], size: int
) -> None:
    assert size_after(batch) == size


def test_the_first_batch_is_a_small_one() -> None:
    assert size_after() == 100


def test_no_batch_holds_more_checks_than_the_quota_allows_in_the_wished_time() -> None:
    assert size_after(per_minute=120.0) == 10
    assert size_after({"latency_s": 0.1}, per_minute=120.0) == 10
    assert size_after({"latency_s": 0.1, "checked": 50}, per_minute=120.0) == 20
    assert size_after(per_minute=0.6) == 1


def test_one_slow_batch_among_quick_ones_counts_half() -> None:
    slow, quick = {"latency_s": 1.0}, {"latency_s": 0.1}
    assert size_after(quick, quick, slow) == round(16 / 0.55 * 5)


def test_after_an_outage_the_first_checks_bring_back_the_size() -> None:
    outage = {"checked": 0, "deferred": 5, "messages": 5, "seconds": 15.0}
    assert size_after(outage) == 2
    assert size_after(outage, outage, {"messages": 2, "checked": 2, "latency_s": 0.05}) == 1_000
