"""Answer HTTP requests for `groundingConfigs.check`, without a network."""

import re

import msgspec

from schemas import Record
from transforms.grounding.local.embedded_check import check_grounding
from transforms.grounding.local.entailment import Entailment
from transforms.grounding.local.requests import InvalidArgumentError, decode_request

_CHECK_PATH = re.compile(
    r"/(?:v1|v1beta|v1alpha)/projects/[^/]+/locations/[^/]+/groundingConfigs/[^/:]+:check"
)

_STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    408: "DEADLINE_EXCEEDED",
    413: "INVALID_ARGUMENT",
    500: "INTERNAL",
}
"""The google.rpc name of each status; 405, 408 and 413 have none of their own."""

_encode = msgspec.json.Encoder().encode


class Reply(Record, frozen=True, kw_only=True):
    """An HTTP status and a JSON body."""

    status: int
    body: bytes


def answer(method: str, path: str, body: bytes, entailment: Entailment | None = None) -> Reply:
    """Answer one HTTP request as Google's service does, errors included.

    The query of the path is ignored. Without a model, the claims are scored by their words.

    Returns:
      200 with a `CheckResponse`, or an error with google.rpc's body, which never contains text of
      the request.
    """
    if not _CHECK_PATH.fullmatch(path.partition("?")[0]):
        return refuse(404, "Not found: only projects.locations.groundingConfigs.check is served.")
    if method != "POST":
        return refuse(405, "Only POST is allowed here.")
    try:
        request = decode_request(body)
    except InvalidArgumentError as error:
        return refuse(400, str(error))
    return Reply(status=200, body=_encode(check_grounding(request, entailment)))


def refuse(status: int, message: str) -> Reply:
    """Return an error as Google's services write it.

    Source: https://cloud.google.com/apis/design/errors
    """
    error = {"code": status, "message": message, "status": _STATUS_NAMES[status]}
    return Reply(status=status, body=_encode({"error": error}))
