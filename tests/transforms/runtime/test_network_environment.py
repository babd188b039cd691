"""Proxies and certificates of the environment, by the forms that people write."""

import ssl
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import httpx
import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.transforms.runtime.errors import InvalidEnvironment
from groundwatch.transforms.runtime.http_client import open_http_client
from groundwatch.transforms.runtime.network_environment import (
    check_environment,
    choose_proxy,
    describe_failure,
    is_excluded,
    tls_context,
)
from tests.support.certificates import make_identity, write_certificate
from tests.support.network import unset_network


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    unset_network(monkeypatch)


NAME, V4, V6 = "api.example.com", "10.1.2.3", "fd00::5"
LISTED = [
    *[(NAME, "*"), (NAME, "example.com"), (NAME, ".example.com"), (NAME, "*.example.com")],
    *[("example.com", ".example.com"), (NAME, "Example.COM"), ("api.example.com.", "example.com")],
    *[(NAME, "example.com:443"), (NAME, "a, b,example.com"), (NAME, "a b example.com"), (V4, "*")],
    *[(V4, "10.1.2.3"), (V4, "10.1.2.3:443"), (V4, "10.0.0.0/8"), (V4, "10.1.2.3/8")],
    *[(V6, "fd00::5"), (V6, "[fd00::5]"), (V6, "[fd00::5]:443"), (V6, "FD00:0::5")],
    *[(V6, "fd00::/8"), (f"[{V6}]", "fd00::/8"), (V6, "*")],
]
NOT_LISTED = [
    *[(NAME, ""), (NAME, ", ,"), (NAME, "."), (NAME, "le.com"), (NAME, "www.example.com")],
    *[(NAME, "example.com:80"), (NAME, "10.0.0.0/8"), (NAME, "[::1]"), (NAME, "example.com:x")],
    *[(V4, "10.1.2.3:80"), (V4, "2.3"), (V4, "10.2.0.0/16"), (V4, "10.0.0.0/99"), (V4, "fd00::/8")],
    *[(V6, "[fd00::5]:80"), (V6, "fe80::/8"), (V6, "0.0.0.0/0"), (V6, "[fd00::5"), (V6, "5")],
]


@pytest.mark.parametrize(("host", "no_proxy"), LISTED)
def test_a_host_that_no_proxy_lists(host: str, no_proxy: str) -> None:
    assert is_excluded(host, 443, no_proxy)


@pytest.mark.parametrize(("host", "no_proxy"), NOT_LISTED)
def test_a_host_that_no_proxy_does_not_list(host: str, no_proxy: str) -> None:
    assert not is_excluded(host, 443, no_proxy)


ADDRESSES: st.SearchStrategy[IPv4Address | IPv6Address] = st.ip_addresses()


@given(address=ADDRESSES, others=st.text(), bits=st.integers(0, 32), port=st.integers(1, 65_535))
def test_an_address_its_port_and_its_ranges_are_listed_among_any_text(
    address: IPv4Address | IPv6Address, others: str, bits: int, port: int
) -> None:
    bracketed = f"[{address}]" if address.version == 6 else str(address)
    for entry in (str(address), bracketed, f"{bracketed}:{port}", f"{address}/{bits}"):
        assert is_excluded(str(address), port, f"{others},{entry}")


@pytest.mark.parametrize(
    ("environment", "url", "expected"),
    [
        ({}, "http://tool.example", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://tool.example", "the proxy p:1 of HTTP_PROXY"),
        ({"HTTP_PROXY": "p:1"}, "http://tool.example", "the proxy p:1 of HTTP_PROXY"),
        ({"HTTP_PROXY": "http://p:1"}, "https://tool.example", None),
        (
            {"HTTPS_PROXY": "https://u:w@p:1"},
            "https://tool.example",
            "the proxy p:1 of HTTPS_PROXY",
        ),
        ({"https_proxy": "http://p", "HTTPS_PROXY": "http://q"}, "https://t", "p of https_proxy"),
        ({"ALL_PROXY": "http://p:1"}, "https://tool.example", "the proxy p:1 of ALL_PROXY"),
        ({"ALL_PROXY": "socks5://p", "HTTPS_PROXY": "http://q"}, "https://t", "q of HTTPS_PROXY"),
        ({"HTTP_PROXY": "http://[fd00::1]:1"}, "http://t", "the proxy [fd00::1]:1 of HTTP_PROXY"),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "tool.example"}, "http://tool.example", None),
        ({"HTTP_PROXY": "http://p", "no_proxy": "tool.example:80"}, "http://tool.example", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "[fd00::5]"}, "http://[fd00::5]:80/x", None),
        ({"HTTP_PROXY": "http://p", "NO_PROXY": "fd00::/8"}, "http://[fd00::5]/x", None),
        ({"HTTP_PROXY": "socks5://p"}, "http://127.0.0.1:9", None),
        ({"HTTP_PROXY": "http://p"}, "http://127.8.0.1", None),
        ({"HTTP_PROXY": "http://p"}, "http://[::1]:9", None),
        ({"HTTP_PROXY": "http://p"}, "http://localhost:9", None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "2.3"}, "http://10.1.2.3", "p:1 of HTTP_PROXY"),
        ({"NO_PROXY": "other.example"}, "http://tool.example", None),
        ({"HTTPS_PROXY": "http://p:1"}, "HTTPS://tool.example", "p:1 of HTTPS_PROXY"),
        ({"HTTP_PROXY": ""}, "http://tool.example", None),
    ],
    ids=str,
)
def test_the_environment_chooses_the_proxy(
    environment: dict[str, str], url: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    proxy = choose_proxy(url)
    assert (proxy and str(proxy).removeprefix("the proxy ")) == (
        expected and expected.removeprefix("the proxy ")
    )
    with open_http_client(url, timeout_s=1):  # The library takes what was chosen.
        pass


WRONG = ["http://[bad", "ftp://p", "http://p:99999", "http://p:0", "http://", "http://p q", "://"]


@pytest.mark.parametrize("value", WRONG)
def test_a_proxy_that_is_no_address_is_named_without_its_value(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", value)
    with pytest.raises(InvalidEnvironment) as raised:
        check_environment("https://tool.example")
    expected = "HTTPS_PROXY does not hold the address of a proxy, such as http://proxy:3128"
    assert str(raised.value) == expected


@pytest.mark.parametrize("scheme", ["socks4", "socks5", "socks5h", "socks"])
def test_a_proxy_of_socks_is_refused_with_what_to_do(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", f"{scheme}://user:hush@p:1080")
    with pytest.raises(InvalidEnvironment, match=r"^ALL_PROXY names a proxy of SOCKS.*NO_PROXY$"):
        check_environment("http://tool.example")


def make_nothing(folder: Path) -> Path:
    return folder / "missing"


def make_text(folder: Path) -> Path:
    (folder / "text").write_text("no certificate")
    return folder / "text"


def make_folder(folder: Path) -> Path:
    return folder


CERTIFICATES = [
    ("SSL_CERT_FILE", make_nothing, "cannot read .*missing: no such file or directory"),
    ("SSL_CERT_FILE", make_text, ".*text holds no certificate in PEM"),
    ("SSL_CERT_FILE", make_folder, "cannot read .*: is a directory"),
    ("SSL_CERT_DIR", make_nothing, "there is no folder .*missing"),
    ("SSL_CERT_DIR", make_text, "there is no folder .*text"),
    ("REQUESTS_CA_BUNDLE", make_nothing, "cannot read .*missing: no such file or directory"),
    ("CURL_CA_BUNDLE", make_text, ".*text holds no certificate in PEM"),
]


@pytest.mark.parametrize(("variable", "make", "reason"), CERTIFICATES)
def test_certificates_that_cannot_be_read_are_named(
    variable: str,
    make: Callable[[Path], Path],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(variable, str(make(tmp_path)))
    with pytest.raises(InvalidEnvironment, match=f"^{variable}: {reason}; .* or unset it$"):
        check_environment("https://tool.example")
    check_environment("http://tool.example")


AUTHORITY = make_identity("groundwatch tests", is_authority=True)


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_only_the_authorities_that_a_variable_names_are_trusted(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(tls_context("HTTPS://tool.example").get_ca_certs()) > 1
    monkeypatch.setenv(variable, str(write_certificate(AUTHORITY, tmp_path)))
    (trusted,) = tls_context("https://tool.example").get_ca_certs()
    assert "groundwatch tests" in str(trusted["subject"])


def test_without_tls_nobody_is_trusted_and_a_certificate_is_required() -> None:
    context = tls_context("http://tool.example", None)
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert not context.get_ca_certs()


def test_a_failure_is_described_by_what_caused_it_and_quotes_no_address() -> None:
    refused = ConnectionRefusedError(111, "Connection refused")
    tunnel = OSError("Tunnel connection failed: 407 Proxy Authentication Required")
    described = {
        "connection refused": httpx.ConnectError("All connection attempts failed"),
        "the proxy answers HTTP 407": requests.exceptions.ProxyError(tunnel),
        "the proxy answers HTTP 403": httpx.ProxyError("403 Forbidden"),
        "ReadTimeout": httpx.ReadTimeout("http://user:hush@tool.example"),
    }
    described["connection refused"].__context__ = refused
    assert {describe_failure(error) for error in described.values()} == described.keys()
