"""Everything that can go wrong between a request and its reply, byte for byte.

Each fault answers one request on an open connection. It returns whether the connection can be
used again; a fault that breaks the protocol leaves it broken.
"""

import asyncio
import gzip
import json
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

DRIP_S = 0.2
"""Seconds between two bytes of a dripping reply."""

_MEBIBYTE = bytes(2**20)


class Exchange(NamedTuple):
    """One request under way: where to write, what a good reply says, what was asked."""

    writer: asyncio.StreamWriter
    good: bytes
    asked: str


Fault = Callable[[Exchange], Awaitable[bool]]


def reply_head(status: str, *headers: str) -> bytes:
    """The head of a reply of JSON unless its headers say otherwise."""
    if not any(header.startswith("Content-Type") for header in headers):
        headers = ("Content-Type: application/json", *headers)
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode()


async def send(exchange: Exchange, status: str, body: bytes, *headers: str) -> bool:
    """A whole reply; the connection stays open."""
    head = reply_head(status, *headers, f"Content-Length: {len(body)}")
    exchange.writer.write(head + body)
    await exchange.writer.drain()
    return True


async def good(exchange: Exchange) -> bool:
    return await send(exchange, "200 OK", exchange.good)


async def compressed(exchange: Exchange) -> bool:
    body = gzip.compress(exchange.good)
    return await send(exchange, "200 OK", body, "Content-Encoding: gzip")


def after(delay_s: float) -> Fault:
    """A good reply that takes its time."""

    async def reply(exchange: Exchange) -> bool:
        await asyncio.sleep(delay_s)
        return await good(exchange)

    return reply


def together(count: int) -> Fault:
    """Good replies, once so many requests are waiting for theirs."""
    barrier = asyncio.Barrier(count)

    async def reply(exchange: Exchange) -> bool:
        await barrier.wait()
        return await good(exchange)

    return reply


def status(code: int, name: str, *headers: str) -> Fault:
    """An error in google.rpc's form, which quotes the answer as some services do."""

    async def reply(exchange: Exchange) -> bool:
        error = {"code": code, "message": f"Cannot check: {exchange.asked}", "status": name}
        body = json.dumps({"error": error}).encode()
        return await send(exchange, f"{code} {name}", body, *headers)

    return reply


def body(content: bytes | Callable[[bytes], bytes], *headers: str) -> Fault:
    """A 200 with this body, or with one made of the good one."""

    async def reply(exchange: Exchange) -> bool:
        said = content(exchange.good) if callable(content) else content
        return await send(exchange, "200 OK", said, *headers)

    return reply


def _broken(raw: Callable[[Exchange], bytes]) -> Fault:
    """Send part of a reply, and close the connection."""

    async def reply(exchange: Exchange) -> bool:
        exchange.writer.write(raw(exchange))
        await exchange.writer.drain()
        return False

    return reply


async def hang(_: Exchange) -> bool:
    return await asyncio.Future()


async def half_close(exchange: Exchange) -> bool:
    exchange.writer.write_eof()
    return await hang(exchange)


async def _drip(exchange: Exchange, at_once: bytes, rest: bytes) -> bool:
    exchange.writer.write(at_once)
    for byte in rest:
        exchange.writer.write(bytes([byte]))
        await exchange.writer.drain()
        await asyncio.sleep(DRIP_S)
    return True


async def drip_head(exchange: Exchange) -> bool:
    head = reply_head("200 OK", f"Content-Length: {len(exchange.good)}")
    return await _drip(exchange, b"", head + exchange.good)


async def drip_body(exchange: Exchange) -> bool:
    head = reply_head("200 OK", f"Content-Length: {len(exchange.good)}")
    return await _drip(exchange, head, exchange.good)


async def reset(exchange: Exchange, first: bytes = b"") -> bool:
    """RST instead of FIN, after some bytes."""
    exchange.writer.write(first)
    await exchange.writer.drain()
    no_linger = struct.pack("ii", 1, 0)
    exchange.writer.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, no_linger
    )
    exchange.writer.transport.abort()
    return False


async def huge_body(exchange: Exchange) -> bool:
    size = 2**30
    exchange.writer.write(reply_head("200 OK", f"Content-Length: {size}"))
    for _ in range(size // len(_MEBIBYTE)):
        exchange.writer.write(_MEBIBYTE)
        await exchange.writer.drain()
    return True


def _bomb(mebibytes: int) -> bytes:
    """A gzip of so many zeros; nobody gets as far as to miss its check sum."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    first, another = (
        packer.compress(_MEBIBYTE) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)
    )
    return first + another * (mebibytes - 1)


async def gzip_bomb(exchange: Exchange) -> bool:
    return await send(exchange, "200 OK", _bomb(200), "Content-Encoding: gzip")


def redirect(location: str) -> Fault:
    """A redirect, which a checker has no business to send."""

    async def reply(exchange: Exchange) -> bool:
        return await send(exchange, "302 Found", b"", f"Location: {location}")

    return reply


def _until_the_end(content: Callable[[bytes], bytes]) -> Fault:
    """A body that ends with the connection, whole or not."""
    return _broken(
        lambda exchange: reply_head("200 OK", "Connection: close") + content(exchange.good)
    )


def _half(text: bytes) -> bytes:
    return text[: len(text) // 2]


HANGING: dict[str, Fault] = {"hang": hang, "dripped head": drip_head, "dripped body": drip_body}
"""These end by the client's deadline alone."""

TRANSPORT: dict[str, Fault] = {
    "reset": reset,
    "reset in the body": partial(reset, first=reply_head("200 OK", "Content-Length: 9") + b"{"),
    "closed": _broken(lambda _: b""),
    "half-closed": half_close,
    "closed in the head": _broken(lambda _: b"HTTP/1.1 200 OK\r\nContent-"),
    "short body": _broken(lambda e: reply_head("200 OK", "Content-Length: 99999") + e.good),
    "bad chunk": _broken(
        lambda e: reply_head("200 OK", "Transfer-Encoding: chunked") + b"zz\r\n" + e.good
    ),
    "cut chunk": _broken(
        lambda e: reply_head("200 OK", "Transfer-Encoding: chunked") + b"ffff\r\n" + e.good
    ),
    "huge header": _broken(lambda e: reply_head("200 OK", "X: " + "y" * 200_000) + e.good),
    "bad status line": _broken(lambda e: b"HTTP/1.1 " + e.asked.encode() + b"\r\n\r\n"),
}
"""These break the protocol below the reply."""

BAD_REPLIES: dict[str, Fault] = {
    "cut at the end of the connection": _until_the_end(_half),
    "HTML": body(
        b"<!doctype html><title>Sign in</title>", "Content-Type: text/html; charset=utf-8"
    ),
    "cut JSON": body(_half),
    "empty body": body(b""),
    "invalid UTF-8": body(lambda good: good.replace(b'"claimText":"', b'"claimText":"\xff')),
    "NaN": body(b'{"supportScore": NaN}'),
    "wrong types": body(b'{"supportScore": "high", "claims": {}}'),
    "bad offsets": body(b'{"claims": [{"startPos": 1, "endPos": 100000}]}'),
    "bad gzip": body(lambda good: b"\x1f\x8b" + good, "Content-Encoding: gzip"),
    "cut gzip": body(lambda good: _half(gzip.compress(good)), "Content-Encoding: gzip"),
    "unasked encoding": body(lambda good: good, "Content-Encoding: br"),
    "gzip bomb": gzip_bomb,
    "huge body": huge_body,
}
"""These say 200 and hold no valid reply."""

UNAVAILABLE: dict[str, Fault] = {
    "408": status(408, "DEADLINE_EXCEEDED"),
    "429": status(429, "RESOURCE_EXHAUSTED", "Retry-After: 0"),
    "500": status(500, "INTERNAL"),
    "502": status(502, "UNAVAILABLE"),
    "503": status(503, "UNAVAILABLE"),
    "504": status(504, "DEADLINE_EXCEEDED"),
}
"""The service says that it cannot answer now."""

REFUSALS: dict[str, Fault] = {
    "400": status(400, "INVALID_ARGUMENT"),
    "413": status(413, "INVALID_ARGUMENT"),
}
"""The service refuses this request."""

UNAUTHENTICATED: dict[str, Fault] = {"401": status(401, "UNAUTHENTICATED")}
"""The service does not accept the token."""

NOT_SET_UP: dict[str, Fault] = {
    "403": status(403, "PERMISSION_DENIED"),
    "404": status(404, "NOT_FOUND"),
    "302": redirect("http://169.254.169.254/"),
}
"""The service refuses every request until a person mends something."""

PASSING: dict[str, Fault] = HANGING | TRANSPORT | BAD_REPLIES | UNAVAILABLE
"""All that another attempt may mend."""

LASTING: dict[str, Fault] = REFUSALS | UNAUTHENTICATED | NOT_SET_UP
"""All that another attempt cannot mend."""

ALL: dict[str, Fault] = PASSING | LASTING
