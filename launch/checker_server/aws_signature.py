"""Sign requests to AWS with Signature Version 4.

Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime
from functools import reduce
from urllib.parse import quote

from schemas import Record

_ALGORITHM = "AWS4-HMAC-SHA256"


class AwsKey(Record, frozen=True, kw_only=True):
    """An access key; one that is temporary has a session token."""

    key_id: str
    secret: str
    session_token: str | None = None


def sign_post(
    key: AwsKey,
    region_and_service: tuple[str, str],
    path: str,
    body: bytes,
    *,
    headers: Mapping[str, str],
    now: datetime,
) -> dict[str, str]:
    """Return the headers that authorize a POST without a query.

    The path is as it is sent. `headers` are signed, with their names in lower case, and include the
    host. `now` is in UTC.
    """
    time = f"{now:%Y%m%dT%H%M%SZ}"
    added = {"x-amz-date": time}
    if key.session_token:
        added["x-amz-security-token"] = key.session_token
    signed = dict(sorted((dict(headers) | added).items()))
    names = ";".join(signed)
    lines = "".join(f"{name}:{value.strip()}\n" for name, value in signed.items())
    request = "\n".join(("POST", quote(path, safe="/~"), "", lines, names, _digest(body)))
    scope = (f"{now:%Y%m%d}", *region_and_service, "aws4_request")
    text = "\n".join((_ALGORITHM, time, "/".join(scope), _digest(request.encode())))
    secret = reduce(_mac, scope, f"AWS4{key.secret}".encode())
    authorization = (
        f"{_ALGORITHM} Credential={key.key_id}/{'/'.join(scope)}, SignedHeaders={names},"
        f" Signature={_mac(secret, text).hex()}"
    )
    return {**added, "authorization": authorization}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _mac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
