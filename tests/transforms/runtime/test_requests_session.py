"""Requests of Google's and OpenTelemetry's clients: proxies and certificates as of all others."""

import ssl
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from groundwatch.transforms.runtime.errors import InvalidEnvironment
from groundwatch.transforms.runtime.network_environment import describe_failure
from groundwatch.transforms.runtime.requests_session import EnvironmentSession
from tests.support.certificates import make_identity, server_context, write_certificate
from tests.support.http_messages import Reply
from tests.support.network import unset_network
from tests.support.results_server import ResultsServer, results_server
from tests.support.serving import serving

HOST = "127.0.0.1"
AUTHORITY = make_identity("groundwatch tests", is_authority=True)


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    unset_network(monkeypatch)


class Handler(BaseHTTPRequestHandler):
    """Answer every GET with nothing."""

    def do_GET(self) -> None:
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve over TLS, with a certificate of the tests' authority."""
    server = ThreadingHTTPServer((HOST, 0), Handler)
    context = server_context(make_identity(HOST, AUTHORITY), tmp_path_factory.mktemp("tls"))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with serving(server):
        yield f"https://{HOST}:{server.server_address[1]}"


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_a_named_authority_is_trusted(
    variable: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EnvironmentSession() as session, pytest.raises(requests.exceptions.SSLError) as refused:
        session.get(address, timeout=60)
    assert describe_failure(refused.value).startswith("TLS: unable to get local issuer certificate")
    monkeypatch.setenv(variable, str(write_certificate(AUTHORITY, tmp_path)))
    with EnvironmentSession() as session:
        assert session.get(address, timeout=60).status_code == 204


def test_an_authority_of_the_system_is_trusted(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_system, create = write_certificate(AUTHORITY, tmp_path), ssl.create_default_context

    def with_authority() -> ssl.SSLContext:
        context = create()
        context.load_verify_locations(of_system)
        return context

    monkeypatch.setattr(ssl, "create_default_context", with_authority)
    with EnvironmentSession() as session:
        for _ in range(2):
            assert session.get(address, timeout=60).status_code == 204


def test_a_certificate_that_is_missing_is_named_and_matters_to_tls_alone(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nonexistent")
    with EnvironmentSession() as session, results_server() as plain:
        plain.answer = lambda _: Reply(204)
        assert session.get(plain.url, timeout=60).status_code == 204
        with pytest.raises(InvalidEnvironment, match="SSL_CERT_FILE: cannot read /nonexistent"):
            session.get(address, timeout=60)


def test_a_proxy_stands_before_other_machines_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with EnvironmentSession() as session, results_server() as proxy, results_server() as own:
        servers: tuple[ResultsServer, ...] = (proxy, own)
        for server in servers:
            server.answer = lambda _: Reply(204)
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "[::1]")
        session.get(own.url, timeout=60)
        session.get("http://tool.example/x", timeout=60)
        assert [each.path for each in own.received] == ["/"]
        assert [each.path for each in proxy.received] == ["http://tool.example/x"]
