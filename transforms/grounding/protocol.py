"""The wire protocol of the check, both ways, without a socket.

Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec

from schemas.answer import Fact
from schemas.wire.grounding_check import (
    CheckedClaim,
    CheckRequest,
    CheckResponse,
    GroundingFact,
    GroundingSpec,
)
from transforms.grounding.errors import (
    BadReply,
    CheckFailed,
    Misconfigured,
    Rejected,
    Unauthenticated,
    Unavailable,
)
from transforms.grounding.settings import DISCOVERY_ENGINE, CheckSettings
from transforms.rules.fact_text import fact_attributes
from transforms.rules.planning import PlannedCall, PlannedRecheck
from transforms.rules.spans import is_valid_span

_OK = 200
_REFUSED = frozenset({400, 413, 414, 422})
_UNAUTHENTICATED = 401
_TOO_MANY = 429
_ADVICE = {
    403: "grant discoveryengine.groundingConfigs.check on the project, and enable the API",
    404: "check the project, the location and the grounding configuration",
    405: "check that the address is that of a grounding checker",
}
"""What to do about a refusal of Google's service."""

_ADVICE_ELSEWHERE = {
    403: "check who may call it, and whether a firewall or proxy in between lets calls through",
    404: "check the address, and --api_version",
    405: "check that the address is that of a grounding checker",
}
"""What to do about a refusal of another checker."""

_STATUS_NAME = re.compile(rb'"status"\s*:\s*"([A-Z_]{2,40})"')

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(CheckResponse)
_members_decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])
_NOTHING = CheckResponse()


def check_path(settings: CheckSettings) -> str:
    """The path of the method, such as ``/v1beta/projects/p/locations/global/...:check``."""
    return f"/{settings.api_version}/{settings.grounding_config}:check"


def build_request(
    call: PlannedCall | PlannedRecheck, facts: Sequence[Fact], settings: CheckSettings
) -> CheckRequest:
    """Write a planned call as the service's request.

    A fact's title, uri and own attributes go along, since they take part in the entailment.

    Args:
      call: which part of the answer, which parts of the facts.
      facts: all facts of the answer, which the call's pieces point into.
      settings: threshold and labels.

    Returns:
      A request within the limits that the call was planned for.
    """
    return CheckRequest(
        answer_candidate=call.answer.text,
        facts=tuple(
            GroundingFact(fact_text=piece.text, attributes=fact_attributes(facts[piece.fact]))
            for piece in call.facts
        ),
        grounding_spec=GroundingSpec(
            citation_threshold=settings.citation_threshold, enable_claim_level_score=True
        ),
        user_labels=settings.user_labels,
    )


def encode_request(request: CheckRequest) -> bytes:
    """Encode a request as the JSON body of the call."""
    return _encoder.encode(request)


def interpret_reply(
    status: int,
    retry_after: str | None,
    body: bytes,
    request: CheckRequest,
    now: datetime,
    *,
    checker: str = DISCOVERY_ENGINE,
) -> CheckResponse:
    """Read a reply, trusting nothing in it.

    Args:
      status: the HTTP status.
      retry_after: the header of that name, seconds or a date.
      body: the whole body, unpacked.
      request: what was asked.
      now: to tell how far away a date in `retry_after` is; with its time zone.
      checker: which one replied, for what to do about a refusal.

    Returns:
      A reply whose offsets, indices and scores are valid for the request.

    Raises:
      BadReply: a 200 that is no valid reply.
      Unavailable: 408, 429, 5xx, or a status nobody expects.
      Rejected: 400 and its kin.
      Unauthenticated: 401.
      Misconfigured: 403, 404, 405 and redirects.
    """
    if status == _OK:
        return _decode(body, request)
    raise _failure(status, retry_after, body, now, checker)


def _decode(body: bytes, request: CheckRequest) -> CheckResponse:
    try:
        # The decoder does not look into members it does not know.
        body.decode()
        response = _decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadReply(f"the reply is not JSON of the check: {type(error).__name__}") from None
    fault = _fault(response, request)
    if response == _NOTHING and _is_foreign(body):
        fault = "it holds no member of the check"
    if fault:
        raise BadReply(f"the reply is not valid: {fault}")
    return response


def _is_foreign(body: bytes) -> bool:
    """Tell whether it is some other JSON, such as another service's; ``{}`` is not."""
    members = _members_decoder.decode(body).keys()
    return bool(members) and members.isdisjoint(CheckResponse.__struct_encode_fields__)


def _fault(response: CheckResponse, request: CheckRequest) -> str | None:
    """Name the first thing in a reply that cannot be, None if all can."""
    if not _is_score(response.support_score):
        return "supportScore is outside 0..1"
    sources = {chunk.source for chunk in response.cited_chunks}
    if not sources <= {str(index) for index in range(len(request.facts))}:
        return "a cited chunk's source is no index of a fact"
    answer = request.answer_candidate.encode()
    for claim in response.claims:
        if not _is_score(claim.score):
            return "a claim's score is outside 0..1"
        if not _cuts(claim, answer):
            return "a claim's offsets do not cut the answer at characters"
        if not all(0 <= index < len(response.cited_chunks) for index in claim.citation_indices):
            return "a claim's citation is no index of a cited chunk"
    return None


def _is_score(score: float | None) -> bool:
    return score is None or 0 <= score <= 1


def _cuts(claim: CheckedClaim, answer: bytes) -> bool:
    return claim.start_pos < claim.end_pos and is_valid_span(answer, claim.start_pos, claim.end_pos)


def _failure(
    status: int, retry_after: str | None, body: bytes, now: datetime, checker: str
) -> CheckFailed:
    said = _said(status, body)
    if status in _REFUSED:
        return Rejected(f"the checker refuses the request: {said}")
    if status == _UNAUTHENTICATED:
        return Unauthenticated(f"the checker does not accept the credentials: {said}; log in again")
    if status in _ADVICE:
        is_googles = checker == DISCOVERY_ENGINE
        advice = (_ADVICE if is_googles else _ADVICE_ELSEWHERE)[status]
        who = "Discovery Engine" if is_googles else checker
        return Misconfigured(f"{who} refuses the call: {said}; {advice}")
    if 300 <= status < 400:  # noqa: PLR2004 - the redirects
        return Misconfigured(f"the checker redirects: {said}; name the final address")
    return Unavailable(
        f"the checker is not available: {said}",
        _seconds(retry_after, now),
        is_overload=status == _TOO_MANY,
    )


def _said(status: int, body: bytes) -> str:
    """The status and google.rpc's name for it; never the message, which may quote the answer."""
    name = _STATUS_NAME.search(body)
    return f"HTTP {status} {name.group(1).decode()}" if name else f"HTTP {status}"


def _seconds(retry_after: str | None, now: datetime) -> float | None:
    if retry_after is None:
        return None
    if retry_after.strip().isascii() and retry_after.strip().isdigit():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (zoned - now).total_seconds())
