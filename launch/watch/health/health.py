"""Evaluate the worker's health: the reasons why it is unhealthy."""

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator

import msgspec

from launch.pubsub.outstanding import SubscriptionStats
from launch.watch.durable.publisher import FilePublisher
from launch.watch.health.status_server import Page
from schemas import Record

_HTTP_OK, _HTTP_UNAVAILABLE = 200, 503
_STALLED_AFTER_S = 300.0
"""A batch may take as long as its checks are retried, and publishing as long as that is."""

_CANNOT_PUBLISH_AFTER_S = 60.0
_CACHED_S = 1.0
_PROBE = bytes(4096)


class HealthReason(Record, frozen=True):
    """A reason why the worker is unhealthy: a stable name, and a sentence for a person."""

    reason: str
    message: str


class Health:
    """Evaluate the health of a worker, which records when it pulls and finishes messages."""

    def __init__(
        self,
        stats: Callable[[], SubscriptionStats],
        folder: str,
        publisher: FilePublisher,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stats = stats
        self._folder = folder
        self._publisher = publisher
        self._clock = clock
        self._pulled_at_s = self._progressed_at_s = self._cached_until_s = clock()
        self._lock = threading.Lock()
        self._cached: tuple[HealthReason, ...] = ()

    def record_pull(self, *, outstanding: int) -> None:
        """Record a pull; without outstanding messages there is nothing to finish."""
        self._pulled_at_s = self._clock()
        if not outstanding:
            self._progressed_at_s = self._pulled_at_s

    def record_progress(self) -> None:
        """Record that a message was finished."""
        self._progressed_at_s = self._clock()

    def reasons(self) -> tuple[HealthReason, ...]:
        """Return the reasons why the worker is unhealthy, evaluated at most once a second."""
        with self._lock:
            now_s = self._clock()
            if now_s >= self._cached_until_s:
                self._cached = tuple(self._evaluate(now_s))
                self._cached_until_s = now_s + _CACHED_S
            return self._cached

    def page(self) -> Page:
        """Answer ``/healthz``: 200 and ``ok``, or 503 and the reasons as JSON."""
        reasons = self.reasons()
        if not reasons:
            return Page(_HTTP_OK, "text/plain; charset=utf-8", b"ok\n")
        body = msgspec.json.encode({"status": "unhealthy", "reasons": reasons})
        return Page(_HTTP_UNAVAILABLE, "application/json", body + b"\n")

    def _evaluate(self, now_s: float) -> Iterator[HealthReason]:
        stats = self._stats()
        since_pull_s, since_progress_s = now_s - self._pulled_at_s, now_s - self._progressed_at_s
        if since_pull_s > _STALLED_AFTER_S:
            yield HealthReason("not_pulling", f"no pull for {since_pull_s:.0f} s")
        if stats.outstanding and since_progress_s > _STALLED_AFTER_S:
            message = (
                f"{stats.outstanding} messages are outstanding, and none was finished for"
                f" {since_progress_s:.0f} s"
            )
            yield HealthReason("no_progress", message)
        if problem := disk_problem(self._folder):
            yield HealthReason("disk_not_writable", problem)
        failing_for_s = self._publisher.failing_for_s
        if failing_for_s > _CANNOT_PUBLISH_AFTER_S:
            message = f"no file could be published for {failing_for_s:.0f} s"
            yield HealthReason("cannot_publish", f"{message}: {self._publisher.problem}")
        if not stats.is_available:
            yield HealthReason("pubsub_does_not_answer", "Pub/Sub does not answer; it is retried")


def disk_problem(folder: str) -> str | None:
    """Try to write to a folder; return why that fails, None if it does not."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as stream:
            stream.write(_PROBE)
            os.fsync(stream.fileno())
    except OSError as error:
        return f"{folder} cannot be written: {error.strerror or type(error).__name__}"
    return None
