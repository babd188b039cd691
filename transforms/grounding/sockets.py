"""Connections to a checker over HTTP: the only place that opens a socket to one.

They are aiohttp's, which carries a call for a third of the processor time that httpx takes, and
does not slow down beyond some 32 connections as httpx does (encode/httpcore#1035).
"""

from collections.abc import Mapping

import aiohttp

from transforms.grounding.errors import BadReply, Unavailable
from transforms.grounding.settings import CheckSettings
from transforms.grounding.transport import RawReply

_HEADERS = {
    "Content-Type": "application/json",
    "Accept-Encoding": "gzip",
    "User-Agent": "groundwatch",
}


class Sockets:
    """Posts over connections that are kept open between calls.

    No redirect is followed, no cookie kept, and no proxy read from the environment.

    Args:
      settings: the address, how many calls at once, through which proxy, how long a reply.
    """

    def __init__(self, settings: CheckSettings) -> None:
        self._settings = settings
        self._session: aiohttp.ClientSession | None = None

    async def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> RawReply:
        """Send one request and read the whole reply.

        Raises:
          Unavailable: there is no connection, or it broke.
          BadReply: the reply is too long.
        """
        if self._session is None:
            self._session = self._open()
        url = self._settings.endpoint + path
        try:
            async with self._session.post(
                url, data=body, headers=headers, allow_redirects=False
            ) as response:
                return RawReply(
                    status=response.status,
                    body=await _read(response.content, self._settings.max_reply_bytes),
                    retry_after=response.headers.get("Retry-After"),
                    encoding=response.headers.get("Content-Encoding"),
                )
        except (aiohttp.ClientError, OSError) as error:
            # The error itself could hold the request, and with it the answer.
            failure = Unavailable(f"the connection failed: {type(error).__name__}")
            failure.was_sent = not isinstance(error, aiohttp.ClientConnectorError)
            raise failure from None

    async def aclose(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> aiohttp.ClientSession:
        """Open a session, which has to happen on the running event loop."""
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=self._settings.max_in_flight + self._settings.most_late_calls
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS,
            auto_decompress=False,
            proxy=self._settings.proxy,
            timeout=aiohttp.ClientTimeout(total=None),
        )


async def _read(stream: aiohttp.StreamReader, max_bytes: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in stream.iter_any():
        size += len(chunk)
        if size > max_bytes:
            raise BadReply(f"the reply is longer than {max_bytes} bytes")
        chunks.append(chunk)
    return b"".join(chunks)
