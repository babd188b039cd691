"""Builders of the requests that the embedded checker is tested with."""

from groundwatch.schemas.wire.grounding_check import CheckRequest, GroundingFact, GroundingSpec

CHECK_PATH = "/v1beta/projects/p/locations/global/groundingConfigs/default_grounding_config:check"


def check_request(
    answer: str, *facts: str, citation_threshold: float | None = None
) -> CheckRequest:
    """Return a request for an answer's check against facts, with claim scores."""
    return CheckRequest(
        answer_candidate=answer,
        facts=tuple(GroundingFact(fact_text=fact) for fact in facts),
        grounding_spec=GroundingSpec(
            citation_threshold=citation_threshold, enable_claim_level_score=True
        ),
    )
