"""Score claims by an entailment model that the user supplies as an ONNX file."""

import heapq
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import msgspec

from transforms.contradictions.compared_facts import sentences_of
from transforms.contradictions.parsed_sentence import ParsedSentence
from transforms.grounding.errors import Misconfigured
from transforms.rules.support_score import logit

MODEL, TOKENIZER, CONFIG = "model.onnx", "tokenizer.json", "config.json"
_MAX_TOKENS = 512
"""Of a passage and its claim together; the longer of the two is truncated."""

_BATCH_PAIRS = 32
_ENTAILED = frozenset({"entailment", "entailed", "supported", "consistent"})
_DEFAULT_LABEL = re.compile(r"label_\d+")
"""The labels that `transformers` writes if nobody named them."""

_IDS = "input_ids"
_INPUTS = {_IDS: "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""What a model may take, and the attribute of the tokenizer's encodings that holds it."""

_INPUT_TYPE = "tensor(int64)"
_OUTPUT = "logits"

_NOT_A_CLASSIFIER = (
    "the model must score pairs of texts, as an export for sequence classification does"
)

_MAX_FACTS = 3
_MAX_SENTENCES = 6
"""What a model reads for one claim: the facts and sentences that share most words with it."""

_MIN_DOUBT = 1e-6
"""Probabilities are kept this far from 0 and 1, whose log odds are infinite."""

Entailment = Callable[[Sequence[tuple[str, str]]], list[float]]
"""For each passage and claim, returns the probability, 0..1, that the passage entails the claim."""


class ClaimResult(NamedTuple):
    """The log odds of a claim, None if it requires no check, and the facts that it cites."""

    log_odds: float | None = None
    cited: Sequence[int] = ()


def score_by_entailment(
    claims: Sequence[str], facts: Sequence[str], entailment: Entailment, threshold: float
) -> list[ClaimResult]:
    """Score claims by the probability that the nearest sentences of the facts entail them.

    A claim has the best score of its facts, alone and together. A fact is cited if its probability
    reaches the threshold, 0..1.
    """
    passages = [_passages(ParsedSentence(claim), facts) for claim in claims]
    pairs = [
        (passage, claim)
        for claim, of_claim in zip(claims, passages, strict=True)
        for _, passage in of_claim
    ]
    probabilities = iter(entailment(pairs))
    scores = []
    for of_claim in passages:
        by_fact = [(fact, next(probabilities)) for fact, _ in of_claim]
        best = max((probability for _, probability in by_fact), default=0.0)
        bounded = min(max(best, _MIN_DOUBT), 1 - _MIN_DOUBT)
        cited = (fact for fact, share in by_fact if fact is not None and share >= threshold)
        scores.append(ClaimResult(logit(bounded), tuple(cited)))
    return scores


def _passages(claim: ParsedSentence, facts: Sequence[str]) -> list[tuple[int | None, str]]:
    """Return the nearest sentences of the nearest facts, and of all of them with no index."""
    shared = [sum(map(fact.lower().__contains__, claim.content)) for fact in facts]
    nearest = heapq.nlargest(_MAX_FACTS, range(len(facts)), key=shared.__getitem__)
    passages: list[tuple[int | None, str]] = [
        (number, _nearest_sentences(claim.content, facts[number])) for number in nearest
    ]
    if len(passages) > 1:
        passages.append((None, " ".join(passage for _, passage in passages)))
    return [(number, passage) for number, passage in passages if passage]


def _nearest_sentences(content: frozenset[str], fact: str) -> str:
    sentences = sentences_of(fact)
    shared = [len(content & sentence.content) for sentence in sentences]
    chosen = heapq.nlargest(_MAX_SENTENCES, range(len(sentences)), key=shared.__getitem__)
    return " ".join(sentences[place].text for place in sorted(chosen))


class _Config(msgspec.Struct):
    """The part of ``config.json`` that is read."""

    id2label: dict[int, str] = {}


class EntailmentModel:
    """A classifier of pairs of texts, as `transformers` exports them to ONNX.

    Args:
      folder: contains ``model.onnx``, ``tokenizer.json`` of the tokenizers library, and, unless
        the model has one output, ``config.json`` with an ``id2label`` that names entailment.

    Raises:
      Misconfigured: the folder contains no such model, or the extra ``scorer`` is not installed.
    """

    def __init__(self, folder: str) -> None:
        self._numpy = _module("numpy")
        onnxruntime, tokenizers = _module("onnxruntime"), _module("tokenizers")
        self._folder = folder
        root = Path(folder)
        try:
            self._session = onnxruntime.InferenceSession(str(root / MODEL))
            self._tokenizer = tokenizers.Tokenizer.from_file(str(root / TOKENIZER))
            config = (root / CONFIG).read_bytes() if (root / CONFIG).exists() else b"{}"
            labels = msgspec.json.decode(config, type=_Config).id2label
        except Exception as error:  # noqa: BLE001 - the two libraries document no exceptions
            raise self._error(f"cannot be loaded: {error}") from None
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._tokenizer.enable_padding()
        self._inputs = self._check_inputs()
        names: list[str] = [each.name for each in self._session.get_outputs()]
        self._output = _OUTPUT if _OUTPUT in names else names[0]
        self._label = self._entailed_label(labels, self._count_outputs())

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return for each passage and claim the probability, 0..1, that it entails the claim."""
        numpy = self._numpy
        probabilities: list[float] = []
        for start in range(0, len(pairs), _BATCH_PAIRS):
            logits = self._run(pairs[start : start + _BATCH_PAIRS])
            if self._label is None:
                of_batch = 1 / (1 + numpy.exp(-logits[:, 0]))
            else:
                powers = numpy.exp(logits - logits.max(axis=1, keepdims=True))
                of_batch = powers[:, self._label] / powers.sum(axis=1)
            probabilities += map(float, of_batch)
        return probabilities

    def _run(self, pairs: Sequence[tuple[str, str]]) -> Any:
        encoded = self._tokenizer.encode_batch(list(pairs))
        fed = {
            name: self._numpy.array(list(map(attrgetter(_INPUTS[name]), encoded)), dtype="int64")
            for name in self._inputs
        }
        try:
            return self._session.run([self._output], fed)[0]
        except Exception as error:  # noqa: BLE001 - onnxruntime documents no exceptions
            shape = "{} pairs of {} tokens".format(*fed[self._inputs[0]].shape)
            raise self._error(f"the model cannot take {shape}: {type(error).__name__}") from None

    def _check_inputs(self) -> list[str]:
        """Return the names of the model's inputs; they must take any number and length."""
        inputs = {each.name: each for each in self._session.get_inputs()}
        if unknown := sorted(inputs.keys() - _INPUTS.keys()):
            raise self._error(f"the model needs {', '.join(unknown)}; {_NOT_A_CLASSIFIER}")
        if _IDS not in inputs:
            raise self._error(f"the model has no input {_IDS}; {_NOT_A_CLASSIFIER}")
        for name, each in inputs.items():
            if each.type != _INPUT_TYPE:
                raise self._error(f"the input {name} is {each.type}, not {_INPUT_TYPE}")
            if any(isinstance(dimension, int) for dimension in each.shape):
                raise self._error(
                    f"the input {name} has the fixed shape {each.shape}; export the model with"
                    " dynamic axes for the batch and the sequence"
                )
        return [name for name in _INPUTS if name in inputs]

    def _count_outputs(self) -> int:
        """Run the model on short texts and on the longest, and return its scores for a pair."""
        widths: set[int] = set()
        for pairs in ([("a", "a"), ("a a", "a")], [("a " * _MAX_TOKENS, "a ")]):
            logits = self._run(pairs)
            if logits.ndim != 2 or len(logits) != len(pairs):  # noqa: PLR2004 - pairs and scores
                raise self._error(
                    f"the model gives {self._output} of shape {list(logits.shape)} for"
                    f" {len(pairs)} pairs; {_NOT_A_CLASSIFIER}"
                )
            if not self._numpy.isfinite(logits).all():
                raise self._error("the model gives scores that are not numbers")
            widths.add(logits.shape[1])
        return max(widths)

    def _entailed_label(self, labels: dict[int, str], outputs: int) -> int | None:
        """Return the output for entailment; None if the model has one output."""
        if labels and labels.keys() != set(range(outputs)):
            raise self._error(f"the model has {outputs} outputs, and {CONFIG} names {len(labels)}")
        named = [label for label in labels.values() if not _DEFAULT_LABEL.fullmatch(label.lower())]
        entailed = [index for index, label in labels.items() if label.lower() in _ENTAILED]
        if outputs == 1 and (entailed or not named):
            return None
        if len(entailed) != 1:
            raise self._error(
                f"of the model's {outputs} outputs ({', '.join(labels.values()) or 'unnamed'}) one"
                f" must be named entailment or supported, in id2label of {CONFIG}"
            )
        return entailed[0]

    def _error(self, reason: str) -> Misconfigured:
        return Misconfigured(f"--scorer {self._folder}: {reason}")


def _module(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError:
        raise Misconfigured(f"--scorer needs {name}: pip install 'groundwatch[scorer]'") from None
