"""Publish final files on a thread, while batches are processed."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from groundwatch.pipeline.storage import TargetExists

_RETRY_AFTER_S = 10.0


class FilePublisher:
    """Publish by age and size, on a thread: a slow bucket must not delay alerts.

    After `file_age_s` everything is published; when `is_full` says so, what fills a file. The last
    failure is the `problem`. `publish` gets a function that it calls behind each file.
    """

    def __init__(
        self,
        publish: Callable[..., int],
        is_full: Callable[[], bool],
        file_age_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.failed = 0
        self.problem: str | None = None
        self._failing_since_s: float | None = None
        self._publish = publish
        self._is_full = is_full
        self._file_age_s = file_age_s
        self._clock = clock
        self._due_at_s = self._not_before_s = self._waiting_since_s = clock()
        self._thread = ThreadPoolExecutor(1, "publish-files")
        self._running: Future[int] | None = None

    @property
    def failing_for_s(self) -> float:
        """Return for how many seconds publications have failed; 0.0 while they do not."""
        return 0.0 if self._failing_since_s is None else self._clock() - self._failing_since_s

    @property
    def waiting_for_s(self) -> float:
        """Return for how many seconds a publication has waited for its next file."""
        running = self._running
        is_waiting = running is not None and not running.done()
        return self._clock() - self._waiting_since_s if is_waiting else 0.0

    def _record_file(self) -> None:
        """Record that a file was published, on any thread."""
        self._waiting_since_s = self._clock()

    def publish_due(self) -> None:
        """Begin a publication if it is time; raise the last one's TargetExists or OSError."""
        if self._running is None:
            now_s = self._clock()
            is_old = now_s >= self._due_at_s
            if now_s >= self._not_before_s and (is_old or self._is_full()):
                if is_old:
                    self._due_at_s = now_s + self._file_age_s
                self._waiting_since_s = now_s
                self._running = self._thread.submit(
                    self._publish, self._record_file, everything=is_old
                )
        elif self._running.done():
            ended, self._running = self._running, None
            try:
                ended.result()
            except TargetExists:
                raise
            except OSError as error:
                now_s = self._clock()
                self.failed += 1
                self.problem = str(error)
                if self._failing_since_s is None:
                    self._failing_since_s = now_s
                self._due_at_s = self._not_before_s = now_s + _RETRY_AFTER_S
                raise
            self.problem = self._failing_since_s = None

    def finish(self) -> None:
        """Publish everything, and return when it is done; raise what `publish_due` raises."""
        if self._running is not None:
            with suppress(OSError):
                self._running.result()
        self._publish(self._record_file, everything=True)

    def close(self) -> None:
        """Wait for a publication that still runs, and whose connections are then closed."""
        self._thread.shutdown(cancel_futures=True)
