"""What Cloud Storage's JSON API answers, over buckets in memory, troubles included.

As much of it as Beam's files need: listing by prefix in pages, metadata, ranged reads of one
generation, resumable uploads, copies, deletions.
Source: https://docs.cloud.google.com/storage/docs/json_api/v1
"""

import base64
import json
import re
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import google_crc32c

_PAGE_ROWS = 3
"""So few that the listings of a test have pages."""

_PAGE = b"<!DOCTYPE html><html><head><title>Blocked</title></head><body></body></html>"

_GENERATION_MATCH = "ifGenerationMatch"
_BUCKET = r"/b/(?P<bucket>[^/]+)/o"
_OBJECT = rf"{_BUCKET}/(?P<name>[^/]+)"
_COPY = rf"{_OBJECT}/copyTo/b/(?P<target_bucket>[^/]+)/o/(?P<target_name>[^/]+)"

_ROUTES = {
    r"GET /storage/v1/b/(?P<bucket>[^/]+)": "describe",
    rf"GET /storage/v1{_BUCKET}": "list",
    rf"GET /storage/v1{_OBJECT}": "look",
    rf"GET /download/storage/v1{_OBJECT}": "read",
    rf"POST /upload/storage/v1{_BUCKET}": "begin",
    rf"PUT /upload/storage/v1{_BUCKET}": "upload",
    rf"POST /storage/v1{_COPY}": "copy",
    rf"DELETE /storage/v1{_OBJECT}": "delete",
}


class Request(NamedTuple):
    """One request: what is to be done with which path, and what came with it."""

    action: str
    path: str
    target: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


class Reply(NamedTuple):
    """An answer over HTTP; one that is cut ends in the middle of its body."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = {}
    is_cut: bool = False


class Trouble(NamedTuple):
    """What goes wrong: the status to refuse with, maybe after all was done; or a cut answer.

    A page of HTML with the status is what a proxy answers.
    """

    status: int = HTTPStatus.SERVICE_UNAVAILABLE
    is_done: bool = False
    is_cut: bool = False
    is_page: bool = False


Plan = Callable[[Request], Trouble | None]


def when(action: str, part: str, trouble: Trouble, *, times: int | None = None) -> Plan:
    """Have trouble with requests of a kind for paths that hold some text, so many times."""
    had = 0

    def plan(request: Request) -> Trouble | None:
        nonlocal had
        if request.action != action or part not in request.path or had == times:
            return None
        had += 1
        return trouble

    return plan


class _Object(NamedTuple):
    content: bytes
    generation: int


class _Upload(NamedTuple):
    path: str
    content: bytearray


class Buckets:
    """Buckets that come into being with their first object.

    Attributes:
      requests: the action and the path of each request.
      plan: what goes wrong.
      address: of the server, where uploads go on.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        self.plan: Plan = lambda _: None
        self.address = ""
        self._objects: dict[str, _Object] = {}
        self._uploads: list[_Upload] = []
        self._generation = 0
        self._lock = threading.Lock()

    def put(self, path: str, content: bytes) -> None:
        """Store an object, such as ``gs://bucket/name``."""
        self._generation += 1
        self._objects[path] = _Object(content, self._generation)

    def below(self, path: str) -> dict[str, bytes]:
        """What the objects hold whose paths begin so, by the rest of their paths."""
        return {
            name.removeprefix(path): stored.content
            for name, stored in sorted(self._objects.items())
            if name.startswith(path)
        }

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Answer one request."""
        request = _request(method, url, headers, body)
        with self._lock:
            self.requests.append((request.action, request.path))
            trouble = self.plan(request)
            if trouble and not (trouble.is_done or trouble.is_cut):
                if trouble.is_page:
                    return Reply(trouble.status, _PAGE, {"Content-Type": "text/html"})
                return _error(trouble.status, "refused by the test")
            reply: Reply = getattr(self, f"_{request.action}")(request)
        if trouble is None:
            return reply
        return reply._replace(is_cut=True) if trouble.is_cut else _error(trouble.status, "lost")

    def _describe(self, _: Request) -> Reply:
        """Google's client asks so unasked, with a permission that few have."""
        return _error(HTTPStatus.FORBIDDEN, "storage.buckets.get is not allowed")

    def _list(self, request: Request) -> Reply:
        prefix, after = request.query.get("prefix", ""), request.query.get("pageToken", "")
        names = [name for name in self.below(request.path) if name.startswith(prefix)]
        page = [name for name in names if name > after][:_PAGE_ROWS]
        listed: dict[str, Any] = {"items": [self._described(request.path + name) for name in page]}
        if page and page[-1] != names[-1]:
            listed["nextPageToken"] = page[-1]
        return _json(listed)

    def _look(self, request: Request) -> Reply:
        return self._json_of(request.path)

    def _read(self, request: Request) -> Reply:
        stored = self._objects.get(request.path)
        if stored is None or request.query.get("generation") != str(stored.generation):
            return _not_found(request.path)
        first, last = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers["range"]).groups()
        size = len(stored.content)
        end = min(size, int(last) + 1 if last else size)
        if int(first) >= size:
            return Reply(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
        described = {
            "Content-Range": f"bytes {first}-{end - 1}/{size}",
            "X-Goog-Generation": str(stored.generation),
        }
        return Reply(HTTPStatus.PARTIAL_CONTENT, stored.content[int(first) : end], described)

    def _begin(self, request: Request) -> Reply:
        if self._is_taken(request):
            return _error(HTTPStatus.PRECONDITION_FAILED, "conditionNotMet")
        if request.query.get("uploadType") == "multipart":
            self.put(request.path, _parts_of(request)[1])
            return self._json_of(request.path)
        name = json.loads(request.body)["name"]
        conditions = {
            name: value for name, value in request.query.items() if name == _GENERATION_MATCH
        }
        query = urlencode({"name": name, "upload_id": len(self._uploads), **conditions})
        bucket = request.path.split("/")[2]
        self._uploads.append(_Upload(request.path, bytearray()))
        place = f"{self.address}/upload/storage/v1/b/{bucket}/o?{query}"
        return Reply(HTTPStatus.OK, b"", {"Location": place})

    def _upload(self, request: Request) -> Reply:
        upload = self._uploads[int(request.query["upload_id"])]
        first, size = re.fullmatch(
            r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)", request.headers["content-range"]
        ).groups()
        # What was sent before and is sent again replaces itself.
        upload.content[int(first or len(upload.content)) :] = request.body
        if size == str(len(upload.content)):
            if self._is_taken(request):
                return _error(HTTPStatus.PRECONDITION_FAILED, "conditionNotMet")
            self.put(upload.path, bytes(upload.content))
            return self._json_of(upload.path)
        kept = {"Range": f"bytes=0-{len(upload.content) - 1}"}
        return Reply(HTTPStatus.PERMANENT_REDIRECT, b"", kept)

    def _is_taken(self, request: Request) -> bool:
        """Return whether an object must have another generation than it has."""
        wanted = request.query.get(_GENERATION_MATCH)
        stored = self._objects.get(request.path)
        return wanted is not None and wanted != str(stored.generation if stored else 0)

    def _copy(self, request: Request) -> Reply:
        if request.path not in self._objects:
            return _not_found(request.path)
        self.put(request.target, self._objects[request.path].content)
        return self._json_of(request.target)

    def _delete(self, request: Request) -> Reply:
        if self._objects.pop(request.path, None) is None:
            return _not_found(request.path)
        return Reply(HTTPStatus.NO_CONTENT)

    def _unknown(self, request: Request) -> Reply:
        return _error(
            HTTPStatus.NOT_IMPLEMENTED, f"the test's storage does not know {request.path}"
        )

    def _json_of(self, path: str) -> Reply:
        return _json(self._described(path)) if path in self._objects else _not_found(path)

    def _described(self, path: str) -> dict[str, str]:
        stored = self._objects[path]
        _, _, bucket, name = path.split("/", 3)
        checksum = google_crc32c.Checksum(stored.content).digest()
        return {
            "bucket": bucket,
            "name": name,
            "size": str(len(stored.content)),
            "generation": str(stored.generation),
            "updated": "2026-03-02T08:00:00.000Z",
            "crc32c": base64.b64encode(checksum).decode(),
        }


def _request(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Request:
    parts = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    known = {name.lower(): value for name, value in headers.items()}
    for pattern, action in _ROUTES.items():
        if match := re.fullmatch(pattern, f"{method} {parts.path}"):
            named = {name: unquote(value) for name, value in match.groupdict().items()}
            name = named.get("name") or query.get("name") or _name_in(action, known, body)
            path = f"gs://{named['bucket']}/{name}"
            target = f"gs://{named.get('target_bucket')}/{named.get('target_name')}"
            return Request(action, path, target, query, known, body)
    return Request("unknown", f"{method} {url}", "", query, known, body)


def _name_in(action: str, headers: Mapping[str, str], body: bytes) -> str:
    """The name of an object that is about to be uploaded."""
    if action != "begin":
        return ""
    described = _multipart(headers, body)[0] if "boundary" in headers["content-type"] else body
    return str(json.loads(described)["name"])


def _parts_of(request: Request) -> list[bytes]:
    return _multipart(request.headers, request.body)


def _multipart(headers: Mapping[str, str], body: bytes) -> list[bytes]:
    """The description and the content of an object that is uploaded in one request."""
    boundary = re.search(r'boundary="?([^";]+)', headers["content-type"])
    assert boundary
    _, *parts, _ = body.split(b"--" + boundary[1].encode())
    return [part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n") for part in parts]


def _json(value: Any, status: int = HTTPStatus.OK) -> Reply:
    return Reply(status, json.dumps(value).encode(), {"Content-Type": "application/json"})


def _not_found(path: str) -> Reply:
    return _error(HTTPStatus.NOT_FOUND, f"No such object: {path}")


def _error(status: int, message: str) -> Reply:
    return _json({"error": {"code": status, "message": message}}, status)
