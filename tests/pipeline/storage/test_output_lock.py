"""An output folder has one holder at a time, on disk and in a bucket."""

import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from groundwatch.pipeline.errors import LockFailed
from groundwatch.pipeline.storage.output_lock import lock_output
from tests.support.buckets import Buckets, Trouble, when
from tests.support.storage_server import storage_server
from tests.support.waiting import wait_until

LEASE_S = 0.5


@pytest.fixture
def buckets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Buckets]:
    with storage_server(monkeypatch) as buckets:
        yield buckets


@pytest.fixture(params=["disk", "bucket"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    request.getfixturevalue("buckets")
    return "gs://out/run/.lock" if request.param == "bucket" else str(tmp_path / "out" / ".lock")


def test_a_second_holder_is_refused_and_the_next_is_not(path: str) -> None:
    for _ in range(2):
        with (
            lock_output(path, 0),
            pytest.raises(LockFailed, match=r"another process holds .*\.lock"),
            lock_output(path, 0),
        ):
            pass


def test_nothing_is_left_behind(path: str, buckets: Buckets, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="ends early"), lock_output(path, 0):
        raise RuntimeError("ends early")
    assert buckets.below("gs://") == {}
    assert list(tmp_path.glob("out/.*")) == []


def test_only_one_of_many_holds_the_lock_at_a_time(path: str) -> None:
    inside, most = 0, 0
    counted = threading.Lock()

    def hold() -> None:
        nonlocal inside, most
        with lock_output(path, 60):
            with counted:
                inside += 1
                most = max(most, inside)
            with counted:
                inside -= 1

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(hold) for _ in range(8)]:
            done.result()
    assert (inside, most) == (0, 1)


def _hold_for_ever(path: str, held: "multiprocessing.synchronize.Event") -> None:
    with lock_output(path, 0):
        held.set()
        threading.Event().wait()


def test_a_lock_on_disk_ends_with_its_process(tmp_path: Path) -> None:
    path = str(tmp_path / ".lock")
    context = multiprocessing.get_context("spawn")
    held = context.Event()
    holder = context.Process(target=_hold_for_ever, args=(path, held), daemon=True)
    holder.start()
    assert held.wait(60)
    with pytest.raises(LockFailed), lock_output(path, 0):
        pass
    holder.kill()
    holder.join(60)
    with lock_output(path, 0):
        pass


def test_a_lock_in_a_bucket_that_nobody_renews_is_taken_over(buckets: Buckets) -> None:
    buckets.put("gs://out/.lock", b"of a machine that is gone")
    with pytest.raises(LockFailed), lock_output("gs://out/.lock", 0, LEASE_S):
        pass
    with lock_output("gs://out/.lock", 10, LEASE_S):
        assert buckets.below("gs://out/")[".lock"] != b"of a machine that is gone"
    assert buckets.below("gs://out/") == {}


def test_a_lock_in_a_bucket_is_renewed_while_it_is_held(buckets: Buckets) -> None:
    with lock_output("gs://out/.lock", 0, LEASE_S) as lock:
        writes = [action for action, _ in buckets.requests].count("begin")
        wait_until(lambda: [a for a, _ in buckets.requests].count("begin") > writes + 4)
        with pytest.raises(LockFailed), lock_output("gs://out/.lock", 2 * LEASE_S, LEASE_S):
            pass
        lock.check()


def test_a_holder_that_cannot_renew_its_lock_knows_that_it_is_lost(buckets: Buckets) -> None:
    with ExitStack() as held:
        lock = held.enter_context(lock_output("gs://out/.lock", 0, LEASE_S))
        buckets.plan = when("begin", "", Trouble(403))
        wait_until(lambda: lock.is_lost)
        with pytest.raises(LockFailed):
            lock.check()


def test_a_lock_taken_by_another_process_is_lost_and_not_removed(buckets: Buckets) -> None:
    with lock_output("gs://out/.lock", 0, LEASE_S) as lock:
        buckets.put("gs://out/.lock", b"another's")
        wait_until(lambda: lock.is_lost)
    assert buckets.below("gs://out/") == {".lock": b"another's"}


def test_a_lost_reply_does_not_lock_out_the_holder(buckets: Buckets) -> None:
    buckets.plan = when("begin", "lock", Trouble(503, is_done=True), times=1)
    with lock_output("gs://out/.lock", 0, LEASE_S) as lock:
        lock.check()
