"""Labelled answers and their evaluation."""

import json
from pathlib import Path
from typing import Any

from groundwatch.launch.quality.evaluate.evaluation import Evaluation, measure
from groundwatch.launch.quality.evaluate.labelled_answers import Counts, LabelledAnswer, ScoredClaim
from groundwatch.schemas.answer import Label, LabelSpan
from groundwatch.schemas.verdict import Verdict
from tests.support.builders import a_fact, an_enriched
from tests.support.reports import a_low, write_enriched


def a_labelled(
    *claim_scores: float,
    spans: tuple[LabelSpan, ...] | None = (),
    support: float | None = 0.9,
    is_unsupported: bool | None = None,
) -> LabelledAnswer:
    """An answer of claims of ten bytes each, with its label: unsupported where it has spans."""
    least = min(claim_scores, default=None)
    label = bool(spans) if is_unsupported is None else is_unsupported
    is_flagged = least is not None and least < 0.4
    return LabelledAnswer(
        verdict=Verdict.LOW_GROUNDED if is_flagged else Verdict.GROUNDED,
        is_flagged=is_flagged,
        is_always_flagged=False,
        support_score=support if claim_scores else None,
        min_claim_score=least,
        claims=tuple(
            ScoredClaim(10 * number, 10 * number + 10, score)
            for number, score in enumerate(claim_scores)
        ),
        cluster=f"{claim_scores} {spans}",
        checker="local" if claim_scores else None,
        engine=None,
        label=Label(is_unsupported=label, spans=spans),
    )


def measured(*answers: LabelledAnswer) -> Evaluation:
    """The statistics of these answers."""
    return measure(answers, Counts(), resamples=10)


def write_gold(folder: Path, *labels: dict[str, Any]) -> str:
    """Write labels; return the path."""
    path = folder / "gold.jsonl"
    path.write_text("".join(json.dumps(label) + "\n" for label in labels))
    return str(path)


def chosen_labels(folder: Path, flagged: int, passed: int) -> list[str]:
    """Flags for ten flagged and ten passed answers, of which the first so many have a label."""
    low = [
        a_low(record_id=f"{n:064x}", engine=f"shop-{n % 2}", facts=(a_fact(f"Lamp {n}."),))
        for n in range(10)
    ]
    fine = [an_enriched(record_id=f"{n:064x}", engine=f"shop-{n % 2}") for n in range(10, 20)]
    path = write_enriched(folder, [*low, *fine])
    labels = [
        {"record_id": each.record_id, "hallucinated": each.verdict == "LOW_GROUNDED"}
        for each in (*low[:flagged], *fine[:passed])
    ]
    return ["--answers", str(path), "--gold", write_gold(folder, *labels)]
