"""Run calls on threads that a process does not wait for at its end."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from multiprocessing.pool import ThreadPool
from typing import Any, TypeVar

_Result = TypeVar("_Result")


class DaemonThreads(Executor):
    """Run calls on a number of threads that do not keep the process from ending.

    Those of ThreadPoolExecutor do, while a call hangs.

    Args:
      count: of the threads.
    """

    def __init__(self, count: int) -> None:
        self._pool = ThreadPool(count)

    def submit(self, fn: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> Future[_Result]:
        """Run a call on the first thread that is idle; it cannot be cancelled."""
        future: Future[_Result] = Future()
        # Setting the result of a cancelled future would end the pool's own thread.
        future.set_running_or_notify_cancel()
        self._pool.apply_async(fn, args, kwargs, future.set_result, future.set_exception)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - as in Executor
        """End the threads after the calls that were submitted, without waiting for them."""
        self._pool.close()
