"""Encode a result as other tools expect it."""

from typing import Any

from groundwatch.schemas.grounding_result import GroundingResult

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


def opentelemetry_attributes(result: GroundingResult) -> dict[str, str | float | list[str]]:
    """Return the attributes of the event `gen_ai.evaluation.result`."""
    own = {f"groundwatch.{name}": value for name, value in metadata(result).items()}
    # The conventions have an attribute for it.
    own.pop("groundwatch.response_id", None)
    fields = {
        "gen_ai.evaluation.name": EVALUATION,
        "gen_ai.evaluation.score.value": result.support_score,
        "gen_ai.evaluation.score.label": result.verdict,
        "gen_ai.evaluation.explanation": explain(result),
        "gen_ai.response.id": result.response_id,
        **own,
    }
    return {name: value for name, value in fields.items() if value is not None}


def phoenix_annotation(result: GroundingResult) -> dict[str, Any]:
    """Return an item of POST /v1/span_annotations, or of /v1/trace_annotations without a span.

    Phoenix replaces an annotation of the same name and identifier.
    """
    place = {"span_id": result.span_id} if result.span_id else {"trace_id": result.trace_id}
    scored = {"label": result.verdict, "score": result.support_score}
    return {
        **place,
        "name": EVALUATION,
        "annotator_kind": "CODE",
        "identifier": result.record_id,
        "result": {**scored, "explanation": explain(result)},
        "metadata": metadata(result),
    }


def mlflow_assessment(result: GroundingResult) -> dict[str, Any]:
    """Return the feedback that an assessment of a trace holds."""
    texts = {name: _as_text(value) for name, value in metadata(result).items()}
    if result.support_score is not None:
        texts["support_score"] = _as_text(result.support_score)
    return {
        "assessment_name": EVALUATION,
        "source": {"source_type": "CODE", "source_id": "groundwatch"},
        "feedback": {"value": result.verdict},
        "rationale": explain(result),
        "metadata": texts,
        **({"span_id": result.span_id} if result.span_id else {}),
    }


def _as_text(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def explain(result: GroundingResult) -> str:
    """Return the reason of the verdict, and the text of the worst claim where it is allowed."""
    claim = result.worst_claim
    if claim is None:
        return result.reason
    worst = f"{result.reason}; least supported claim {claim.score:.2f}"
    return f"{worst}: {claim.text}" if claim.text else worst


def metadata(result: GroundingResult) -> dict[str, Any]:
    """Return the fields of a result that tools have no place of their own for, without texts.

    A field of a record in a record is named as its column in CSV.
    """
    thresholds, screen = result.thresholds, result.screen
    fields = {
        "record_id": result.record_id,
        "reason": result.reason,
        "engine": result.engine,
        "tags": list(result.tags),
        "min_claim_score": result.min_claim_score,
        "response_id": result.response_id,
        "check_checker": result.checker,
        "check_revision": result.revision,
        "check_thresholds_low_grounded": thresholds and thresholds.low_grounded,
        "check_thresholds_claim": thresholds and thresholds.claim,
        "screen_checker": screen and screen.checker,
        "screen_revision": screen and screen.revision,
        "screen_verdict": screen and screen.verdict,
        "screen_support_score": screen and screen.support_score,
        "screen_min_claim_score": screen and screen.min_claim_score,
    }
    return {name: value for name, value in fields.items() if value not in (None, [])}
