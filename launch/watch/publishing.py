"""When files become public, beside the batches."""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

_RETRY_S = 10.0


class Publishing:
    """Publishes on a thread of its own, since a bucket may take its time, and alerts must not.

    Args:
      publish: makes all that waits public, and returns how many files; raises OSError.
      sizes: bytes that wait, by output folder; cleared when they are about to become public.
      file_bytes: how many of them are worth a file.
      file_age_s: how old the oldest may become.
      clock: seconds, never set back.
    """

    def __init__(
        self,
        publish: Callable[[], int],
        sizes: Counter[str],
        file_bytes: int,
        file_age_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._publish = publish
        self._sizes = sizes
        self._file_bytes = file_bytes
        self._file_age_s = file_age_s
        self._clock = clock
        self._due_at_s = clock()
        self._not_before_s = clock()
        self._thread = ThreadPoolExecutor(1, "publish-files")
        self._under_way: Future[int] | None = None

    def look(self) -> None:
        """Begin to publish if it is time, and hear how the last time went.

        Raises:
          OSError: a file could not be written; it is tried again after a while.
        """
        if self._under_way is not None:
            if self._under_way.done():
                self._conclude(self._under_way)
        elif self._is_due():
            self._sizes.clear()
            self._due_at_s = self._clock() + self._file_age_s
            self._under_way = self._thread.submit(self._publish)

    def finish(self) -> None:
        """Publish all that waits, and return when it is public.

        Raises:
          OSError: a file cannot be written.
        """
        if self._under_way is not None:
            with suppress(OSError):
                self._under_way.result()
        self._publish()

    def _conclude(self, ended: Future[int]) -> None:
        self._under_way = None
        try:
            ended.result()
        except OSError:
            self._due_at_s = self._not_before_s = self._clock() + _RETRY_S
            raise

    def _is_due(self) -> bool:
        now_s = self._clock()
        is_large = max(self._sizes.values(), default=0) >= self._file_bytes
        return now_s >= self._not_before_s and (is_large or now_s >= self._due_at_s)
