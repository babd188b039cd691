"""The benchmarks' input: Discovery Engine answers as JSON lines, checked by the local service."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tests.support.checks import check_request


def read_requests(answers: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each answer's resource name and the JSON that asks for its check."""
    with answers.open(encoding="utf-8") as lines:
        for line in lines:
            yield _request_of(json.loads(line))


def _request_of(answer: dict[str, object]) -> tuple[str, bytes]:
    references = answer["references"]
    assert isinstance(references, list)
    facts = [reference["chunkInfo"]["content"] for reference in references]
    request = check_request(str(answer["answerText"]), *facts)
    return str(answer["name"]), msgspec.json.encode(request)
