"""A service account's key file and a token endpoint, made for a test."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth.credentials import Credentials

from tests.support.serving import serving


class Expiring(Credentials):
    """Credentials with a new token at each refresh, which does what the test wants, counted."""

    def __init__(self, on_refresh: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self.refreshes = 0
        self._on_refresh = on_refresh

    def refresh(self, request: object) -> None:
        del request
        self._on_refresh()
        self.refreshes += 1
        self.token = f"token-{self.refreshes}"


class TokenServer(ThreadingHTTPServer):
    """Gives out a new access token for each request, and counts them."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _TokenHandler)
        self.refreshes = 0
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/token"


class _TokenHandler(BaseHTTPRequestHandler):
    server: TokenServer

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            self.server.refreshes += 1
            number = self.server.refreshes
        body: Mapping[str, object] = {"access_token": f"token-{number}", "expires_in": 3600}
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""


@contextmanager
def token_server() -> Iterator[TokenServer]:
    """Run a token endpoint on the loopback while the block lasts."""
    with serving(TokenServer()) as server:
        yield server


def write_key_file(path: Path, token_address: str) -> str:
    """Write a service account's key file whose tokens come from the address."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_text(
        json.dumps(
            {
                "type": "service_account",
                "project_id": "p",
                "private_key_id": "k",
                "private_key": pem.decode(),
                "client_email": "checker@p.iam.gserviceaccount.com",
                "client_id": "1",
                "token_uri": token_address,
            }
        )
    )
    return str(path)
