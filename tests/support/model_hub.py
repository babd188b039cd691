"""A Hugging Face Hub on this machine, with the routes that a download of a model asks for.

Source: https://huggingface.co/docs/hub/api, and the requests of huggingface_hub 1 and 2.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.serving import serving

COMMIT = "0123456789abcdef0123456789abcdef01234567"
_NAME_PARTS = 2


class Hub(ThreadingHTTPServer):
    """Repositories, each with the content of its files.

    Attributes:
      sent: the files that were sent, in their order.
      tokens: the authorizations that came.
      breaks_off: whether only half of each file is sent.
    """

    def __init__(self, repositories: dict[str, Mapping[str, bytes]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repositories = repositories
        self.sent: list[str] = []
        self.tokens = set[str | None]()
        self.breaks_off = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.server.tokens.add(self.headers["Authorization"])
        parts = self.path.partition("?")[0].strip("/").split("/")
        if parts[:2] == ["api", "models"]:
            parts = parts[2:]
        name, rest = "/".join(parts[:_NAME_PARTS]), parts[_NAME_PARTS:]
        files = self.server.repositories.get(name)
        if name.startswith("gated/"):
            self._refuse(403, "GatedRepo")
        elif files is None:
            self._refuse(401, "RepoNotFound")
        elif rest[1:2] not in ([], ["main"], [COMMIT]):
            self._refuse(404, "RevisionNotFound")
        elif rest[:1] == ["resolve"]:
            self._send_file("/".join(rest[2:]), files)
        elif rest[:1] == ["tree"]:
            self._send(json.dumps([*map(partial(_entry, files), files)]).encode())
        else:
            siblings = [{"rfilename": each} for each in files]
            self._send(json.dumps({"id": name, "sha": COMMIT, "siblings": siblings}).encode())

    def _send_file(self, path: str, files: Mapping[str, bytes]) -> None:
        if path not in files:
            self._refuse(404, "EntryNotFound")
            return
        content = files[path]
        self._send(content, {"ETag": f'"{_digest(content)}"', "X-Repo-Commit": COMMIT})
        if self.command == "GET":
            self.server.sent.append(path)

    def _send(self, body: bytes, headers: Mapping[str, str] = {}) -> None:
        start = int((self.headers["Range"] or "bytes=0-").removeprefix("bytes=").split("-")[0])
        self.send_response(206 if start else 200)
        for name, value in {**headers, "Content-Length": str(len(body) - start)}.items():
            self.send_header(name, value)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.end_headers()
        if self.command == "HEAD":
            return
        if self.server.breaks_off and "ETag" in headers:
            body = body[: start + (len(body) - start) // 2]
            self.close_connection = True
        self.wfile.write(body[start:])

    def _refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def _entry(files: Mapping[str, bytes], path: str) -> dict[str, object]:
    content = files[path]
    return {"type": "file", "path": path, "size": len(content), "oid": _digest(content)}


def _digest(content: bytes) -> str:
    return sha1(content, usedforsecurity=False).hexdigest()


def files_of(folder: str) -> dict[str, bytes]:
    """Read the files of a model for a repository."""
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@contextmanager
def model_hub(repositories: dict[str, Mapping[str, bytes]]) -> Iterator[Hub]:
    """Serve repositories, by OWNER/NAME, while the block lasts."""
    with serving(Hub(repositories)) as server:
        yield server
