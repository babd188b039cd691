"""Serve /healthz, /livez and /metrics on a thread of their own."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from groundwatch.launch import http_server

_MAX_CONNECTIONS = 8
_DEADLINE_S = 5.0
_SHUTDOWN_S = 0.1
_log = logging.getLogger(__name__)


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
        deadline_s: float = _DEADLINE_S,
    ) -> None:
        self._pages = pages
        self._deadline_s = deadline_s
        self._page_threads = ThreadPoolExecutor(_MAX_CONNECTIONS, "status-page")
        limits = http_server.ServerLimits(
            deadline_s=deadline_s, max_connections=_MAX_CONNECTIONS, shutdown_s=_SHUTDOWN_S
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
