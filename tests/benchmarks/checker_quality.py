"""How well the embedded checker tells supported answers and sentences from hallucinated ones.

python -m tests.benchmarks.checker_quality --answers FILE.jsonl --gold FILE.jsonl

A gold line holds an answer's `name`, whether it is `hallucinated`, and the `spans` that are, as
[start_byte, end_byte, type]. A sentence is hallucinated if a span overlaps it by 2 bytes or more.
"""

import argparse
import json
import sys
from bisect import bisect_left, bisect_right
from pathlib import Path
from typing import NamedTuple

import msgspec

from schemas.wire.check import CheckedClaim, CheckResponse
from tests.benchmarks.labelled_answers import read_requests
from tests.support.checks import CHECK_PATH
from transforms.grounding.local.service import answer

_THRESHOLDS = (0.2, 0.3, 0.4, 0.6)
_MIN_OVERLAP_BYTES = 2


class Scores(NamedTuple):
    """The scores of what is supported and of what is not."""

    supported: list[float]
    hallucinated: list[float]

    def auroc(self) -> float:
        """Return how often a supported one outscores a hallucinated one; a tie counts half."""
        ranked = sorted(self.hallucinated)
        below = sum(
            bisect_left(ranked, score) + bisect_right(ranked, score) for score in self.supported
        )
        pairs = 2 * len(self.supported) * len(ranked)
        return below / pairs if pairs else float("nan")

    def add(self, score: float, *, hallucinated: bool) -> None:
        """Take in one more."""
        (self.hallucinated if hallucinated else self.supported).append(score)


def measure(answers: Path, gold: Path) -> tuple[Scores, Scores]:
    """Return the scores of the answers (their lowest claim's) and of the checked sentences."""
    labels = {label["name"]: label for label in map(json.loads, gold.open(encoding="utf-8"))}
    by_answer, by_sentence = Scores([], []), Scores([], [])
    for name, body in read_requests(answers):
        response = msgspec.json.decode(answer("POST", CHECK_PATH, body).body, type=CheckResponse)
        checked = [(claim, claim.score) for claim in response.claims if claim.score is not None]
        lowest = min((score for _, score in checked), default=1.0)
        by_answer.add(lowest, hallucinated=labels[name]["hallucinated"])
        for claim, score in checked:
            by_sentence.add(score, hallucinated=_is_marked(claim, labels[name]["spans"]))
    return by_answer, by_sentence


def _is_marked(claim: CheckedClaim, spans: list[tuple[int, int, str]]) -> bool:
    return any(
        min(claim.end_pos, end) - max(claim.start_pos, start) >= _MIN_OVERLAP_BYTES
        for start, end, _ in spans
    )


def _share_below(scores: list[float], threshold: float) -> str:
    return f"{sum(score < threshold for score in scores) / max(1, len(scores)):.1%}"


def main(arguments: list[str] | None = None) -> None:
    """Print the AUROC of answers and sentences, and what each threshold would flag."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=Path, required=True, help="Answer resources, JSONL")
    parser.add_argument("--gold", type=Path, required=True, help="their labels, JSONL")
    options = parser.parse_args(arguments)
    named = zip(("answers", "sentences"), measure(options.answers, options.gold), strict=True)
    for name, scores in named:
        sys.stdout.write(
            f"{name}: {len(scores.supported)} supported, {len(scores.hallucinated)} hallucinated, "
            f"AUROC {scores.auroc():.4f}\n"
        )
        for threshold in _THRESHOLDS:
            sys.stdout.write(
                f"  below {threshold}: {_share_below(scores.supported, threshold)} of supported, "
                f"{_share_below(scores.hallucinated, threshold)} of hallucinated\n"
            )


if __name__ == "__main__":
    main()
