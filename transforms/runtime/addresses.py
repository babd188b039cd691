"""Recognise addresses of HTTP, and keep their secrets out of messages."""

import re
from urllib.parse import urlsplit

ANY_PATH = r"(/[^?#@\s]*)?"
# How Python reads bytes of the system that are not UTF-8.
_UNDECODED = re.compile(r"[\ud800-\udfff]")
# What stands before the host: a name and a password, or a token.
_USER_INFO = re.compile(r"(?<=//).*@|^(?!\w+://)[^@]*:.*@", re.DOTALL)
_QUERY = re.compile(r"((?<=://)[^?#]*[?#]|\?(?=[\w.-]+=)).*", re.DOTALL)


def is_utf8(text: str) -> bool:
    """Return whether a text of the system, which may hold any bytes, is UTF-8."""
    return not _UNDECODED.search(text)


def is_address(text: str, path: str = "/?") -> bool:
    """Return whether a text is an address of HTTP without secrets, whose path has a pattern."""
    try:
        parts = urlsplit(text)
        port = parts.port
        (parts.hostname or "").encode("idna")
    except ValueError:  # brackets that do not match, an invalid port, or no name of a host
        return False
    is_whole = re.fullmatch(rf"https?://[^/?#@\s]+{path}", text)
    return port != 0 and bool(is_whole and parts.hostname) and is_utf8(text)


def hide_secrets(text: str) -> str:
    """Return a text for a message, without the password and the query of an address in it."""
    return _QUERY.sub(r"\1(hidden)", _USER_INFO.sub("(hidden)@", text))
