"""What threads share: opened by the first who needs it, closed by the last."""

import gc
import threading
from contextlib import ExitStack

import pytest

from groundwatch.transforms.runtime.shared_resources import SharedResources


class Line:
    """A resource that knows whether it is open."""

    opened = 0

    def __init__(self) -> None:
        type(self).opened += 1
        self.is_open = True

    def close(self) -> None:
        self.is_open = False


@pytest.fixture
def lines() -> SharedResources[Line]:
    return SharedResources()


def test_users_of_one_key_share_what_the_first_opened_until_the_last_leaves(
    lines: SharedResources[Line],
) -> None:
    with lines.using("a", Line) as first:
        with lines.using("a", Line) as second:
            assert first is second
        assert first.is_open
    assert not first.is_open
    with lines.using("a", Line) as later:
        assert later is not first


def test_other_keys_have_resources_of_their_own(lines: SharedResources[Line]) -> None:
    with lines.using("b", Line) as other:
        with lines.using("a", Line) as one:
            assert one is not other
        assert (one.is_open, other.is_open) == (False, True)


def test_a_resource_that_cannot_be_opened_is_opened_by_the_next_user(
    lines: SharedResources[Line],
) -> None:
    def fail() -> Line:
        raise OSError("no route")

    with pytest.raises(OSError, match="no route"), lines.using("a", fail):
        pass
    with lines.using("a", Line) as line:
        assert line.is_open


def test_many_threads_open_it_once(lines: SharedResources[Line]) -> None:
    before = Line.opened
    barrier = threading.Barrier(32, timeout=60)

    def use() -> None:
        with lines.using("a", Line):
            barrier.wait()

    threads = [threading.Thread(target=use, daemon=True) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Line.opened == before + 1


def test_a_user_that_the_garbage_collector_ends_blocks_no_other(
    lines: SharedResources[Line],
) -> None:
    abandoned = ExitStack()
    vars(abandoned)["itself"] = abandoned
    line = abandoned.enter_context(lines.using("a", Line))
    del abandoned

    def open_line() -> Line:
        gc.collect()
        return Line()

    using_another = lines.using("b", open_line)
    opening = threading.Thread(target=using_another.__enter__, daemon=True)
    opening.start()
    opening.join(20)
    assert not opening.is_alive()
    assert not line.is_open
