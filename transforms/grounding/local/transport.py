"""The embedded checker in the place of the network."""

import asyncio
from concurrent.futures import Executor

import httpx

from transforms.grounding.local.entailment import EntailmentModel
from transforms.grounding.local.service import Reply, answer

_MOST_BYTES_IN_LOOP = 8_000
"""Of a request. Whatever its text, a shorter one takes a quarter of a second at most."""


class LocalTransport(httpx.AsyncBaseTransport):
    """Answer requests inside the process, in the service's own JSON, without a socket.

    A check by words runs in the caller's event loop: it takes a millisecond or less for a usual
    answer. A check by a model, which takes far longer, runs in a thread, and so does a long request
    if `threads` are given.

    Args:
      scorer: the folder of a model that scores the claims; None has them scored by words.
      threads: run requests of more than 8,000 bytes, so that the event loop can serve others.

    Raises:
      Misconfigured: the folder holds no model that can be used.
    """

    def __init__(self, scorer: str | None = None, threads: Executor | None = None) -> None:
        self._entailment = EntailmentModel(scorer).probabilities if scorer else None
        self._threads = threads

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request, without authorization."""
        reply = await self.answer(request.method, request.url.path, request.content)
        return httpx.Response(reply.status, stream=httpx.ByteStream(reply.body))

    async def answer(self, method: str, path: str, body: bytes) -> Reply:
        """Answer one request of HTTP as Google's service does, its refusals included."""
        is_long = self._threads is not None and len(body) > _MOST_BYTES_IN_LOOP
        if self._entailment or is_long:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(
                self._threads, answer, method, path, body, self._entailment
            )
        return answer(method, path, body)
