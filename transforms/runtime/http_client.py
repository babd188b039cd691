"""Open a client of a server, by the library httpx."""

import ssl
from collections.abc import Mapping

import httpx

from .network_environment import Proxy, choose_proxy, tls_context


def open_http_client(
    base_url: str,
    *,
    timeout_s: float,
    headers: Mapping[str, str] | None = None,
    auth: tuple[str, str] | None = None,
) -> httpx.Client:
    """Open a client, by the proxy and the authorities of the environment.

    Raises:
      InvalidEnvironment: a variable of the environment cannot be used.
    """
    proxy = choose_proxy(base_url)
    tls = tls_context(base_url, proxy and proxy.url)
    return httpx.Client(
        base_url=base_url,
        headers=headers,
        auth=auth,
        timeout=timeout_s,
        trust_env=False,
        verify=tls,
        proxy=proxy and with_tls(proxy, tls),
    )


def with_tls(proxy: Proxy, tls: ssl.SSLContext) -> httpx.Proxy:
    """Return a proxy as httpx takes it; its own certificate is verified, too, if it has one."""
    return httpx.Proxy(
        proxy.url, ssl_context=tls if proxy.url.lower().startswith("https:") else None
    )
