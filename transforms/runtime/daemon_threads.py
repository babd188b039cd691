"""Run calls on threads that a process does not wait for at its end."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import Empty, SimpleQueue
from threading import Lock, Semaphore, Thread
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class DaemonThreads(Executor):
    """Run calls on as many threads as are needed, up to a number.

    The threads of ThreadPoolExecutor keep a process from ending while a call hangs; these do not.

    Args:
      most: threads.
      name: of each thread.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._idle = Semaphore(0)
        self._lock = Lock()
        self._started = 0

    def submit(
        self,
        fn: Callable[_Arguments, _Result],
        /,
        *args: _Arguments.args,
        **kwargs: _Arguments.kwargs,
    ) -> Future[_Result]:
        """Run a call on an idle thread, on a new one, or on the first that becomes idle."""
        future: Future[_Result] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - whoever waits for the result handles it
                future.set_exception(error)
            else:
                future.set_result(result)

        self._calls.put(run)
        if not self._idle.acquire(blocking=False):
            self._start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - as in Executor
        """End the threads after the calls that were submitted; wait for none of them."""
        with self._lock:
            for _ in range(self._started):
                self._calls.put(None)

    def _start(self) -> None:
        with self._lock:
            if self._started < self._most:
                self._started += 1
                Thread(target=self._run, name=self._name, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                call = self._calls.get_nowait()
            except Empty:
                self._idle.release()
                call = self._calls.get()
            if call is None:
                return
            call()
