"""Score claims by an entailment model: a classifier of pairs of texts."""

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from groundwatch.transforms.lexical.facts.fact_sentences import sentences_of, stems_of
from groundwatch.transforms.lexical.scores import claim_result
from groundwatch.transforms.lexical.scores.support_score import sigmoid
from .model_files import CONFIG
from .onnx_model import NOT_CALIBRATED, Calibration, OnnxModel, TextPair

_BATCH_CHARS = 2_000
"""Of a batch with its padding: about 512 tokens, beyond which one core gains nothing.

Batches of the pairs of several answers gain nothing either (tests/benchmarks/scorer_speed.py).
"""

_ENTAILED = frozenset({"entailment", "entailed", "supported", "consistent"})
_DEFAULT_LABEL = re.compile(r"label_\d+")
"""The labels that `transformers` writes if nobody named them."""

_MAX_FACTS = 8
"""What a model reads for one claim is in the facts that share most words with it."""

Entailment = Callable[[Sequence[TextPair]], list[float]]
"""For each passage and claim, returns the probability, 0..1, that the passage entails the claim."""


class Passage(NamedTuple):
    """What a model reads for one claim, and the number of the fact of its nearest sentence."""

    text: str
    fact: int


def score_by_entailment(
    claims: Sequence[str],
    facts: Sequence[str],
    entailment: Entailment,
    threshold: float,
    calibration: Calibration = NOT_CALIBRATED,
) -> list[claim_result.ClaimResult]:
    """Score claims by the probability that the nearest sentences of the facts entail them.

    The fact of the nearest sentence is cited if the calibrated probability reaches the threshold,
    0..1. Without a passage a claim is not entailed.
    """
    passages = [nearest_passage(claim, facts, calibration.sentences) for claim in claims]
    pairs = [(each.text, claim) for each, claim in zip(passages, claims, strict=True) if each]
    probabilities = iter(entailment(pairs))
    results = []
    for passage in passages:
        log_odds = claim_result.bounded_log_odds(next(probabilities) if passage else 0.0)
        log_odds = calibration.calibrate(log_odds, passage.text if passage else "")
        cited = (passage.fact,) if passage and sigmoid(log_odds) >= threshold else ()
        results.append(claim_result.ClaimResult(log_odds, cited))
    return results


def nearest_passage(claim: str, facts: Sequence[str], sentences: int = 8) -> Passage | None:
    """Join the sentences that share most words with a claim, in the order of the facts.

    They are of the eight facts that share most. None if the facts have no sentence.
    """
    content = stems_of(claim)
    shared = [sum(map(fact.lower().__contains__, content)) for fact in facts]
    nearest_facts = heapq.nlargest(_MAX_FACTS, range(len(facts)), key=shared.__getitem__)
    read = ((fact, sentences_of(facts[fact])) for fact in sorted(nearest_facts))
    found = [
        (len(content & its_content), fact, text)
        for fact, its in read
        for its_content, text in zip(its.contents, its.texts, strict=True)
    ]
    nearest = heapq.nlargest(sentences, range(len(found)), key=lambda place: found[place][0])
    if not nearest:
        return None
    _, fact, _ = found[nearest[0]]
    return Passage(" ".join(found[place][2] for place in sorted(nearest)), fact)


class EntailmentModel:
    """A classifier of pairs: the claims' scores, and the probabilities that they come from.

    Args:
      model: has one output, or names one output for entailment.

    Raises:
      Misconfigured: no output is for entailment.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._label = _entailed_label(model)

    def score(
        self, answer: claim_result.ScoredAnswer, facts: Sequence[str], threshold: float
    ) -> list[claim_result.ClaimResult]:
        """Score an answer's claims, and cite the facts whose probability reaches the threshold.

        Of the answer, a model whose prompt has a place for it reads the question, too.
        """
        return score_by_entailment(
            claims=[claim.text for claim in answer.claims],
            facts=facts,
            entailment=partial(self.probabilities, question=answer.question),
            threshold=threshold,
            calibration=self._model.calibration,
        )

    def probabilities(self, pairs: Sequence[TextPair], question: str | None = None) -> list[float]:
        """Return for each passage and claim the probability, 0..1, that it entails the claim."""
        texts = [(self._model.first_text(passage, question), claim) for passage, claim in pairs]
        probabilities = [0.0] * len(texts)
        for batch in batches_by_length([sum(map(len, pair)) for pair in texts], _BATCH_CHARS):
            _, logits = self._model.run([texts[place] for place in batch])
            if self._label is None:
                of_batch = 1 / (1 + self._model.numpy.exp(-logits[:, 0]))
            else:
                of_batch = self._model.probabilities(logits)[:, self._label]
            for place, probability in zip(batch, of_batch, strict=True):
                probabilities[place] = float(probability)
        return probabilities


def batches_by_length(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield the places of texts in batches of similar lengths, the shortest first.

    With its padding a batch has at most `most` characters, unless it is one text.

    >>> list(batches_by_length([900, 40, 1000, 60, 3000], most=2_000))
    [[1, 3], [0, 2], [4]]
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[place] * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _entailed_label(model: OnnxModel) -> int | None:
    """Return the output for entailment; None if the model has one output."""
    names = [label.lower() for _, label in sorted(model.labels.items())]
    entailed = [index for index, name in enumerate(names) if name in _ENTAILED]
    is_named = not all(map(_DEFAULT_LABEL.fullmatch, names))
    if model.outputs == 1 and (entailed or not is_named):
        return None
    if len(entailed) != 1:
        raise model.error(
            f"of the model's {model.outputs} outputs"
            f" ({', '.join(model.labels.values()) or 'unnamed'}) one must be named entailment or"
            f" supported, in id2label of {CONFIG}"
        )
    return entailed[0]
