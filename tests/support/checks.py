"""Builders of the requests that the embedded checker is tested with."""

from groundwatch.schemas.verdict import Verdict
from groundwatch.schemas.wire.grounding_check import (
    CheckRequest,
    CheckResponse,
    GroundingFact,
    GroundingSpec,
)
from groundwatch.transforms.lexical.check_claims import find_contradictions
from groundwatch.transforms.rules.tagging import score_verdict
from groundwatch.transforms.rules.thresholds import Thresholds

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


def verdict_of(response: CheckResponse) -> Verdict:
    """Return the verdict on an answer by the reply to its only call."""
    scores = [claim.score for claim in response.claims if claim.score is not None]
    contradicts = any(claim.mismatches for claim in response.claims)
    support, lowest = response.support_score, min(scores, default=None)
    return score_verdict(support, lowest, Thresholds(), contradicts=contradicts).verdict


def contradictions_of(claim: str, *facts: str) -> list[tuple[str, str, str]]:
    """Return what a claim contradicts in facts: by what, what it says, and what the fact says."""
    [of_claim] = find_contradictions([claim], [(fact, {}) for fact in facts])
    return [(each.kind, each.claim_value, each.fact_value) for each in of_claim]
