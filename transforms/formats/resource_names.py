"""Bare ids out of resource names such as ``projects/P/…/engines/E/sessions/S/answers/A``."""

import re

_ENGINE = re.compile(r"(?:^|/)(?:engines|dataStores)/([^/]+)")
_SESSION = re.compile(r"(?:^|/)sessions/([^/]+)")


def engine_id(*names: str) -> str | None:
    """The engine, or the data store, in the first of several resource names that tells."""
    return _first_id(_ENGINE, names)


def session_id(*names: str) -> str | None:
    """The session in the first of several resource names that tells."""
    return _first_id(_SESSION, names)


def _first_id(pattern: re.Pattern[str], names: tuple[str, ...]) -> str | None:
    matches = (pattern.search(name) for name in names)
    return next((match[1] for match in matches if match), None)
