"""Finding the answers that a person should read first."""

import heapq
from collections.abc import Iterator
from typing import Any

import fastavro

from pipeline import storage
from pipeline.sinks.destination import Destination
from pipeline.sinks.manifest import read_manifest
from schemas import Record
from schemas.verdict import Verdict


class WorstAnswer(Record, frozen=True, kw_only=True):
    """A low-grounded answer and its least supported claim.

    Attributes:
      score: 0..1, of the claim.
      claim: its text; empty or a hash where the records keep no text.
      query, engine: None when unknown.
      record_id: where to find the whole record.
    """

    score: float
    claim: str
    query: str | None
    engine: str | None
    record_id: str


def worst_answers(destination: Destination, most: int) -> list[WorstAnswer]:
    """Read a run's enriched records and pick the least supported.

    Args:
      destination: output folder and run.
      most: how many at most.

    Returns:
      Low-grounded answers by the score of their worst claim, the worst first.
    """
    return heapq.nsmallest(most, _low_grounded(destination), key=_order)


def _order(answer: WorstAnswer) -> tuple[float, str]:
    return answer.score, answer.record_id


def _low_grounded(destination: Destination) -> Iterator[WorstAnswer]:
    for entry in read_manifest(destination, "enriched"):
        with storage.read(destination.path(entry.path)) as stream:
            for row in fastavro.reader(stream):
                if row["verdict"] == Verdict.LOW_GROUNDED and row["min_claim_score"] is not None:
                    yield _worst_of(row)


def _worst_of(row: dict[str, Any]) -> WorstAnswer:
    claim = next(
        claim
        for claim in row["claims"]
        if claim["score"] == row["min_claim_score"]
        and claim["grounding_check_required"] is not False
    )
    return WorstAnswer(
        score=claim["score"],
        claim=claim["text"],
        query=row["query"],
        engine=row["engine"],
        record_id=row["record_id"],
    )
