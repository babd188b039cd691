"""Decide who may post: who shows the key, or Pub/Sub by a token of Google.

Source: https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
"""

import hmac
import time
from collections.abc import Mapping
from threading import Lock
from typing import NamedTuple

import httpx
import msgspec
from google.auth import exceptions, jwt

from groundwatch.launch.http_server import RequestRefused
from groundwatch.transforms.runtime.http_client import open_http_client

PUSH = "/push"
CERTIFICATES = "https://www.googleapis.com/oauth2/v1/certs"
"""Where Google publishes the certificates that it signs with."""

_ISSUERS = ("accounts.google.com", "https://accounts.google.com")
_KEEP_S = 3_600.0
_ASK_AGAIN_S = 60.0  # for a certificate that is not known: a wrong token must not cost a request
_TIMEOUT_S = 10.0
_CLOCK_SKEW_S = 60
_BEARER = "bearer "


class PushTokens:
    """Verify tokens of an audience, and of one service account if it is named.

    Several threads may verify at once.
    """

    def __init__(
        self, audience: str, account: str | None = None, certificates: str = CERTIFICATES
    ) -> None:
        self._audience, self._account, self._address = audience, account, certificates
        self._client = open_http_client(certificates, timeout_s=_TIMEOUT_S)
        self._lock = Lock()
        self._known: Mapping[str, str] = {}
        self._asked_s = -_KEEP_S

    def verify(self, token: str) -> None:
        """Raise RequestRefused unless Google has signed a token for us."""
        try:
            key = str(jwt.decode_header(token).get("kid"))
            certificates = self._certificates(key)
            claims = jwt.decode(
                token, certificates, audience=self._audience, clock_skew_in_seconds=_CLOCK_SKEW_S
            )
        except (exceptions.GoogleAuthError, ValueError):
            audience = f"the audience {self._audience!r}"
            message = f"the token is not signed by Google for {audience}, or is over"
            raise RequestRefused(401, message) from None
        email = claims.get("email")
        if claims.get("iss") not in _ISSUERS or claims.get("email_verified") is not True:
            raise RequestRefused(401, "the token is not of a Google account")
        if self._account not in {None, email}:
            raise RequestRefused(401, f"the token is of {email}, and not of {self._account}")

    def _certificates(self, key: str) -> Mapping[str, str]:
        with self._lock:
            age_s = time.monotonic() - self._asked_s
            if age_s >= (_KEEP_S if key in self._known else _ASK_AGAIN_S):
                self._asked_s = time.monotonic()
                try:
                    response = self._client.get(self._address).raise_for_status()
                    self._known = msgspec.json.decode(response.content, type=dict[str, str])
                except (httpx.HTTPError, msgspec.MsgspecError) as error:
                    if key not in self._known:
                        name = type(error).__name__
                        message = f"Google's certificates cannot be read: {name}"
                        raise RequestRefused(503, message) from None
            return self._known


class Access(NamedTuple):
    """Who may post: who has the key, and Pub/Sub with Google's tokens."""

    key: str | None = None
    tokens: PushTokens | None = None

    def verify(self, path: str, headers: Mapping[str, str]) -> None:
        """Raise RequestRefused unless the headers allow a request; it may ask Google."""
        given = header(headers, "Authorization")
        token = given[len(_BEARER) :].strip() if given.lower().startswith(_BEARER) else ""
        if path == PUSH and self.tokens:
            self.tokens.verify(token)
        elif self.key is None and self.tokens:
            raise RequestRefused(401, f"only {PUSH} is open: start the worker with --listen_key")
        elif self.key is not None and not hmac.compare_digest(token.encode(), self.key.encode()):
            raise RequestRefused(401, "send the key of --listen_key as Authorization: Bearer KEY")


def header(headers: Mapping[str, str], name: str) -> str:
    """Return a header, "" for none; bytes other than UTF-8 become question marks."""
    return headers.get(name, "").encode(errors="replace").decode()
