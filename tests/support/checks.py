"""Builders of the requests that the embedded checker is tested with."""

from groundwatch.schemas.wire.grounding_check import CheckRequest, GroundingFact, GroundingSpec
from groundwatch.transforms.lexical.check_claims import find_contradictions

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


def contradictions_of(claim: str, *facts: str) -> list[tuple[str, str, str]]:
    """Return what a claim contradicts in facts: by what, what it says, and what the fact says."""
    [of_claim] = find_contradictions([claim], [(fact, {}) for fact in facts])
    return [(each.kind, each.claim_value, each.fact_value) for each in of_claim]
