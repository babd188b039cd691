"""Access tokens and addresses of Google's service."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from google.auth import credentials as google_credentials
from google.auth import exceptions, impersonated_credentials

from groundwatch.transforms.grounding import credentials as credentials_module
from groundwatch.transforms.grounding.credentials import Authority, find_credentials
from groundwatch.transforms.grounding.errors import Misconfigured, Unavailable
from groundwatch.transforms.grounding.settings import (
    GoogleAccount,
    endpoint,
    grounding_config,
    location_of,
)
from tests.support.google_accounts import Expiring, token_server, write_key_file


def authority_of(credentials: google_credentials.Credentials, **account: str) -> Authority:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(credentials_module, "find_credentials", lambda _: credentials)
        return Authority(GoogleAccount(**account))


def in_threads(number: int, call: Callable[[], object]) -> list[object]:
    """Run a call in many threads that all begin at once."""
    results: list[object] = []
    barrier = threading.Barrier(number, timeout=60)

    def run() -> None:
        barrier.wait()
        results.append(call())

    threads = [threading.Thread(target=run, daemon=True) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_64_threads_that_find_the_token_expired_refresh_it_once(tmp_path: Path) -> None:
    with token_server() as server:
        key_file = write_key_file(tmp_path / "key.json", server.address)
        authority = Authority(GoogleAccount(credentials_file=key_file))
        headers = in_threads(64, lambda: asyncio.run(authority.headers()))
    assert server.refreshes == 1
    assert headers == [{"Authorization": "Bearer token-1"}] * 64


def test_64_calls_whose_token_was_refused_refresh_it_once() -> None:
    credentials = Expiring()
    authority = authority_of(credentials)
    refused = asyncio.run(authority.headers())

    def renew() -> Mapping[str, str]:
        return asyncio.run(authority.headers(rejected=refused))

    headers = in_threads(64, renew)
    assert credentials.refreshes == 2
    assert headers == [{"Authorization": "Bearer token-2"}] * 64


def raising(error: Exception) -> Callable[[], None]:
    def raise_it() -> None:
        raise error

    return raise_it


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (exceptions.TransportError("no route"), Unavailable),
        (exceptions.RefreshError("busy", retryable=True), Unavailable),
        (exceptions.RefreshError("invalid_grant"), Misconfigured),
    ],
    ids=["no connection", "retryable", "refused"],
)
def test_a_refresh_that_fails_says_whether_to_try_again(
    raised: Exception, expected: type[Exception]
) -> None:
    authority = authority_of(Expiring(raising(raised)))
    with pytest.raises(expected):
        asyncio.run(authority.headers())


@pytest.mark.parametrize("text", ["a\r\nX: b", "a\nb", "\u00e9"], ids=ascii)
def test_a_header_with_a_line_break_is_a_configuration_error(text: str) -> None:
    with pytest.raises(Misconfigured, match="quota project"):
        authority_of(Expiring(), quota_project=text)
    credentials = Expiring()
    authority = authority_of(credentials)
    credentials.refresh = lambda _: setattr(credentials, "token", text)
    with pytest.raises(Misconfigured, match="access token") as failed:
        asyncio.run(authority.headers())
    assert text not in str(failed.value)


def test_no_credentials_name_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))
    with pytest.raises(Misconfigured, match="gcloud auth application-default login"):
        find_credentials(GoogleAccount())


@pytest.mark.parametrize("named_by", ["--credentials_file", "GOOGLE_APPLICATION_CREDENTIALS"])
def test_a_missing_key_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named_by: str
) -> None:
    path = str(tmp_path / "missing.json")
    account = GoogleAccount(credentials_file=path if named_by.startswith("--") else None)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
    with pytest.raises(Misconfigured, match=f"{named_by} {path}: there is no such key file"):
        find_credentials(account)


def test_a_key_file_that_is_none_names_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    path.write_text("not JSON")
    with pytest.raises(Misconfigured, match=r"key.json is not a key file.*--credentials_file"):
        find_credentials(GoogleAccount(credentials_file=str(path)))


def test_application_default_credentials_come_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with token_server() as server:
        key_file = write_key_file(tmp_path / "key.json", server.address)
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", key_file)
        headers = asyncio.run(Authority(GoogleAccount()).headers())
    assert headers["Authorization"] == "Bearer token-1"


def test_impersonation_uses_the_credentials_that_were_found(tmp_path: Path) -> None:
    key_file = write_key_file(tmp_path / "key.json", "http://127.0.0.1:1/token")
    account = GoogleAccount(
        credentials_file=key_file, impersonate="watcher@p.iam.gserviceaccount.com"
    )
    credentials = find_credentials(account)
    assert isinstance(credentials, impersonated_credentials.Credentials)
    assert credentials.service_account_email == "watcher@p.iam.gserviceaccount.com"


@pytest.mark.parametrize(
    ("location", "address"),
    [
        ("global", "https://discoveryengine.googleapis.com"),
        ("us", "https://us-discoveryengine.googleapis.com"),
        ("eu", "https://eu-discoveryengine.googleapis.com"),
    ],
)
def test_each_location_has_its_own_address(location: str, address: str) -> None:
    assert endpoint(location) == address


def test_a_configuration_names_its_location() -> None:
    config = grounding_config("shop", "eu")
    assert config == "projects/shop/locations/eu/groundingConfigs/default_grounding_config"
    assert location_of(config) == "eu"


def test_an_environment_in_which_no_token_can_be_got_is_a_matter_of_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://proxy:1080")
    key_file = write_key_file(tmp_path / "key.json", "https://tokens.example/token")
    authority = Authority(GoogleAccount(credentials_file=key_file))
    with pytest.raises(Misconfigured, match=r"^HTTPS_PROXY names a proxy of SOCKS"):
        asyncio.run(authority.headers())
