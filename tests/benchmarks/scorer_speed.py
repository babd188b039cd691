"""Time of one core that an answer takes: by words, by words and a model, by the model alone.

    python -m tests.benchmarks.scorer_speed
    python -m tests.benchmarks.scorer_speed --answers FILE.jsonl --scorer DIR

"words, then" is `--escalate local --scorer DIR`: words and the model check what the words alone are
uncertain of, and a random share of the rest. Below "model alone" are other ways to run the same
pairs: all claims of an answer in one run; the pairs of many answers in batches of equal length; and
what 2.0.0 did, up to four pairs for each claim.

Without `--scorer` the model is an encoder of 12 layers and 22 million parameters with random
weights, once as it is and once as int8: its scores mean nothing, its times are those of published
models of this shape. `--answers` are lines with "answer" and "facts".
"""

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from heapq import nlargest
from math import inf
from pathlib import Path
from shutil import copytree

from onnxruntime.quantization import QuantType, quantize_dynamic

from groundwatch import CheckSettings, check_many
from groundwatch.schemas.verdict import is_of_second
from groundwatch.schemas.wire.grounding_check import CheckRequest, CheckResponse
from groundwatch.transforms.grounding.scorers.entailment import EntailmentModel, nearest_passage
from groundwatch.transforms.grounding.scorers.model_files import MODEL, find_model
from groundwatch.transforms.grounding.scorers.onnx_model import OnnxModel, TextPair
from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.lexical.facts.fact_sentences import sentences_of, stems_of
from groundwatch.transforms.lexical.scores.claim_result import ClaimResult, ScoredAnswer
from groundwatch.transforms.lexical.scores.weighted_sum import WeightedSum
from tests.benchmarks.generated_answers import answer_and_facts
from tests.support.checks import check_request
from tests.support.encoders import write_encoder

_ROUNDS = 3


def main() -> None:
    """Print milliseconds an answer, each the least of three rounds in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--scorer")
    parser.add_argument("--count", type=int, default=24)
    given = parser.parse_args()
    requests = list(_requests(given.answers))[: given.count]
    with tempfile.TemporaryDirectory() as folder:
        models = {"": given.scorer} if given.scorer else _encoders(Path(folder), requests)
        for name, scorer in models.items():
            _print(f"{name} ".lstrip(), requests, scorer)


def _requests(path: Path | None) -> Iterator[CheckRequest]:
    if path is None:
        asked = map(answer_and_facts, range(400))
    else:
        lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        asked = ((line["answer"], line["facts"]) for line in lines)
    for answer, facts in asked:
        texts = [fact if isinstance(fact, str) else fact["text"] for fact in facts]
        yield check_request(answer, *texts)


def _encoders(folder: Path, requests: Sequence[CheckRequest]) -> dict[str, str]:
    texts = (text for each in requests for text in (each.answer_candidate, *_facts_of(each)))
    words = sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]+", text)})
    plain = write_encoder(folder / "plain", words)
    small = copytree(plain, folder / "int8")
    quantize_dynamic(
        Path(plain) / MODEL,
        small / MODEL,
        per_channel=True,
        reduce_range=True,
        weight_type=QuantType.QInt8,
    )
    return {"float32": plain, "int8": str(small)}


def _facts_of(request: CheckRequest) -> list[str]:
    return [fact.fact_text for fact in request.facts]


def _print(name: str, requests: Sequence[CheckRequest], scorer: str) -> None:
    model = EntailmentModel(OnnxModel(find_model(scorer)))
    uncertain = list(_uncertain(requests))
    read = [_pairs_of(each) for each in requests]
    pairs, earlier = [new for new, _ in read], [old for _, old in read]
    ways: dict[str, Callable[[], object]] = {
        "words": lambda: list(map(check_grounding, requests)),
        f"words, then {name}model": lambda: (
            list(map(check_grounding, requests)) + _check(uncertain, model, 1.0)
        ),
        f"words and {name}model": lambda: _check(requests, model, 1.0),
        f"{name}model alone": lambda: _check(requests, model, inf),
        "  all claims of an answer in one run": lambda: list(map(_in_one_run(scorer), pairs)),
        "  batches of all answers": lambda: model.probabilities(
            [each for of in pairs for each in of]
        ),
        "  up to four pairs a claim": lambda: list(map(model.probabilities, earlier)),
    }
    times_ms: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(_ROUNDS):
        for way, run in ways.items():
            started_s = time.process_time()
            run()
            times_ms[way].append((time.process_time() - started_s) * 1_000 / len(requests))
    claims = sum(map(len, pairs))
    words = statistics.median(len(" ".join(each).split()) for of in pairs for each in of)
    sys.stdout.write(
        f"{len(requests)} answers, of which a second checker gets {len(uncertain)}:"
        f" {claims} claims, {words:g} words in the median pair\n"
    )
    base = min(times_ms[f"{name}model alone"])
    for way, found in times_ms.items():
        sys.stdout.write(f"{way:40}{min(found):9.2f} ms an answer{min(found) / base:8.3f}\n")


def _check(
    requests: Sequence[CheckRequest], model: EntailmentModel, weight: float
) -> list[CheckResponse]:
    # Not by a loaded checker, which scores an answer once.
    return [check_grounding(each, model.score, WeightedSum(weight)) for each in requests]


def _uncertain(requests: Sequence[CheckRequest]) -> Iterator[CheckRequest]:
    """Yield what a second checker gets, which is the same for any."""
    answers = [(each.answer_candidate, _facts_of(each)) for each in requests]
    records = check_many(answers, escalate=CheckSettings())
    for request, record in zip(requests, records, strict=True):
        if is_of_second(record.tags):
            yield request


def _pairs_of(request: CheckRequest) -> tuple[list[TextPair], list[TextPair]]:
    """Return the pairs that are read for an answer, and those that 2.0.0 read."""
    asked: list[TextPair] = []

    def score(answer: ScoredAnswer, facts: Sequence[str], _: float) -> list[ClaimResult]:
        asked.extend(
            (passage.text, claim.text)
            for claim in answer.claims
            if (passage := nearest_passage(claim.text, facts))
        )
        return [ClaimResult() for _ in answer.claims]

    check_grounding(request, score)
    facts = _facts_of(request)
    earlier = [(passage, claim) for _, claim in asked for passage in _earlier(claim, facts)]
    return asked, earlier


def _earlier(claim: str, facts: Sequence[str]) -> Iterator[str]:
    """Yield the six nearest sentences of each of the three nearest facts, and all of them."""
    content = stems_of(claim)
    shared = [sum(map(fact.lower().__contains__, content)) for fact in facts]
    passages = []
    for number in nlargest(3, range(len(facts)), key=shared.__getitem__):
        read = sentences_of(facts[number])
        near = [len(content & each) for each in read.contents]
        chosen = nlargest(6, range(len(near)), key=near.__getitem__)
        passages.append(" ".join(read.texts[place] for place in sorted(chosen)))
    yield from passages
    if len(passages) > 1:
        yield " ".join(passages)


def _in_one_run(scorer: str) -> Callable[[Sequence[TextPair]], object]:
    model = OnnxModel(find_model(scorer))
    return lambda pairs: model.run(pairs) if pairs else None


if __name__ == "__main__":
    main()
