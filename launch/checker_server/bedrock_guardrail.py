"""Check answers by the contextual grounding check of a guardrail of Amazon Bedrock.

Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html
"""

from collections.abc import Mapping
from itertools import chain
from urllib.parse import quote

import msgspec

from launch.checker_server.aws_signature import AwsKey, sign_post
from launch.checker_server.remote_service import JSON_HEADERS, RemoteService, Score
from launch.export.http_sender import read_secret, require_secret
from schemas.quantities import to_datetime
from schemas.wire.grounding_check import CheckRequest, CheckResponse
from transforms.grounding.local.embedded_check import fact_texts, unscored_claims
from transforms.runtime import clock

_QUESTION = "What do the sources say?"
"""The check requires a question, which groundwatch's protocol does not have."""


class _Filter(msgspec.Struct):
    type: str
    score: Score


class _Policy(msgspec.Struct):
    filters: list[_Filter] = []


class _Assessment(msgspec.Struct, rename="camel"):
    contextual_grounding_policy: _Policy = msgspec.field(default_factory=_Policy)


class _Usage(msgspec.Struct, rename="camel"):
    contextual_grounding_policy_units: int = 0


class _Reply(msgspec.Struct):
    assessments: list[_Assessment]
    usage: _Usage


class BedrockGuardrail(RemoteService):
    """A guardrail; its score is the support score, and claims have none.

    Args:
      resource: ``guardrail/ID/version/VERSION``; the id may be an ARN.
      region: of AWS.
      address: of the API; None for the region's.
    """

    def __init__(self, resource: str, region: str, address: str | None = None) -> None:
        default = f"https://bedrock-runtime.{region}.amazonaws.com"
        super().__init__("Amazon Bedrock", address or default)
        guardrail, _, version = resource.removeprefix("guardrail/").rpartition("/version/")
        self._path = f"/guardrail/{quote(guardrail, safe='')}/version/{version}/apply"
        self._region = region
        self._authorize(b"")

    def check(self, request: CheckRequest) -> CheckResponse:
        """Check an answer by one call."""
        content = [
            *(_block(text, "grounding_source") for text in fact_texts(request)),
            _block(_QUESTION, "query"),
            _block(request.answer_candidate, "guard_content"),
        ]
        body = {"source": "OUTPUT", "outputScope": "FULL", "content": content}
        encoded = msgspec.json.encode(body)
        reply = self.post(self._path, encoded, self._authorize(encoded), _Reply)
        self.count(text_units=reply.usage.contextual_grounding_policy_units)
        policies = [each.contextual_grounding_policy for each in reply.assessments]
        filters = chain.from_iterable(policy.filters for policy in policies)
        scores = [each.score for each in filters if each.type == "GROUNDING"]
        if not scores:
            raise self.failure(403, "ran no grounding check: add one to the guardrail")
        return CheckResponse(support_score=min(scores), claims=unscored_claims(request))

    def _authorize(self, body: bytes) -> Mapping[str, str]:
        """Return the headers; read the key for each call, since temporary ones are renewed."""
        if token := read_secret("AWS_BEARER_TOKEN_BEDROCK"):
            return {"Authorization": f"Bearer {token}"}
        key = AwsKey(
            key_id=require_secret("AWS_ACCESS_KEY_ID"),
            secret=require_secret("AWS_SECRET_ACCESS_KEY"),
            session_token=read_secret("AWS_SESSION_TOKEN"),
        )
        headers = {"host": self.host} | {n.lower(): value for n, value in JSON_HEADERS.items()}
        now = to_datetime(clock.now_us())
        scope = self._region, "bedrock"
        return sign_post(key, scope, self._path, body, headers=headers, now=now)


def _block(text: str, qualifier: str) -> dict[str, object]:
    return {"text": {"text": text, "qualifiers": [qualifier]}}
