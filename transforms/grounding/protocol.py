"""Encode requests and decode replies of the check, without any I/O.

Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding
"""

import re
import zlib
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

import msgspec

from groundwatch.schemas import Record
from groundwatch.schemas.alert import OutageCause
from groundwatch.schemas.answer import Fact
from groundwatch.schemas.wire.grounding_check import (
    CheckedClaim,
    CheckRequest,
    CheckResponse,
    GroundingFact,
    GroundingSpec,
)
from groundwatch.transforms.lexical.check_claims import has_claims
from groundwatch.transforms.lexical.facts.fact_text import fact_attributes
from groundwatch.transforms.lexical.reading.same_text import texts_in_json
from groundwatch.transforms.rules.planning import PlannedCall
from groundwatch.transforms.rules.spans import is_valid_span
from groundwatch.transforms.runtime.http_reply import is_page, parse_retry_after
from .errors import BadReply, CheckFailed, Misconfigured, Rejected, Unauthenticated, Unavailable
from .settings import DISCOVERY_ENGINE, CheckSettings

_OK = 200
_REFUSED = frozenset({400, 413, 414, 422})
_UNAUTHENTICATED = 401
_TOO_MANY = 429
_GZIP = zlib.MAX_WBITS | 16
_ADVICE = {
    402: "the account has no credit left",
    403: "grant discoveryengine.groundingConfigs.check on the project, and enable the API",
    404: "check the project, the location and the grounding configuration",
    405: "check that the address is that of a grounding checker",
    407: "check the user name and password of the proxy",
}
"""How to resolve a refusal of Google's service."""

_ADVICE_ELSEWHERE = {
    **_ADVICE,
    403: "check who may call it, and whether a firewall or proxy in between lets calls through",
    404: "check the address, and --api_version",
}
"""How to resolve a refusal of another checker."""

_CAUSES = {
    401: OutageCause.CREDENTIALS,
    402: OutageCause.QUOTA,
    403: OutageCause.CREDENTIALS,
    407: OutageCause.CREDENTIALS,
    429: OutageCause.QUOTA,
}
"""Why a checker that answers so cannot be used; any other is away."""

_MAX_QUERY = 10_000
"""Characters of a query that are sent: as many as of a fact."""

_DETAILS = ("error", "message", "detail")
_MAX_DETAIL = 500
_STATUS_NAME = re.compile(rb'"status"\s*:\s*"([A-Z_]{2,40})"')

Fields = dict[str, msgspec.Raw]
_encode = msgspec.json.Encoder().encode
encode_request: Callable[[CheckRequest], bytes] = _encode
"""Encode a request as the JSON body of the call."""

_decode_response = msgspec.json.Decoder(CheckResponse).decode
_decode_fields = msgspec.json.Decoder(Fields).decode
_decode_claims = msgspec.json.Decoder(list[Fields]).decode
_NO_CLAIMS = msgspec.Raw(b"[]")

_RESPONSE_FIELDS = frozenset(CheckResponse.__struct_encode_fields__)
_IGNORED_FIELDS = frozenset({"citedFacts"})
_CLAIM_FIELDS = frozenset(CheckedClaim.__struct_encode_fields__)


class HttpReply(NamedTuple):
    """An HTTP status, a JSON body without compression, and headers.

    They are Retry-After, if a service sent one, and X-Checker-Revision or, without one, Server.
    """

    status: int
    body: bytes
    retry_after: str | None = None
    revision: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        given = {"Retry-After": self.retry_after, "X-Checker-Revision": self.revision}
        return {name: value for name, value in given.items() if value}


class CheckReply(Record, frozen=True, kw_only=True):
    """A valid reply.

    Attributes:
      response: the reply.
      attempts: requests sent for it; 0 if it came from the cache.
      unknown_members: JSON of its undocumented fields, None if there are none.
      revision: of the checker, as its headers state it.
    """

    response: CheckResponse
    attempts: int
    unknown_members: str | None = None
    revision: str | None = None


def check_path(settings: CheckSettings) -> str:
    """Return the path of the method, ``/v1beta/projects/p/locations/global/...:check``."""
    return f"/{settings.api_version}/{settings.grounding_config}:check"


def build_request(
    call: PlannedCall,
    facts: Sequence[Fact],
    settings: CheckSettings,
    query: str | None = None,
    *,
    is_of_2_0_0: bool = False,
) -> CheckRequest:
    """Build the request of a planned call, with the facts' titles, uris and attributes.

    The service uses these for the entailment. Of a fact that is JSON the texts in it are sent.
    Any checker but Discovery Engine, which refuses fields that it does not know, also gets what
    the user asked. 2.0.0 sent no query, and JSON as it was.
    """
    read = str if is_of_2_0_0 else texts_in_json
    is_googles = settings.checker == DISCOVERY_ENGINE
    return CheckRequest(
        answer_candidate=call.answer.text,
        facts=tuple(
            GroundingFact(fact_text=read(piece.text), attributes=fact_attributes(facts[piece.fact]))
            for piece in call.facts
        ),
        grounding_spec=GroundingSpec(
            citation_threshold=settings.citation_threshold, enable_claim_level_score=True
        ),
        query=None if is_googles or is_of_2_0_0 or not query else query[:_MAX_QUERY],
    )


def decompress(encoding: str | None, body: bytes, max_bytes: int) -> bytes:
    """Decompress a body by its Content-Encoding, up to a size."""
    encoding = (encoding or "identity").strip().lower()
    if encoding == "identity":
        return body
    if encoding != "gzip":
        raise BadReply("the reply has a content encoding that was not asked for")
    decompressor = zlib.decompressobj(_GZIP)
    try:
        decompressed = decompressor.decompress(body, max_bytes + 1)
    except zlib.error:
        raise BadReply("the reply is not valid gzip") from None
    if len(decompressed) > max_bytes:
        raise BadReply(f"the reply is longer than {max_bytes} bytes, decompressed")
    if not decompressor.eof:
        raise BadReply("the reply's gzip is truncated")
    return decompressed


def interpret_reply(
    reply: HttpReply,
    request: CheckRequest,
    now: datetime,
    *,
    checker: str = DISCOVERY_ENGINE,
    attempts: int = 1,
) -> CheckReply:
    """Decode a reply, and validate its offsets, indices and scores.

    Its Retry-After is in seconds, or a date to compare with `now`. The checker's name chooses the
    advice on a refusal.

    Raises:
      CheckFailed: the class that the status stands for, or BadReply for an invalid reply.
    """
    body = reply.body
    if reply.status != _OK:
        error = _error(reply, now, checker)
        error.cause = _CAUSES.get(reply.status, OutageCause.AWAY)
        error.detail = error_detail(body)
        raise error
    try:
        # The decoder does not validate the UTF-8 of fields it does not know.
        body.decode()
        response, unknown = _decode_reply(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        what = f"not JSON of the check: {type(error).__name__}"
        if is_page(body):
            what = "a page of HTML: a proxy or a login page may answer in the checker's place"
        raise BadReply(f"the reply is {what}") from None
    if fault := _fault(response, request):
        raise BadReply(f"the reply is not valid: {fault}")
    return CheckReply(
        response=response, attempts=attempts, unknown_members=unknown, revision=reply.revision
    )


def _decode_reply(body: bytes) -> tuple[CheckResponse, str | None]:
    """Decode a reply, and separate the undocumented fields of it and its claims, as a JSON object.

    The service has sent experimental fields, such as contradictionScore, helpfulnessScore and a
    claim's antiCitationIndices. The fields of claims are under ``claims``, by the claim's index.
    """
    try:
        return _decode_response(body), None
    except msgspec.ValidationError:
        reply = _decode_fields(body)
    known = {name: value for name, value in reply.items() if name in _RESPONSE_FIELDS}
    if not known:
        raise BadReply("the reply is not valid: it has no field of a check")
    unknown = _without(reply, _RESPONSE_FIELDS | _IGNORED_FIELDS)
    claims = _decode_claims(reply.get("claims", _NO_CLAIMS))
    of_claims = {
        str(index): fields
        for index, claim in enumerate(claims)
        if (fields := _without(claim, _CLAIM_FIELDS))
    }
    if of_claims:
        unknown["claims"] = msgspec.Raw(_encode(of_claims))
        known["claims"] = msgspec.Raw(
            _encode([_without(c, c.keys() - _CLAIM_FIELDS) for c in claims])
        )
    return _decode_response(_encode(known)), _encode(unknown).decode() if unknown else None


def _without(fields: Fields, names: AbstractSet[str]) -> Fields:
    return {name: value for name, value in fields.items() if name not in names}


@lru_cache
def _indices(count: int) -> frozenset[str]:
    return frozenset(map(str, range(count)))


def _fault(response: CheckResponse, request: CheckRequest) -> str | None:  # noqa: PLR0911 - a fault a line
    """Return the first fault of a reply, None if it is valid."""
    if not _is_score(response.support_score):
        return "supportScore is outside 0..1"
    is_empty = response.support_score is None and not response.claims
    if is_empty and has_claims(request):
        return "it has neither a score nor a claim, and the answer has claims"
    if not _indices(len(request.facts)).issuperset(
        [chunk.source for chunk in response.cited_chunks]
    ):
        return "a cited chunk's source is not the index of a fact"
    chunks = frozenset(range(len(response.cited_chunks)))
    answer = request.answer_candidate.encode()
    is_ascii = answer.isascii()
    for claim in response.claims:
        if not _is_score(claim.score):
            return "a claim's score is outside 0..1"
        start, end = claim.start_pos, claim.end_pos
        is_within = 0 <= start < end <= len(answer)
        if not is_within or not (is_ascii or is_valid_span(answer, start, end)):
            return "a claim's offsets are not a span of the answer"
        if not chunks.issuperset(claim.citation_indices):
            return "a claim's citation is not the index of a cited chunk"
    facts = range(len(request.facts))
    if any(each.fact not in facts for claim in response.claims for each in claim.mismatches or ()):
        return "a claim's mismatch is not with a fact"
    return None


def _is_score(score: float | None) -> bool:
    return score is None or 0 <= score <= 1


def _error(reply: HttpReply, now: datetime, checker: str) -> CheckFailed:
    # Not the message, which may quote the answer.
    status, name = reply.status, _STATUS_NAME.search(reply.body)
    reason = f"HTTP {status} {name.group(1).decode()}" if name else f"HTTP {status}"
    if status in _REFUSED:
        return Rejected(f"the checker refuses the request: {reason}")
    if status == _UNAUTHENTICATED:
        return Unauthenticated(
            f"the checker does not accept the credentials: {reason}; log in again"
        )
    if status in _ADVICE:
        is_googles = checker == DISCOVERY_ENGINE
        advice = (_ADVICE if is_googles else _ADVICE_ELSEWHERE)[status]
        who = "Discovery Engine" if is_googles else checker
        return Misconfigured(f"{who} refuses the call: {reason}; {advice}")
    if 300 <= status < 400:  # noqa: PLR2004 - the redirects
        return Misconfigured(f"the checker redirects: {reason}; name the final address")
    return Unavailable(
        f"the checker is not available: {reason}",
        parse_retry_after(reply.retry_after, now),
        is_overload=status == _TOO_MANY,
    )


def error_detail(body: bytes) -> str | None:
    """Return the message of an error, as google.rpc or other servers write it, or the body."""
    found: object = None
    with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        found = msgspec.json.decode(body)
        while isinstance(found, dict):
            found = next(filter(None, map(found.get, _DETAILS)), None)
    text = found if isinstance(found, str) else body[:_MAX_DETAIL].decode("utf-8", "replace")
    return text.strip()[:_MAX_DETAIL] or None
