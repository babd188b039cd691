"""Threads that a process does not wait for."""

import threading
from concurrent.futures import wait

import pytest

from groundwatch.transforms.runtime.daemon_threads import DaemonThreads
from tests.support.commands import run

HANGS = """
import threading
from groundwatch.transforms.runtime.daemon_threads import DaemonThreads
DaemonThreads(2).submit(threading.Event().wait)
print("ended")
"""


def test_a_call_returns_or_raises_what_it_does() -> None:
    threads = DaemonThreads(2)
    assert threads.submit(pow, 2, 3).result(10) == 8
    with pytest.raises(ZeroDivisionError):
        threads.submit(divmod, 1, 0).result(10)


def test_as_many_calls_run_at_once_as_there_may_be_threads() -> None:
    threads, ends, lock = DaemonThreads(3), threading.Event(), threading.Lock()
    running: list[int] = []
    most: list[int] = []

    def call() -> None:
        with lock:
            running.append(1)
            most.append(len(running))
        ends.wait(10)
        with lock:
            running.pop()

    calls = [threads.submit(call) for _ in range(9)]
    wait(calls, timeout=0.2)
    assert len(running) == 3
    ends.set()
    assert len(wait(calls, timeout=10).done) == 9
    assert max(most) == 3


def test_a_thread_is_used_again_and_ends_when_it_is_told_to() -> None:
    threads = DaemonThreads(2)
    names = {threads.submit(threading.current_thread).result(10) for _ in range(20)}
    threads.shutdown()
    for thread in names:
        thread.join(10)
    assert not any(thread.is_alive() for thread in names)
    assert len(names) <= 2


def test_a_process_ends_while_a_call_hangs() -> None:
    status, output, _ = run("-c", HANGS)
    assert (status, output) == (0, "ended\n")
