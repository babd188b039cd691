"""What threads share: opened by the first who needs it, closed by the last."""

import threading

import pytest

from transforms.runtime.shared_resources import SharedResources


class Line:
    """A resource that knows whether it is open."""

    opened = 0

    def __init__(self) -> None:
        type(self).opened += 1
        self.is_open = True

    def close(self) -> None:
        self.is_open = False


def test_users_of_one_key_share_what_the_first_opened_until_the_last_leaves() -> None:
    lines: SharedResources[Line] = SharedResources()
    first, second = lines.acquire("a", Line), lines.acquire("a", Line)
    assert first is second
    lines.release("a")
    assert first.is_open
    lines.release("a")
    assert not first.is_open
    assert lines.acquire("a", Line) is not first


def test_other_keys_have_resources_of_their_own() -> None:
    lines: SharedResources[Line] = SharedResources()
    one, other = lines.acquire("a", Line), lines.acquire("b", Line)
    lines.release("a")
    assert (one.is_open, other.is_open) == (False, True)


def test_what_could_not_be_opened_is_tried_again() -> None:
    lines: SharedResources[Line] = SharedResources()

    def fail() -> Line:
        raise OSError("no route")

    with pytest.raises(OSError, match="no route"):
        lines.acquire("a", fail)
    assert lines.acquire("a", Line).is_open


def test_many_threads_open_it_once() -> None:
    lines: SharedResources[Line] = SharedResources()
    before = Line.opened
    barrier = threading.Barrier(32)

    def use() -> None:
        barrier.wait()
        lines.acquire("a", Line)

    threads = [threading.Thread(target=use) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Line.opened == before + 1
