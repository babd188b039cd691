"""How fast the embedded checker is on one core, JSON in and JSON out.

python -m tests.benchmarks.checker_speed --answers FILE.jsonl
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from schemas.wire.grounding_check import CheckResponse
from tests.support.checks import CHECK_PATH, check_request
from transforms.grounding.local.service import answer


def seconds_for(bodies: Sequence[bytes]) -> float:
    """Have the embedded checker answer requests; returns the processor time that it took."""
    started = time.process_time()
    for body in bodies:
        answer("POST", CHECK_PATH, body)
    return time.process_time() - started


def _request_of(answer: dict[str, Any]) -> bytes:
    facts = [reference["chunkInfo"]["content"] for reference in answer["references"]]
    return msgspec.json.encode(check_request(answer["answerText"], *facts))


def main(arguments: list[str] | None = None) -> None:
    """Print answers and claims a second, with empty caches and with warm ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=Path, required=True, help="Answer resources, JSONL")
    parser.add_argument("--rounds", type=int, default=5, help="after the first, cold one")
    options = parser.parse_args(arguments)
    with options.answers.open(encoding="utf-8") as lines:
        bodies = [_request_of(json.loads(line)) for line in lines]
    first = seconds_for(bodies)
    fastest = min(seconds_for(bodies) for _ in range(options.rounds))
    replies = [answer("POST", CHECK_PATH, body).body for body in bodies]
    claims = sum(len(msgspec.json.decode(reply, type=CheckResponse).claims) for reply in replies)
    sys.stdout.write(f"{len(bodies)} answers, {claims} claims\n")
    for name, seconds in (("first round", first), ("fastest round", fastest)):
        sys.stdout.write(
            f"{name}: {seconds:.3f} s, {len(bodies) / seconds:,.0f} answers/s, "
            f"{claims / seconds:,.0f} claims/s\n"
        )


if __name__ == "__main__":
    main()
