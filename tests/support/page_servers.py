"""Servers that answer calls of gRPC with a page of HTML, as proxies do over either HTTP version."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer

from tests.support.serving import serving

_PAGE = b"<!DOCTYPE html><html><body>Blocked</body></html>"
_PREFACE_BYTES, _HEAD_BYTES = 24, 9
_DATA, _HEADERS, _RESET, _SETTINGS = 0, 1, 3, 4
_ACK = _END_OF_STREAM = 1
_END_OF_HEADERS, _NO_ERROR = 4, bytes(4)
_STATUS_200, _CONTENT_TYPE = b"\x88", b"\x0f\x10\x09text/html"  # HPACK, RFC 7541


class _Pages(StreamRequestHandler):
    def handle(self) -> None:
        self.rfile.readline()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(_PAGE)}\r\n\r\n"
        self.wfile.write(head.encode() + _PAGE)


class _Http2Pages(StreamRequestHandler):
    def handle(self) -> None:
        with suppress(OSError):
            self.rfile.read(_PREFACE_BYTES)
            self._send(_SETTINGS, 0, 0)
            while head := self.rfile.read(_HEAD_BYTES):
                self.rfile.read(int.from_bytes(head[:3]))
                self._answer(head[3], head[4], int.from_bytes(head[5:]))

    def _answer(self, kind: int, flags: int, stream: int) -> None:
        if kind == _SETTINGS and not flags & _ACK:
            self._send(_SETTINGS, _ACK, 0)
        if kind == _HEADERS:
            self._send(_HEADERS, _END_OF_HEADERS, stream, _STATUS_200 + _CONTENT_TYPE)
            self._send(_DATA, _END_OF_STREAM, stream, _PAGE)
            # The rest of the request is not needed: RFC 9113, 8.1.
            self._send(_RESET, 0, stream, _NO_ERROR)

    def _send(self, kind: int, flags: int, stream: int, body: bytes = b"") -> None:
        head = len(body).to_bytes(3), kind.to_bytes(1), flags.to_bytes(1), stream.to_bytes(4)
        self.wfile.write(b"".join(head) + body)


PAGES = {"HTTP/1.1": _Pages, "HTTP/2": _Http2Pages}


class _Server(ThreadingTCPServer):
    daemon_threads = True


@contextmanager
def page_server(version: str) -> Iterator[str]:
    """Serve pages while the block lasts; yield the address, without a scheme."""
    with serving(_Server(("127.0.0.1", 0), PAGES[version])) as server:
        yield f"127.0.0.1:{server.server_address[1]}"
