"""Load and run a model that the user supplies as an ONNX file."""

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import file_digest
from math import inf
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from groundwatch.schemas import Record
from groundwatch.transforms.grounding.errors import Misconfigured
from groundwatch.transforms.lexical.scores.weighted_sum import WeightedSum
from . import model_files

_QUESTION, _PASSAGES = "{question}", "{passages}"
PROBE_TOKENS = 512
"""Every model must accept that many."""

_SPECIAL_TOKENS = 2
"""Positions that some models, such as RoBERTa's, never give to a token."""

_IDS = "input_ids"
_INPUTS = {_IDS: "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""What a model may take, and the attribute of the tokenizer's encodings that holds it."""

_WORD = re.compile(r"[^\s\d!-/:-@\[-`{-~\u2010-\u203f]+")
_LEAST_WHOLE_WORDS = 0.64
"""Share of the words that are one token: more in 99.4 of 100 English answers with their sources,
less in all of 52 answers in five other languages (docs/checkers.md)."""

_PLACE = re.compile(f"{re.escape(_QUESTION)}|{re.escape(_PASSAGES)}")
_INPUT_TYPE = "tensor(int64)"
_OUTPUT = "logits"
_NOT_A_CLASSIFIER = (
    "the model must score pairs of texts or each of their tokens, as an export for sequence"
    " classification or token classification does"
)

TextPair = tuple[str, str]
Truncation = Literal["longest_first", "only_first"]


_ABOVE_0 = msgspec.Meta(gt=0)


class Calibration(Record, frozen=True, kw_only=True):
    """How the log odds of a classifier of pairs are used, as its ``config.json`` says.

    Attributes:
      weight: what the log odds are multiplied by.
      bias: what is added to them then.
      usual_words: of a passage; in one of twice as many words the log odds count half as much.
      sentences: of a passage, at most.
      words_within: the log odds by words count at most that much, up or down, beside the model's.
      ask_below: the log odds by words from which a claim is certain, so that no model is asked.
    """

    weight: Annotated[float, _ABOVE_0] = 1.0
    bias: float = 0.0
    usual_words: Annotated[int, _ABOVE_0] | None = None
    sentences: Annotated[int, _ABOVE_0] = 8
    words_within: Annotated[float, _ABOVE_0] = inf
    ask_below: float = inf

    def rule(self, weight: float) -> WeightedSum:
        """Return how the log odds are added to those of the words, with a weight of the user's."""
        return WeightedSum(weight, self.words_within, self.ask_below)

    def calibrate(self, log_odds: float, passage: str) -> float:
        """Return the log odds of a claim as they count, by the length of its passage.

        >>> Calibration(weight=0.5, usual_words=2).calibrate(4.0, "Lamps are red here.")
        1.0
        """
        usual = self.usual_words or inf
        return log_odds * self.weight * min(1.0, usual / max(1, len(passage.split()))) + self.bias


NOT_CALIBRATED = Calibration()


class _Config(msgspec.Struct):
    """The part of ``config.json`` that is read."""

    id2label: dict[int, str] = {}
    max_position_embeddings: int = PROBE_TOKENS
    language: str | list[str] | None = None
    groundwatch: Calibration = NOT_CALIBRATED


class OnnxModel:
    """A classifier of pairs of texts or of their tokens, as `transformers` exports them to ONNX.

    Args:
      files: the model, and its folder with ``tokenizer.json`` of the tokenizers library and, unless
        the model has one output, ``config.json`` with an ``id2label`` that names the outputs. A
        model that was trained with the question has ``prompt.txt``: its first text, with the places
        ``{question}`` and ``{passages}``.

    Attributes:
      scores_tokens: whether each token has scores, or each pair.
      outputs: the number of scores of each.
      max_tokens: the longest input of the model; 512 if the configuration states no length.
      calibration: how its log odds are used.
      revision: that of the files, or the first 12 digits of the SHA-256 of the model's file.

    Raises:
      Misconfigured: there is no such model, or a library that it needs.
    """

    def __init__(self, files: model_files.ModelFiles) -> None:
        self.numpy = model_files.import_scorer_module("numpy")
        self._files = files
        config = self._load()
        self.labels = config.id2label
        self.calibration = config.groundwatch
        self.max_tokens = config.max_position_embeddings - _SPECIAL_TOKENS
        language = config.language or model_files.card_language(self._files)
        self._is_english = language in ("en", ["en"])
        self._tokenizer.enable_padding()
        self.truncate(PROBE_TOKENS, "longest_first")
        self._inputs = self._check_inputs()
        names: list[str] = [each.name for each in self._session.get_outputs()]
        self._output = _OUTPUT if _OUTPUT in names else names[0]
        self.scores_tokens, self.outputs = self._probe()
        if self.labels and self.labels.keys() != set(range(self.outputs)):
            named = f"{model_files.CONFIG} names {len(self.labels)}"
            raise self.error(f"the model has {self.outputs} outputs, and {named}")

    def truncate(self, max_tokens: int, truncation: Truncation) -> None:
        """Truncate longer pairs, at the longer text or at the first."""
        self._tokenizer.enable_truncation(max_tokens, strategy=truncation)

    def reads(self, text: str) -> bool:
        """Return whether a model that names English alone as its language reads that of a text.

        Its tokenizer keeps English words whole, and splits most words of other languages, or does
        not know them.
        """
        if not self._is_english:
            return True
        words = " ".join(each for each in _WORD.findall(text) if any(map(str.isalpha, each)))
        if not words:
            return True
        encoded = self.encode(words)
        pieces = Counter(encoded.word_ids)
        unknown = getattr(self._tokenizer.model, "unk_token", None)
        whole = sum(
            pieces[word] == 1 and token != unknown
            for word, token in zip(encoded.word_ids, encoded.tokens, strict=True)
        )
        return bool(whole >= _LEAST_WHOLE_WORDS * len(pieces))

    def encode(self, text: str) -> Any:
        """Return the tokens of a text, up to the length of a pair."""
        return self._tokenizer.encode(text, add_special_tokens=False)

    def first_text(self, passages: str, question: str | None) -> str:
        """Return the first text of a pair: passages of facts, with the question if it is read."""
        if self._prompt is None or not question:
            return passages
        texts = {_QUESTION: question, _PASSAGES: passages}
        return _PLACE.sub(lambda place: texts[place[0]], self._prompt)

    def run(self, pairs: Sequence[TextPair]) -> tuple[list[Any], Any]:
        """Return the tokens of each pair, and the logits of the pairs or tokens."""
        encoded = self._tokenizer.encode_batch(list(pairs))
        fed = {
            name: self.numpy.array(list(map(attrgetter(_INPUTS[name]), encoded)), dtype="int64")
            for name in self._inputs
        }
        try:
            return encoded, self._session.run([self._output], fed)[0]
        except Exception as error:  # noqa: BLE001 - onnxruntime documents no exceptions
            shape = "{} pairs of {} tokens".format(*fed[self._inputs[0]].shape)
            raise self.error(f"the model cannot take {shape}: {type(error).__name__}") from None

    def probabilities(self, logits: Any) -> Any:
        """Return the probabilities, 0..1, of the outputs; they are on the last axis."""
        powers = self.numpy.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    def error(self, reason: str) -> Misconfigured:
        """Return the error that the model is unsuitable."""
        return Misconfigured(f"--scorer {self._files.name}: {reason}")

    def _load(self) -> _Config:
        """Load the files of the folder; those of the prompt and of labels may be missing."""
        onnxruntime = model_files.import_scorer_module("onnxruntime")
        tokenizers = model_files.import_scorer_module("tokenizers")
        _, root, file, revision = self._files
        try:
            options = onnxruntime.SessionOptions()
            # Concurrent checks use the other processors.
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            self._session = onnxruntime.InferenceSession(str(file), options)
            self._tokenizer = tokenizers.Tokenizer.from_file(str(root / model_files.TOKENIZER))
            config = _read_config(root)
            prompt = root / model_files.PROMPT
            self._prompt = prompt.read_text(encoding="utf-8") if prompt.exists() else None
            self.revision = revision or _digest(file)
        except Exception as error:  # noqa: BLE001 - the two libraries document no exceptions
            raise self.error(f"cannot be loaded: {error}") from None
        text = self._prompt
        if text is not None and {_QUESTION, _PASSAGES} != {*_PLACE.findall(text)}:
            raise self.error(f"{model_files.PROMPT} needs the places {_QUESTION} and {_PASSAGES}")
        return config

    def _check_inputs(self) -> list[str]:
        """Return the names of the model's inputs; they must take any number and length."""
        inputs = {each.name: each for each in self._session.get_inputs()}
        if unknown := sorted(inputs.keys() - _INPUTS.keys()):
            raise self.error(f"the model needs {', '.join(unknown)}; {_NOT_A_CLASSIFIER}")
        if _IDS not in inputs:
            raise self.error(f"the model has no input {_IDS}; {_NOT_A_CLASSIFIER}")
        for name, each in inputs.items():
            if each.type != _INPUT_TYPE:
                raise self.error(f"the input {name} is {each.type}, not {_INPUT_TYPE}")
            if any(isinstance(dimension, int) for dimension in each.shape):
                raise self.error(
                    f"the input {name} has the fixed shape {each.shape}; export the model with"
                    " dynamic axes for the batch and the sequence"
                )
        return [name for name in _INPUTS if name in inputs]

    def _probe(self) -> tuple[bool, int]:
        """Run the model on short and long texts; return whether it scores tokens, and outputs."""
        found: set[tuple[bool, int]] = set()
        for pairs in ([("a", "a"), ("a a", "a")], [("a " * PROBE_TOKENS, "a ")]):
            encoded, logits = self.run(pairs)
            of_pairs, of_tokens = (len(pairs),), (len(pairs), len(encoded[0].ids))
            if logits.shape[:-1] not in (of_pairs, of_tokens):
                raise self.error(
                    f"the model gives {self._output} of shape {list(logits.shape)} for"
                    f" {len(pairs)} pairs; {_NOT_A_CLASSIFIER}"
                )
            if not self.numpy.isfinite(logits).all():
                raise self.error("the model gives scores that are not numbers")
            found.add((logits.shape[:-1] == of_tokens, logits.shape[-1]))
        return max(found)


def calibration_of(folder: Path) -> Calibration:
    """Read how the log odds of a model are used, without loading it."""
    return _read_config(folder).groundwatch


def _read_config(folder: Path) -> _Config:
    file = folder / model_files.CONFIG
    return msgspec.json.decode(file.read_bytes() if file.exists() else b"{}", type=_Config)


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()[: model_files.REVISION_DIGITS]
