"""A server on this machine that answers each request with the next bytes of a script."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

import httpx


class Script(NamedTuple):
    """What the server does on one request.

    Attributes:
      content: the bytes that it sends.
      closes: whether it closes the connection then.
      piece: how many bytes it sends at a time; 0 for all.
    """

    content: bytes
    closes: bool = False
    piece: int = 0


class ScriptedServer:
    """The handle of a running server.

    Args:
      scripts: for one request each; the last one for all further requests.

    Attributes:
      url: where it listens.
      connections: how many were opened.
      open_connections: how many are open now.
      heads: the request lines and headers that came.
    """

    def __init__(self, scripts: Sequence[Script]) -> None:
        self.url = httpx.URL()
        self.connections = self.open_connections = 0
        self.heads: list[str] = []
        self._scripts = scripts

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open_connections += 1
        try:
            while await self._serve_one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open_connections -= 1
            writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
        await reader.readexactly(int(fields.get("content-length", 0)))
        script = self._scripts[min(len(self.heads), len(self._scripts) - 1)]
        self.heads.append(head)
        size = script.piece or len(script.content) or 1
        for start in range(0, len(script.content), size):
            writer.write(script.content[start : start + size])
            await writer.drain()
            await asyncio.sleep(0)
        return not script.closes


@asynccontextmanager
async def scripted_server(
    *scripts: Script, tls: ssl.SSLContext | None = None
) -> AsyncIterator[ScriptedServer]:
    """Run a server on the current event loop while the block lasts."""
    server = ScriptedServer(scripts)
    connections: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(asyncio.create_task(server.converse(reader, writer)))

    listening = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls)
    port = listening.sockets[0].getsockname()[1]
    server.url = httpx.URL(f"{'https' if tls else 'http'}://127.0.0.1:{port}/v1/c:check")
    try:
        yield server
    finally:
        listening.close()
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
