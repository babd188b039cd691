"""Read from the environment how to reach a server: its proxy, and the authorities to trust.

Every client of the project asks here, so that a variable means the same to all of them; httpx,
requests, gRPC and OpenSSL each read other variables, and other forms of NO_PROXY.
"""

import os
import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

import certifi

from .addresses import is_utf8
from .errors import InvalidEnvironment

_PORTS = {"http": 80, "https": 443}
_ENTRY = re.compile(r"(?:\[(?P<bracketed>[^\]]+)\]|(?P<name>[^:]+))(?::(?P<port>\d+))?")
# A reply to CONNECT, as httpx and urllib3 report it.
_PROXY_STATUS = re.compile(r"^(?:Tunnel connection failed: )?(?P<status>[45]\d\d) ")
_FILES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_FOLDER = "SSL_CERT_DIR"
_PROBE_TIMEOUT_S = 5.0


class Proxy(NamedTuple):
    """A proxy that stands between this process and a server.

    Attributes:
      url: with its user name and password, if it has them.
      source: the variable or the flag that names it.
    """

    url: str
    source: str

    def __str__(self) -> str:
        """Return its place and its source, without a password."""
        place = urlsplit(self.url).netloc.rpartition("@")[2]
        return f"the proxy {place} of {self.source}"


def read_variable(name: str) -> str | None:
    """Return a variable of the environment, None if it is empty.

    Raises:
      InvalidEnvironment: it is not UTF-8, which no request can hold.
    """
    text = os.environ.get(name)
    if text and not is_utf8(text):
        raise InvalidEnvironment(f"{name} is not UTF-8: set it again")
    return text or None


def choose_proxy(url: str, given: str | None = None) -> Proxy | None:
    """Return the proxy for an address, None if it is connected to directly.

    HTTP_PROXY or HTTPS_PROXY, by the scheme of `url`, comes before ALL_PROXY, and a name in lower
    case before one in upper case. This machine and what NO_PROXY lists need none. `given` is the
    value of ``--proxy``, which comes before all of them.

    Raises:
      InvalidEnvironment: the proxy's address is not one, or it is a proxy of SOCKS.
    """
    if given:
        return _checked(given, "--proxy")
    origin, named = urlsplit(url), getproxies_environment()
    host, port = origin.hostname or "", origin.port or _PORTS[origin.scheme]
    if is_loopback(host) or is_excluded(host, port, named.get("no", "")):
        return None
    if not named and proxy_bypass(host):
        return None  # The settings of macOS and Windows have exceptions of their own.
    proxies = named or getproxies()
    for scheme in (origin.scheme, "all"):
        if address := proxies.get(scheme):
            name = f"{scheme}_proxy"
            source = name if os.environ.get(name) else name.upper()
            return _checked(address if "://" in address else f"http://{address}", source)
    return None


def through(proxy: Proxy | None) -> str:
    """Return how a message names the proxy behind an address, nothing without one."""
    return f" through {proxy}" if proxy else ""


def is_excluded(host: str, port: int, no_proxy: str) -> bool:
    """Return whether a value of NO_PROXY lists a host.

    Its entries are separated by commas or spaces: ``*``, a name that also stands for the names
    below it, an address of IPv4 or IPv6, or a range such as ``fd00::/8``, each also with a port. An
    entry of another form stands for nothing.
    """
    entries = no_proxy.lower().replace(",", " ").split()
    return any(_is_listed(host.lower().strip("[]"), port, entry) for entry in entries)


def trusted_authorities() -> tuple[Path | None, Path | None]:
    """Return the file and the folder of certificates that the environment names; None without.

    SSL_CERT_FILE comes before REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE, which may also name a folder.

    Raises:
      InvalidEnvironment: there is no such file or folder, or the file has no certificate.
    """
    named = [(name, Path(value)) for name in _FILES if (value := os.environ.get(name))]
    name, path = named[0] if named else ("", None)
    folder = Path(value) if (value := os.environ.get(_FOLDER)) else None
    if folder and not folder.is_dir():
        raise InvalidEnvironment(
            f"{_FOLDER}: there is no folder {folder}; name another, or unset it"
        )
    if path and path.is_dir() and name != _FILES[0]:
        return None, path
    if path:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
        except ssl.SSLError:
            raise InvalidEnvironment(
                f"{name}: {path} holds no certificate in PEM; name another file, or unset it"
            ) from None
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise InvalidEnvironment(
                f"{name}: cannot read {path}: {reason}; name another file, or unset it"
            ) from None
    return path, folder


def tls_context(*urls: str | None) -> ssl.SSLContext:
    """Return a context that verifies the certificates of servers.

    It trusts what `trusted_authorities` names, or else the system's authorities and those of
    Mozilla. Where none of `urls` begins with ``https`` nothing is read, and nobody is trusted.
    """
    if not any(url and urlsplit(url).scheme == "https" for url in urls):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    file, folder = trusted_authorities()
    if file or folder:
        return ssl.create_default_context(cafile=file, capath=folder)
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())  # A container may have none of the system's.
    return context


def check_environment(url: str, given_proxy: str | None = None) -> Proxy | None:
    """Return what `choose_proxy` does; raise `InvalidEnvironment` also if TLS cannot be used."""
    proxy = choose_proxy(url, given_proxy)
    tls_context(url, proxy and proxy.url)
    return proxy


def try_address(address: str, proxy: str | None = None) -> None:
    """Connect to a server, unless a proxy stands before it; raise OSError, InvalidEnvironment."""
    if check_environment(address, proxy) is None:
        origin = urlsplit(address)
        place = (origin.hostname or "", origin.port or _PORTS[origin.scheme])
        socket.create_connection(place, _PROBE_TIMEOUT_S).close()


def describe_failure(error: BaseException) -> str:
    """Say why a request failed, as TLS, the proxy or the system does, or else by the error's type.

    Other messages could quote an address, and so a secret.
    """
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"TLS: {cause.verify_message}; SSL_CERT_FILE can name whom to trust"
        if isinstance(cause, ssl.SSLError):
            return f"TLS: {cause.reason or type(cause).__name__}"
        if status := _PROXY_STATUS.search(str(cause)):
            return f"the proxy answers HTTP {status['status']}"
        if isinstance(cause, OSError) and isinstance(cause.errno, int):
            # A resolver has numbers of its own.
            is_system = cause.errno > 0 and not isinstance(cause, socket.gaierror)
            reason = os.strerror(cause.errno) if is_system else cause.strerror
            return (reason or type(cause).__name__).lower()
    return type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that caused it, also as urllib3 and requests keep them."""
    waiting, seen = [error], set[int]()
    while waiting:
        cause = waiting.pop(0)
        seen.add(id(cause))
        yield cause
        others = (*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__)
        waiting += [
            each for each in others if isinstance(each, BaseException) and id(each) not in seen
        ]


def _checked(address: str, source: str) -> Proxy:
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in _PORTS and parts.hostname and parts.port != 0
    except ValueError:  # brackets, or a port above 65,535
        parts, is_address = SplitResult("", "", "", "", ""), False
    if parts.scheme.startswith("socks"):
        raise InvalidEnvironment(
            f"{source} names a proxy of SOCKS, which is not supported: name one of HTTP, such as"
            " http://proxy:3128, or list the server in NO_PROXY"
        )
    if not is_address or not address.isascii() or not address.isprintable() or " " in address:
        raise InvalidEnvironment(
            f"{source} does not hold the address of a proxy, such as http://proxy:3128"
        )
    return Proxy(address, source)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, under an address that no other machine reaches."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")


def _is_listed(host: str, port: int, entry: str) -> bool:
    found = _ENTRY.fullmatch(entry)
    # An address of IPv6 without brackets has more than one colon.
    name = (found["bracketed"] or found["name"]) if found else entry
    if found and found["port"] and int(found["port"]) != port:
        return False
    try:
        address = ip_address(host)
    except ValueError:
        name = name.removeprefix("*")
        return not name or f".{host.rstrip('.')}".endswith(f".{name.strip('.')}")
    with suppress(ValueError):
        return name == "*" or address in ip_network(name, strict=False)
    return False
