"""How many messages are worked off at once."""

from launch.watch.batch_size import BatchSize


def test_a_batch_is_as_large_as_it_may_be_while_batches_are_quick() -> None:
    size = BatchSize(most=1_000, target_s=5.0)
    size.note(1_000, 4.9)
    assert size.messages == 1_000


def test_slow_checks_make_batches_that_take_as_long_as_wished() -> None:
    size = BatchSize(most=1_000, target_s=5.0)
    sizes = []
    for _ in range(3):
        size.note(size.messages, seconds=size.messages / 10)
        sizes.append(size.messages)
    assert sizes == [50, 50, 50]


def test_no_batch_is_wished_smaller_than_ten_however_long_one_took() -> None:
    size = BatchSize(most=1_000, target_s=5.0)
    size.note(1, seconds=100.0)
    assert size.messages == 10


def test_where_a_batch_may_be_smaller_than_ten_it_stays_so() -> None:
    size = BatchSize(most=3, target_s=5.0)
    size.note(3, seconds=100.0)
    assert size.messages == 3


def test_after_an_outage_batches_grow_to_their_size_again_within_a_few() -> None:
    size = BatchSize(most=1_000, target_s=5.0)
    size.note(10, seconds=60.0)
    for _ in range(7):
        size.note(size.messages, seconds=1.0)
    assert size.messages == 1_000
