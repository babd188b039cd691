"""Check answers by the groundedness detection of Azure AI Content Safety.

Source: https://learn.microsoft.com/azure/ai-services/content-safety/quickstart-groundedness
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from launch.checker_server.remote_service import Index, RemoteService, Score
from launch.export.http_sender import require_secret
from schemas.wire.grounding_check import CheckedClaim, CheckRequest, CheckResponse
from transforms.grounding.local.embedded_check import fact_texts, unscored_claims

_PATH = "/contentsafety/text:detectGroundedness?api-version=2024-09-15-preview"
_KEY = "CONTENT_SAFETY_KEY"


class _Position(msgspec.Struct, rename="camel"):
    code_point: Index


class _Segment(msgspec.Struct):
    text: str
    offset: _Position | None = None
    length: _Position | None = None


class _Reply(msgspec.Struct, rename="camel"):
    ungrounded_detected: bool
    ungrounded_percentage: Score | None = None
    ungrounded_details: list[_Segment] = []


class AzureGroundedness(RemoteService):
    """Azure's detection; a claim's score is 0 if it has ungrounded text, else 1.

    Args:
      address: of the Content Safety resource.
    """

    def __init__(self, address: str) -> None:
        super().__init__("Azure AI Content Safety", address)
        require_secret(_KEY)

    def check(self, request: CheckRequest) -> CheckResponse:
        """Check an answer by one call."""
        answer = request.answer_candidate
        body = {
            "domain": "Generic",
            "task": "Summarization",  # The other task, QnA, needs the question.
            "text": answer,
            "groundingSources": fact_texts(request),
            "reasoning": False,
        }
        headers = {"Ocp-Apim-Subscription-Key": require_secret(_KEY)}
        reply = self.post(_PATH, msgspec.json.encode(body), headers, _Reply)
        share = reply.ungrounded_percentage
        claims = unscored_claims(request)
        spans = [_span(segment, answer) for segment in reply.ungrounded_details]
        # Without each place, it is not known which claims are grounded.
        if bool(spans) == reply.ungrounded_detected and None not in spans:
            claims = tuple(_scored(claims, [span for span in spans if span]))
        return CheckResponse(support_score=None if share is None else 1 - share, claims=claims)


def _span(segment: _Segment, answer: str) -> tuple[int, int] | None:
    """Return the UTF-8 bytes of a segment; None if the answer does not have it."""
    if segment.offset and segment.length:
        start, length = segment.offset.code_point, segment.length.code_point
    else:
        start, length = answer.find(segment.text), len(segment.text)
    if not (0 <= start < len(answer) and length):
        return None
    return len(answer[:start].encode()), len(answer[: start + length].encode())


def _scored(
    claims: tuple[CheckedClaim, ...], spans: list[tuple[int, int]]
) -> Iterator[CheckedClaim]:
    for claim in claims:
        is_hit = any(start < claim.end_pos and claim.start_pos < end for start, end in spans)
        yield replace(claim, score=0.0 if is_hit else 1.0)
