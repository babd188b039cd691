"""The benchmarks' input: Discovery Engine answers as JSON lines, checked by the local service."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from schemas.wire.check import CheckRequest, GroundingFact, GroundingSpec

CHECK_PATH = "/v1beta/projects/p/locations/global/groundingConfigs/default_grounding_config:check"


def read_requests(answers: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each answer's resource name and the JSON that asks for its check."""
    with answers.open(encoding="utf-8") as lines:
        for line in lines:
            yield _request_of(json.loads(line))


def _request_of(answer: dict[str, object]) -> tuple[str, bytes]:
    references = answer["references"]
    assert isinstance(references, list)
    request = CheckRequest(
        answer_candidate=str(answer["answerText"]),
        facts=tuple(GroundingFact(fact_text=r["chunkInfo"]["content"]) for r in references),
        grounding_spec=GroundingSpec(enable_claim_level_score=True),
    )
    return str(answer["name"]), msgspec.json.encode(request)
