"""Evaluate the worker's health, and serve it: /healthz, /livez and /metrics."""

import asyncio
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from groundwatch.launch import http_server
from groundwatch.launch.engine.pubsub.outstanding import SubscriptionStats
from groundwatch.launch.watch.delivery import Delivery
from groundwatch.launch.watch.file_publisher import FilePublisher
from groundwatch.schemas.quantities import SECOND_US
from groundwatch.transforms.rules.checker_outages import CheckerStatus, OutageRule
from groundwatch.transforms.runtime import clock as wall_clock

# A batch may take as long as its checks are retried, and publishing as long as that is.
_STALLED_AFTER_S = 300.0
_CANNOT_PUBLISH_AFTER_S = 60.0
_CACHED_S = 1.0
_PROBE = bytes(4096)
_RESOLVED_BY_RESTART = {"not_pulling"}
_MAX_CONNECTIONS = 8
_log = logging.getLogger(__name__)


class Health:
    """Evaluate the health of a worker, which records when it pulls and finishes messages."""

    def __init__(
        self,
        stats: Callable[[], SubscriptionStats],
        folder: str,
        publisher: FilePublisher,
        destinations: Sequence[Delivery[Any]] = (),
        clock: Callable[[], float] = time.monotonic,
        *,
        checkers: Callable[[], Sequence[CheckerStatus]] = tuple,
        outages: OutageRule = OutageRule(),  # noqa: B008 - it is frozen
    ) -> None:
        self._stats = stats
        self._folder = folder
        self._publisher = publisher
        self._destinations = destinations
        self._checkers = checkers
        self._outages = outages
        self._clock = clock
        self._pulled_at_s = self._progressed_at_s = self._cached_until_s = clock()
        # Of the last batch: a few bytes may fit where its outcome does not.
        self.batch_problem: str | None = None
        self._lock = threading.Lock()
        self._cached: dict[str, str] = {}

    def record_pull(self, *, outstanding: int) -> None:
        """Record a pull; without outstanding messages there is nothing to finish."""
        self._pulled_at_s = self._clock()
        if not outstanding:
            self._progressed_at_s = self._pulled_at_s

    def record_progress(self) -> None:
        self._progressed_at_s = self._clock()
        self.batch_problem = None

    def reasons(self) -> dict[str, str]:
        """Return why the worker is unhealthy, evaluated once a second: names and sentences."""
        with self._lock:
            now_s = self._clock()
            if now_s >= self._cached_until_s:
                self._cached = dict(self._evaluate(now_s))
                self._cached_until_s = now_s + _CACHED_S
            return self._cached

    def page(self) -> http_server.Page:
        """Answer ``/healthz``: 200 and ``ok``, or 503 and the reasons as JSON."""
        return _page(self.reasons())

    def live_page(self) -> http_server.Page:
        """Answer ``/livez``: as ``/healthz``, with the reasons that a restart resolves."""
        reasons = self.reasons()
        return _page({name: reasons[name] for name in _RESOLVED_BY_RESTART & reasons.keys()})

    def _evaluate(self, now_s: float) -> Iterator[tuple[str, str]]:
        stats = self._stats()
        since_pull_s, since_progress_s = now_s - self._pulled_at_s, now_s - self._progressed_at_s
        if since_pull_s > _STALLED_AFTER_S:
            yield "not_pulling", f"no pull for {since_pull_s:.0f} s"
        if stats.outstanding and since_progress_s > _STALLED_AFTER_S:
            message = f"{stats.outstanding} messages are outstanding, and none was finished for"
            yield "no_progress", f"{message} {since_progress_s:.0f} s"
        if problem := disk_problem(self._folder) or self.batch_problem:
            yield "disk_not_writable", problem
        failing_for_s = self._publisher.failing_for_s
        if failing_for_s > _CANNOT_PUBLISH_AFTER_S:
            message = f"no file could be published for {failing_for_s:.0f} s"
            yield "cannot_publish", f"{message}: {self._publisher.problem}"
        elif (waiting_for_s := self._publisher.waiting_for_s) > _CANNOT_PUBLISH_AFTER_S:
            message = f"a file has been written for {waiting_for_s:.0f} s"
            yield "cannot_publish", f"{message}, and the output does not answer"
        problems = [f"{each.kind}: {each.problem}" for each in self._destinations if each.problem]
        if problems:
            yield "cannot_deliver", "; ".join(problems)
        now_us = wall_clock.now_us()
        failing = [
            f"{each.checker}: {each.cause}, for {(now_us - since_us) / SECOND_US:.0f} s"
            f" ({each.problem})"
            for each in self._checkers()
            if stats.outstanding
            and (since_us := each.failing_since_us) is not None
            and now_us - since_us >= self._outages.after_us
        ]
        if failing:
            yield "checker_does_not_answer", f"{'; '.join(failing)}; its answers wait"
        if not stats.is_available:
            yield "pubsub_does_not_answer", "Pub/Sub does not answer; it is retried"


def _page(reasons: dict[str, str]) -> http_server.Page:
    if not reasons:
        return http_server.Page(200, "text/plain; charset=utf-8", b"ok\n")
    listed = [{"reason": name, "message": message} for name, message in reasons.items()]
    body = msgspec.json.encode({"status": "unhealthy", "reasons": listed})
    return http_server.Page(503, "application/json", body + b"\n")


def disk_problem(folder: str) -> str | None:
    """Try to write to a folder; return why that fails, None if it does not."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as stream:
            stream.write(_PROBE)
            os.fsync(stream.fileno())
    except OSError as error:
        return f"{folder} cannot be written: {error.strerror or type(error).__name__}"
    return None


class StatusServer:
    """Serve pages on a thread until `close`, also while the process is busy with other work.

    A page is made for a GET or HEAD of its path, from the Accept header, on another thread. One
    that takes longer than `deadline_s` ends the connection.
    """

    def __init__(
        self,
        host: str,
        port: int,
        pages: Mapping[str, Callable[[str], http_server.Page]],
        deadline_s: float = 5.0,
    ) -> None:
        self._pages = pages
        self._deadline_s = deadline_s
        self._page_threads = ThreadPoolExecutor(_MAX_CONNECTIONS, "status-page")
        limits = http_server.ServerLimits(
            deadline_s=deadline_s, max_connections=_MAX_CONNECTIONS, shutdown_s=0.1
        )
        self._server = http_server.ServerThread("status", (host, port), self._answer, limits)
        self.address = self._server.address

    def close(self) -> None:
        """Stop listening, close the connections, and wait for pages that still read a database."""
        self._server.close()
        self._page_threads.shutdown(cancel_futures=True)

    async def _answer(self, request: http_server.HttpRequest) -> http_server.Page:
        if request.method not in {"GET", "HEAD"}:
            return http_server.refuse_in_text(501, "only GET and HEAD are served")
        if request.path not in self._pages:
            return http_server.refuse_in_text(404, "there is no such page")
        make, accept = self._pages[request.path], request.headers.get("Accept", "")
        try:
            async with asyncio.timeout(self._deadline_s):
                loop = asyncio.get_running_loop()
                page = await loop.run_in_executor(self._page_threads, make, accept)
        except TimeoutError:
            raise
        except Exception as error:  # noqa: BLE001 - it is logged, and the next request is served
            _log.error("cannot make the page %s: %s", request.path, type(error).__name__)
            return http_server.refuse_in_text(500, "this page is not available; the log says why")
        return page._replace(headers={"Cache-Control": "no-store"})
