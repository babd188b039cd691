"""Post JSON to a service; classify its errors by whether a retry can succeed."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
import msgspec

from groundwatch.schemas.quantities import to_datetime
from groundwatch.transforms.runtime import clock, network_environment
from groundwatch.transforms.runtime.http_client import open_http_client
from groundwatch.transforms.runtime.http_reply import IN_ITS_PLACE, is_page, parse_retry_after
from .target import RowsRefused, TargetMisconfigured, TargetUnavailable

_TIMEOUT_S = 10.0
_NOT_FOUND = 404
_REFUSED = frozenset({400, 409, 413, 422})
"""Statuses of a request with a row that is refused, and would be again."""

_MISCONFIGURED: Mapping[int, str] = {
    401: "the key is not accepted",
    403: "the key has no permission",
    404: "there is no such address",
    405: "there is no such address",
    407: "the proxy does not accept its user name and password",
    410: "the address is gone",
}
"""Statuses after which a person has to correct something; redirects are such, too."""

_PLACE_DIGITS = 16
_REDIRECTS = range(300, 400)

_Reply = TypeVar("_Reply")
Confirm = Callable[[bytes], _Reply | None]
"""Read the body of a reply whose status is a success; None if it is not as documented.

A proxy, or a login page in front of the service, answers with such a status, too.
"""


def json_of(kind: type[_Reply]) -> Confirm[_Reply]:
    """Confirm by a body that is JSON of a type; fields that the type does not name may be there."""
    decode = msgspec.json.Decoder(kind).decode

    def read(content: bytes) -> _Reply | None:
        try:
            return decode(content)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None

    return read


def any_but_a_page(content: bytes) -> bytes | None:
    """Confirm by any body, also none, that is not a page of HTML."""
    return None if is_page(content) else content


class TraceUnknown(RowsRefused):
    """The service does not have the trace, or the span, that a row belongs to."""


class HttpSender:
    """Send JSON over connections that are kept open; redirects are not followed.

    Args:
      name: of the target, for messages.
      base_url: the address, which messages quote up to the port only: it can hold a secret.
      advice: how to correct a wrong address or key.
      headers: of each request.
      auth: user name and password of HTTP basic authentication.
      unknown: what the body of HTTP 404 contains where only a trace is not known.
      account: the public name of the account that the key belongs to, where it is known.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        advice: str,
        *,
        headers: dict[str, str] | None = None,
        auth: tuple[str, str] | None = None,
        unknown: bytes | None = None,
        account: str = "",
    ) -> None:
        self._shown = describe_address(name, base_url, advice)
        self.place = place_of(base_url, account)
        self._advice = advice
        self._unknown = unknown
        self._url = base_url
        self._client = open_http_client(base_url, headers=headers, auth=auth, timeout_s=_TIMEOUT_S)
        self.close = self._client.close

    def post(self, path: str, body: object, confirm: Confirm[_Reply]) -> _Reply:
        """Post a body as JSON; return the reply, or raise as `Target.send` does."""
        headers = {"Content-Type": "application/json"}
        return self.send("POST", path, confirm, content=msgspec.json.encode(body), headers=headers)

    def send(
        self,
        method: str,
        path: str,
        confirm: Confirm[_Reply],
        *,
        content: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> _Reply:
        """Send a request; return the reply if it is the documented one.

        Raises what `Target.send` does; TargetMisconfigured also for another reply with the status
        of a success.
        """
        try:
            reply = self._client.request(method, path, content=content, headers=headers)
        except httpx.HTTPError as error:
            raise TargetUnavailable(no_reply(self._shown, self._url, error)) from None
        if self._unknown and reply.status_code == _NOT_FOUND and self._unknown in reply.content:
            raise TraceUnknown("HTTP 404, the trace or the span is not known")
        if not reply.is_success:
            wait = reply.headers.get("retry-after")
            raise reply_error(self._shown, reply.status_code, wait, self._advice)
        confirmed = confirm(reply.content)
        if confirmed is None:
            raise unconfirmed(self._shown, reply.status_code, reply.content, self._advice)
        return confirmed


def describe_address(name: str, url: str, advice: str) -> str:
    """Name a target with its host and port; raise TargetMisconfigured if there is no such address.

    The rest of an address may be a secret.
    """
    try:
        port = urlsplit(url).port  # httpx takes any number, and a bracket that is not closed
        parts = httpx.URL(url)
    except (ValueError, httpx.InvalidURL):
        port, parts = None, httpx.URL()
    if parts.scheme not in {"http", "https"} or not parts.host or port == 0:
        raise TargetMisconfigured(
            f"{name} needs an address such as http://127.0.0.1:8000; {advice}"
        )
    return f"{name} at {parts.scheme}://{parts.netloc.decode()}"


def place_of(url: str, account: str = "") -> str:
    """Identify an address, and an account there, by a digest; neither password nor key counts.

    A token in the path cannot be read from it.
    """
    kept = httpx.URL(url).copy_with(username="", password="", query=None, fragment=None)
    return sha256(f"{str(kept).rstrip('/')} {account}".encode()).hexdigest()[:_PLACE_DIGITS]


def reply_error(shown: str, status: int, retry_after: str | None, advice: str) -> Exception:
    """Return what `Target.send` raises after a reply that is not a success.

    `shown` names the target; the reply's body is not quoted, since it may hold a text.
    """
    if status in _REFUSED:
        return RowsRefused(f"HTTP {status}")
    if status in _MISCONFIGURED:
        reason = f"HTTP {status}, {_MISCONFIGURED[status]}"
        return TargetMisconfigured(f"{shown} refuses: {reason}; {advice}")
    if status in _REDIRECTS:
        reason = f"HTTP {status}, a redirect"
        return TargetMisconfigured(f"{shown} refuses: {reason}; name the final address")
    wait_s = parse_retry_after(retry_after, to_datetime(clock.now_us()))
    return TargetUnavailable(f"{shown} answers HTTP {status}", wait_s)


def no_reply(shown: str, url: str, error: Exception) -> str:
    """Say why a request to an address has no reply, and which proxy stands in between."""
    proxy = network_environment.through(network_environment.choose_proxy(url))
    return f"{shown} does not answer{proxy} ({network_environment.describe_failure(error)})"


def unconfirmed(shown: str, status: int, content: bytes, advice: str) -> Exception:
    """Return what `Target.send` raises after a success that the service does not document."""
    what = "a page of HTML" if is_page(content) else "another text" if content else "nothing"
    return TargetMisconfigured(
        f"{shown} does not confirm: HTTP {status} with {what} instead of the reply of its API;"
        f" {IN_ITS_PLACE}; {advice}"
    )


def read_secret(name: str, *, in_header: bool = False) -> str | None:
    """Return an environment variable, or the content of the file that NAME_FILE names.

    White space around it does not count, nor does a byte order mark.

    Raises:
      TargetMisconfigured: the file cannot be read, or a header cannot hold the secret.
      InvalidEnvironment: a variable is not UTF-8.
    """
    path = network_environment.read_variable(f"{name}_FILE")
    text = "" if path else network_environment.read_variable(name) or ""
    if path:
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise TargetMisconfigured(f"{name}_FILE: cannot read {path}: {error}") from None
    secret = text.removeprefix("\ufeff").strip()
    for number, char in enumerate(secret if in_header else "", 1):
        if not (char.isascii() and char.isprintable()):
            raise TargetMisconfigured(
                f"{name}{'_FILE' if path else ''}: character {number} cannot be in an HTTP header;"
                " copy the key again"
            )
    return secret or None


def require_secret(name: str) -> str:
    """Return what `read_secret` does, or raise TargetMisconfigured if there is none."""
    secret = read_secret(name)
    if secret is None:
        raise TargetMisconfigured(
            f"{name} is missing: set this environment variable, or {name}_FILE to a file"
        )
    return secret
