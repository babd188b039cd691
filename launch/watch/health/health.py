"""Evaluate the worker's health: the reasons why it is unhealthy."""

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator

import msgspec

from launch.pubsub.outstanding import SubscriptionStats
from launch.watch.durable.publisher import FilePublisher
from launch.watch.health.status_server import Page
from schemas import Record

_HTTP_OK, _HTTP_UNAVAILABLE = 200, 503
_CACHED_S = 1.0
_PROBE = bytes(4096)


class HealthRule(Record, frozen=True, kw_only=True):
    """When the worker is unhealthy.

    Attributes:
      stalled_after_s: seconds without a pull, or without a message that was finished although some
        wait. A batch may take as long as its checks are retried, and publishing as long as that is.
      cannot_publish_after_s: seconds for which publications may fail.
    """

    stalled_after_s: float = 300.0
    cannot_publish_after_s: float = 60.0


class WorkerState(Record, frozen=True, kw_only=True):
    """What the health of the worker depends on, at a moment.

    Attributes:
      since_pull_s: seconds since its loop pulled.
      since_progress_s: seconds for which messages have been waiting of which none was finished.
      outstanding: messages that it has pulled and not acknowledged.
      is_pubsub_available: whether Pub/Sub answers.
      disk_problem: why a folder of this machine cannot be written; None if all can.
      publish_problem: why the last publication of files failed; None if it did not.
      publish_failing_for_s: seconds since the first publication failed after which none succeeded.
    """

    since_pull_s: float
    since_progress_s: float
    outstanding: int
    is_pubsub_available: bool
    disk_problem: str | None = None
    publish_problem: str | None = None
    publish_failing_for_s: float = 0.0


class HealthReason(Record, frozen=True):
    """One reason why the worker is unhealthy.

    Attributes:
      reason: a stable name.
      message: a sentence for a person.
    """

    reason: str
    message: str


def health_reasons(state: WorkerState, rule: HealthRule) -> Iterator[HealthReason]:
    """Return the reasons why the worker is unhealthy, none if it is healthy.

    Args:
      state: the worker as it is.
      rule: when it is unhealthy.
    """
    if state.since_pull_s > rule.stalled_after_s:
        yield HealthReason("not_pulling", f"no pull for {state.since_pull_s:.0f} s")
    if state.outstanding and state.since_progress_s > rule.stalled_after_s:
        message = (
            f"{state.outstanding} messages are outstanding, and none was finished for"
            f" {state.since_progress_s:.0f} s"
        )
        yield HealthReason("no_progress", message)
    if state.disk_problem:
        yield HealthReason("disk_not_writable", state.disk_problem)
    if state.publish_problem and state.publish_failing_for_s > rule.cannot_publish_after_s:
        message = (
            f"no file could be published for {state.publish_failing_for_s:.0f} s:"
            f" {state.publish_problem}"
        )
        yield HealthReason("cannot_publish", message)
    if not state.is_pubsub_available:
        yield HealthReason("pubsub_does_not_answer", "Pub/Sub does not answer; it is retried")


def disk_problem(folder: str) -> str | None:
    """Try to write to a folder.

    Returns:
      Why that fails, None if it does not.
    """
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as stream:
            stream.write(_PROBE)
            os.fsync(stream.fileno())
    except OSError as error:
        return f"{folder} cannot be written: {error.strerror or type(error).__name__}"
    return None


class Heartbeat:
    """Record when the worker's loop pulled last, and when it last finished a message.

    Args:
      clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pulled_at_s = self._progressed_at_s = clock()

    def record_pull(self, *, outstanding: int) -> None:
        """Record that the loop is about to pull.

        Args:
          outstanding: messages that it has already; without any there is nothing to finish.
        """
        self._pulled_at_s = self._clock()
        if not outstanding:
            self._progressed_at_s = self._pulled_at_s

    def record_progress(self) -> None:
        """Record that a message was finished."""
        self._progressed_at_s = self._clock()

    @property
    def since_pull_s(self) -> float:
        """Seconds since the loop pulled."""
        return self._clock() - self._pulled_at_s

    @property
    def since_progress_s(self) -> float:
        """Seconds for which messages have been outstanding of which none was finished."""
        return self._clock() - self._progressed_at_s


class Health:
    """Evaluate the health at most once a second, however many requests there are.

    Args:
      heartbeat: of the worker's loop.
      stats: reads the statistics of its subscription.
      folders: those of this machine that it must be able to write to.
      publisher: of its files.
      rule: when it is unhealthy.
      clock: seconds, monotonic.
    """

    def __init__(
        self,
        heartbeat: Heartbeat,
        stats: Callable[[], SubscriptionStats],
        folders: Iterable[str],
        publisher: FilePublisher,
        *,
        rule: HealthRule = HealthRule(),  # noqa: B008 - it is frozen
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._heartbeat = heartbeat
        self._stats = stats
        self._folders = tuple(folders)
        self._publisher = publisher
        self._rule = rule
        self._clock = clock
        self._lock = threading.Lock()
        self._cached: tuple[HealthReason, ...] = ()
        self._cached_until_s = clock()

    def reasons(self) -> tuple[HealthReason, ...]:
        """Return the reasons why the worker is unhealthy; empty if it is healthy."""
        with self._lock:
            if self._clock() >= self._cached_until_s:
                self._cached = tuple(health_reasons(self._state(), self._rule))
                self._cached_until_s = self._clock() + _CACHED_S
            return self._cached

    def page(self) -> Page:
        """Answer ``/healthz``: 200 and ``ok``, or 503 and the reasons as JSON."""
        reasons = self.reasons()
        if not reasons:
            return Page(_HTTP_OK, "text/plain; charset=utf-8", b"ok\n")
        body = msgspec.json.encode({"status": "unhealthy", "reasons": reasons})
        return Page(_HTTP_UNAVAILABLE, "application/json", body + b"\n")

    def _state(self) -> WorkerState:
        stats = self._stats()
        problems = filter(None, map(disk_problem, self._folders))
        return WorkerState(
            since_pull_s=self._heartbeat.since_pull_s,
            since_progress_s=self._heartbeat.since_progress_s,
            outstanding=stats.outstanding,
            is_pubsub_available=stats.is_available,
            disk_problem=next(problems, None),
            publish_problem=self._publisher.problem,
            publish_failing_for_s=self._publisher.failing_for_s,
        )
