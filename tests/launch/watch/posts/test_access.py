"""Google's tokens open /push, and no other ones do."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import crypt, jwt
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.http_server import RequestRefused
from groundwatch.launch.watch.posts.access import Access, PushTokens
from tests.support.http_messages import Received, Reply
from tests.support.posting import Posting
from tests.support.results_server import ResultsServer, results_server

AUDIENCE, ACCOUNT = "https://answers.example.com/push", "push@p.iam.gserviceaccount.com"


class Google:
    """Keys that tokens are signed with, and a server of their public halves."""

    def __init__(self, server: ResultsServer) -> None:
        self.server = server
        server.answer = self._answer
        self.status = 200
        self.keys = {name: rsa.generate_private_key(65537, 2048) for name in ("one", "two")}
        self.public = {"one"}

    @property
    def tokens(self) -> PushTokens:
        return PushTokens(AUDIENCE, ACCOUNT, f"{self.server.url}/certs")

    def _answer(self, _: Received) -> Reply:
        return Reply(self.status, self._certificates())

    def _certificates(self) -> bytes:
        form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        public = {name: self.keys[name].public_key().public_bytes(*form) for name in self.public}
        return json.dumps({name: pem.decode() for name, pem in public.items()}).encode()

    def token(self, key: str = "one", signed_by: str = "", **claims: Any) -> str:
        form = (
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
        pem = self.keys[signed_by or key].private_bytes(*form).decode()
        now_s = int(time.time())
        usual = {
            "iss": "https://accounts.google.com",
            "aud": AUDIENCE,
            "email": ACCOUNT,
            "email_verified": True,
            "iat": now_s - 10,
            "exp": now_s + 3600,
        }
        signer = crypt.RSASigner.from_string(pem, key)
        return jwt.encode(signer, usual | claims).decode()


@pytest.fixture
def google() -> Iterator[Google]:
    with results_server() as server:
        yield Google(server)


NOW_S = int(time.time())
CLAIMS: Mapping[str, tuple[dict[str, Any], str]] = {
    "as documented": ({}, ""),
    "the other issuer": ({"iss": "accounts.google.com"}, ""),
    "another audience": ({"aud": "https://other.example.com"}, "audience"),
    "another account": ({"email": "other@p.iam.gserviceaccount.com"}, "and not of"),
    "no account": ({"email": None}, "and not of"),
    "an email that is not verified": ({"email_verified": False}, "Google account"),
    "another issuer": ({"iss": "https://example.com"}, "Google account"),
    "over": ({"iat": NOW_S - 7200, "exp": NOW_S - 3600}, "is over"),
    "of the future": ({"iat": NOW_S + 3600, "exp": NOW_S + 7200}, "is over"),
    "signed by another": ({"signed_by": "two"}, "not signed"),
    "an unknown key": ({"key": "two"}, "not signed"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_token_is_verified(google: Google, name: str) -> None:
    claims, words = CLAIMS[name]
    token = google.token(**claims)
    if not words:
        google.tokens.verify(token)
        return
    with pytest.raises(RequestRefused, match=words) as refused:
        google.tokens.verify(token)
    assert token not in str(refused.value)


@given(
    st.one_of(
        st.text(max_size=50),
        st.lists(st.text("abcIe0-_=", max_size=9), min_size=3, max_size=3).map(".".join),
    )
)
def test_any_other_text_is_refused(text: str) -> None:
    tokens = PushTokens(AUDIENCE, ACCOUNT, "http://127.0.0.1:9/certs")
    tokens._asked_s = time.monotonic()
    with pytest.raises(RequestRefused):
        tokens.verify(text)


def test_the_certificates_are_asked_for_once_and_again_when_google_has_new_ones(
    google: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = google.tokens
    for _ in range(3):
        tokens.verify(google.token())
    google.public = {"two"}
    for _ in range(3):
        with pytest.raises(RequestRefused):
            tokens.verify(google.token("two"))
    assert len(google.server.received) == 1
    minute_later_s = time.monotonic() + 60
    monkeypatch.setattr(time, "monotonic", lambda: minute_later_s)
    tokens.verify(google.token("two"))
    assert len(google.server.received) == 2


def test_without_google_known_keys_open_and_others_wait(
    google: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = google.tokens
    tokens.verify(google.token())
    google.status = 503
    hour_later_s = time.monotonic() + 3600
    monkeypatch.setattr(time, "monotonic", lambda: hour_later_s)
    tokens.verify(google.token())
    with pytest.raises(RequestRefused, match="cannot be read"):
        google.tokens.verify(google.token())


@pytest.mark.parametrize(
    "case",
    [
        (None, "/push", "token", 204),
        (None, "/push", "secret", 401),
        (None, "/answers", "token", 401),
        ("secret", "/answers", "token", 401),
        ("secret", "/answers", "secret", 202),
        ("secret", "/push", "secret", 401),
        ("secret", "/push", "token", 204),
    ],
)
def test_a_token_opens_push_alone_and_the_key_the_other_paths(
    posting: Callable[..., Posting], google: Google, case: tuple[str | None, str, str, int]
) -> None:
    key, path, shown, status = case
    server = posting(access=Access(key, google.tokens))
    token = google.token() if shown == "token" else shown
    reply = server.post(path, b'{"answer": "Hello!"}', Authorization=f"Bearer {token}")
    assert reply.status_code == status


def test_a_push_waits_while_google_s_certificates_cannot_be_read(
    posting: Callable[..., Posting], google: Google
) -> None:
    google.status = 500
    server = posting(access=Access(None, google.tokens))
    reply = server.post("/push", b"{}", Authorization=f"Bearer {google.token()}")
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5")
