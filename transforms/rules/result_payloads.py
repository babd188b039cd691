"""Encode a result as other tools expect it."""

from typing import Any

from schemas.grounding_result import GroundingResult

EVALUATION = "grounding"
"""The name of the evaluation in every tool."""


def langfuse_scores(result: GroundingResult) -> list[dict[str, Any]]:
    """Return the bodies of POST /api/public/scores: the verdict, and the score if there is one.

    Langfuse replaces a score of the same id.
    """
    shared = {
        "traceId": result.trace_id,
        "observationId": result.span_id,
        "comment": explain(result),
        "metadata": metadata(result),
    }
    verdict = {"name": f"{EVALUATION}_verdict", "value": result.verdict, "dataType": "CATEGORICAL"}
    scores: list[dict[str, Any]] = [verdict]
    if result.support_score is not None:
        value = {"value": result.support_score, "dataType": "NUMERIC"}
        scores.append({"name": EVALUATION, **value})
    return [{"id": f"{result.record_id}-{each['name']}", **each, **shared} for each in scores]


def explain(result: GroundingResult) -> str:
    """Return the reason of the verdict, and the text of the worst claim where it is allowed."""
    claim = result.worst_claim
    if claim is None:
        return result.reason
    worst = f"{result.reason}; least supported claim {claim.score:.2f}"
    return f"{worst}: {claim.text}" if claim.text else worst


def metadata(result: GroundingResult) -> dict[str, Any]:
    """Return the fields of a result that tools have no place of their own for, without texts."""
    fields = {
        "record_id": result.record_id,
        "reason": result.reason,
        "engine": result.engine,
        "tags": list(result.tags),
        "min_claim_score": result.min_claim_score,
        "response_id": result.response_id,
    }
    return {name: value for name, value in fields.items() if value not in (None, [])}
