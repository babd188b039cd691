"""Check answers by corroborateContent of Vertex AI.

Source: https://cloud.google.com/vertex-ai/docs/reference/rest/v1/projects.locations/corroborateContent
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from launch.checker_server.remote_service import Index, RemoteService, Score
from schemas.wire.grounding_check import CheckedClaim, CheckRequest, CheckResponse, CitedChunk
from transforms.grounding.credentials import Authority
from transforms.grounding.errors import CheckFailed
from transforms.grounding.local.claim_result import ScorerFailed
from transforms.grounding.local.embedded_check import fact_texts, unscored_claims
from transforms.grounding.settings import GoogleAccount
from transforms.rules.spans import is_valid_span

_UNAUTHENTICATED = 401


class _Claim(msgspec.Struct, rename="camel"):
    start_index: Index = 0
    end_index: Index = 0
    fact_indexes: list[Index] = []
    score: Score | None = None


class _Reply(msgspec.Struct, rename="camel"):
    corroboration_score: Score | None = None
    claims: list[_Claim] = []


class VertexCorroboration(RemoteService):
    """Vertex AI's check, with the application's default credentials.

    Args:
      resource: ``projects/PROJECT/locations/LOCATION``.
      address: of the API; None for the location's.
    """

    def __init__(self, resource: str, address: str | None = None) -> None:
        location = resource.rpartition("/")[2]
        prefix = "" if location == "global" else f"{location}-"
        super().__init__("Vertex AI", address or f"https://{prefix}aiplatform.googleapis.com")
        self._path = f"/v1/{resource}:corroborateContent"
        self._authority = Authority(GoogleAccount())

    def check(self, request: CheckRequest) -> CheckResponse:
        """Check an answer by one call, or by two if the access token is not accepted."""
        content = {"role": "user", "parts": [{"text": request.answer_candidate}]}
        facts = [{"summary": text} for text in fact_texts(request)]
        # Without citationThreshold, below which claims are left out of the reply.
        body = msgspec.json.encode({"content": content, "facts": facts})
        headers = self._authorize()
        try:
            reply = self.post(self._path, body, headers, _Reply)
        except ScorerFailed as refused:
            if refused.status != _UNAUTHENTICATED:
                raise
            reply = self.post(self._path, body, self._authorize(headers), _Reply)
        if any(index >= len(facts) for claim in reply.claims for index in claim.fact_indexes):
            raise self.invalid_reply("a claim names a fact that was not sent")
        return _response(reply, request)

    def _authorize(self, rejected: Mapping[str, str] | None = None) -> Mapping[str, str]:
        try:
            return self._authority.wait_for_headers(rejected)
        except CheckFailed as error:
            raise self.failure(503 if error.retryable else 401, f"was not asked: {error}") from None


def _response(reply: _Reply, request: CheckRequest) -> CheckResponse:
    cited = sorted({index for claim in reply.claims for index in claim.fact_indexes})
    chunk_of = {fact: chunk for chunk, fact in enumerate(cited)}
    answer, sentences = request.answer_candidate.encode(), unscored_claims(request)
    spans = _byte_spans(reply.claims, request.answer_candidate, sentences)
    claims = [
        CheckedClaim(
            start_pos=start,
            end_pos=end,
            claim_text=answer[start:end].decode(),
            citation_indices=tuple(sorted({chunk_of[index] for index in claim.fact_indexes})),
            score=claim.score,
        )
        for claim, (start, end) in zip(reply.claims, spans, strict=False)
    ]
    left_out = [
        sentence
        for sentence in sentences
        if not any(start < sentence.end_pos and sentence.start_pos < end for start, end in spans)
    ]
    return CheckResponse(
        support_score=reply.corroboration_score,
        cited_chunks=tuple(
            CitedChunk(chunk_text=request.facts[fact].fact_text, source=str(fact)) for fact in cited
        ),
        claims=tuple(sorted([*claims, *left_out], key=lambda claim: claim.start_pos)),
    )


def _byte_spans(
    claims: Sequence[_Claim], answer: str, sentences: Sequence[CheckedClaim]
) -> list[tuple[int, int]]:
    """Return the claims' UTF-8 bytes; empty if the indexes do not fit the answer.

    Google does not say whether the indexes count bytes or characters. Only the right unit places
    all claims at the ends of words, and more of them at those of sentences.
    """
    encoded = answer.encode()
    units: tuple[Callable[[int], int], ...] = (int, lambda index: len(answer[:index].encode()))
    found = [[(unit(each.start_index), unit(each.end_index)) for each in claims] for unit in units]
    fitting = [spans for spans in found if all(_is_of_words(encoded, *span) for span in spans)]
    known = {(each.start_pos, each.end_pos) for each in sentences}
    return max(fitting, key=lambda spans: len(known.intersection(spans)), default=[])


def _is_of_words(text: bytes, start: int, end: int) -> bool:
    if start >= end or not is_valid_span(text, start, end):
        return False
    before, span, after = text[:start].decode(), text[start:end].decode(), text[end:].decode()
    borders = before[-1:] + span[0], span[-1] + after[:1]
    return span == span.strip() and not any(len(two) > 1 and two.isalnum() for two in borders)
