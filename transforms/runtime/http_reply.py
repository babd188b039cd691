"""Read what HTTP replies of all services have in common: without any I/O."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_PAGE = re.compile(rb"\s*+<(?:!doctype|html|head|body)\b", re.IGNORECASE)
MAX_WAIT_S = 300.0
"""The longest wait that a service may ask for: a wrong clock must not stop its calls for a year."""

IN_ITS_PLACE = "a proxy or a login page may answer in its place"
"""Why a service's reply may be a page of HTML."""


def is_page(body: bytes) -> bool:
    """Return whether a body is a page of HTML, as proxies and login pages answer."""
    return _PAGE.match(body) is not None


def parse_retry_after(retry_after: str | None, now: datetime) -> float | None:
    """Return the seconds that a header Retry-After asks to wait, None if it cannot be read.

    They are `MAX_WAIT_S` at most; then it is tried again.
    """
    if retry_after is None:
        return None
    if retry_after.strip().isascii() and retry_after.strip().isdigit():
        return min(float(retry_after), MAX_WAIT_S)
    try:
        moment = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max(0.0, (zoned - now).total_seconds()), MAX_WAIT_S)
