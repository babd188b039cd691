"""The embedded checker over HTTP, in the place of Google's service."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from transforms.grounding.local.service import Reply, answer, refuse

_MAX_BODY_BYTES = 32 * 1024 * 1024
"""More than 200 facts of 10,000 characters need, however their JSON is escaped."""

_SHUTDOWN_TIMEOUT_S = 5
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def serve(port: int, host: str = "127.0.0.1") -> None:
    """Serve checks until SIGINT or SIGTERM, then finish what is in hand and return.

    Args:
      port: the TCP port; 0 takes a free one. The first line printed says which.
      host: the address to listen on.

    Raises:
      OSError: the address is taken or not one of this machine's.
    """
    asyncio.run(_serve_until_stopped(port, host))


async def _serve_until_stopped(port: int, host: str) -> None:
    stopped = asyncio.Event()
    for number in _STOP_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with listening(port, host) as address:
        sys.stdout.write(f"The embedded checker listens on {address}\n")
        sys.stdout.flush()
        await stopped.wait()


@asynccontextmanager
async def listening(port: int, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """Serve checks inside the running event loop; yields the base address, such as http://host:1.

    One process answers on one core: checks run one after another in the event loop.
    """
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", _handle)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=_SHUTDOWN_TIMEOUT_S)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=1024).start()
        yield _address(runner)
    finally:
        await runner.cleanup()


def _address(runner: web.AppRunner) -> str:
    host, port = runner.addresses[0][:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _handle(request: web.Request) -> web.Response:
    body = await _read_body(request)
    if body is None:
        reply = refuse(413, f"The request is over {_MAX_BODY_BYTES:,} bytes.")
    else:
        reply = answer(request.method, request.path, body)
    return _respond(reply)


async def _read_body(request: web.Request) -> bytes | None:
    """Return the whole body, or None as soon as it is known to be too long."""
    if (request.content_length or 0) > _MAX_BODY_BYTES:
        return None
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > _MAX_BODY_BYTES:
            return None
    return bytes(body)


def _respond(reply: Reply) -> web.Response:
    return web.Response(status=reply.status, body=reply.body, content_type="application/json")
