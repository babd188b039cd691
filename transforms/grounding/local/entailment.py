"""Entailment by a model that the user supplies: a folder with an ONNX file and its tokenizer."""

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from transforms.grounding.errors import Misconfigured

MODEL, TOKENIZER, CONFIG = "model.onnx", "tokenizer.json", "config.json"
_MAX_TOKENS = 512
"""Of a passage and its claim together; the longer of the two is truncated."""

_PAIRS_AT_ONCE = 32
_ENTAILED = frozenset({"entailment", "entailed", "supported", "consistent"})
_UNNAMED = re.compile(r"label_\d+")
"""The labels that `transformers` writes where nobody has named them."""

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_INPUT_TYPE = "tensor(int64)"
_OUTPUT = "logits"
_WORD = "a "

_NOT_A_CLASSIFIER = (
    "the model must score pairs of texts, as an export for sequence classification does"
)


class _Config(msgspec.Struct):
    """The part of ``config.json`` that is read."""

    id2label: dict[int, str] = {}


class EntailmentModel:
    """A classifier of pairs of texts, as `transformers` exports them to ONNX.

    Args:
      folder: holds ``model.onnx``, ``tokenizer.json`` of the tokenizers library, and, unless the
        model has one output, ``config.json`` with an ``id2label`` that names entailment.

    Raises:
      Misconfigured: the folder holds no such model, or the extra ``scorer`` is not installed.
    """

    def __init__(self, folder: str) -> None:
        self._numpy = _module("numpy")
        self._folder = folder
        root = Path(folder)
        try:
            self._session = _module("onnxruntime").InferenceSession(str(root / MODEL))
            self._tokenizer = _module("tokenizers").Tokenizer.from_file(str(root / TOKENIZER))
            labels = _read_labels(root / CONFIG)
        except Misconfigured:
            raise
        except Exception as error:  # noqa: BLE001 - the two libraries raise whatever they like
            raise self._refusal(f"cannot be loaded: {error}") from None
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._tokenizer.enable_padding()
        self._inputs = self._check_inputs()
        self._output = self._choose_output()
        self._label = self._entailed_label(labels, self._count_outputs())

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Tell how surely passages entail claims.

        Args:
          pairs: a passage and a claim each.

        Returns:
          0..1 for each.

        Raises:
          Misconfigured: the model cannot be run on them.
        """
        found: list[float] = []
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            logits = self._run(pairs[start : start + _PAIRS_AT_ONCE])
            found += [float(each) for each in self._shares(logits)]
        return found

    def _run(self, pairs: Sequence[tuple[str, str]]) -> Any:
        encoded = self._tokenizer.encode_batch(list(pairs))
        columns = {
            "input_ids": [each.ids for each in encoded],
            "attention_mask": [each.attention_mask for each in encoded],
            "token_type_ids": [each.type_ids for each in encoded],
        }
        fed = {name: self._numpy.array(columns[name], dtype="int64") for name in self._inputs}
        try:
            return self._session.run([self._output], fed)[0]
        except Exception as error:  # noqa: BLE001 - onnxruntime raises whatever it likes
            shape = "{} pairs of {} tokens".format(*fed[self._inputs[0]].shape)
            raise self._refusal(f"the model cannot take {shape}: {type(error).__name__}") from None

    def _shares(self, logits: Any) -> Any:
        """Of one output its logistic, of several the entailed one's share."""
        if self._label is None:
            return 1 / (1 + self._numpy.exp(-logits[:, 0]))
        powers = self._numpy.exp(logits - logits.max(axis=1, keepdims=True))
        return powers[:, self._label] / powers.sum(axis=1)

    def _check_inputs(self) -> list[str]:
        """Return the inputs to feed: all that the model has, in any number and length."""
        inputs = {each.name: each for each in self._session.get_inputs()}
        if unknown := sorted(inputs.keys() - set(_INPUTS)):
            raise self._refusal(f"the model needs {', '.join(unknown)}; {_NOT_A_CLASSIFIER}")
        if _INPUTS[0] not in inputs:
            raise self._refusal(f"the model has no input {_INPUTS[0]}; {_NOT_A_CLASSIFIER}")
        for name, each in inputs.items():
            if each.type != _INPUT_TYPE:
                raise self._refusal(f"the input {name} is {each.type}, not {_INPUT_TYPE}")
            if any(isinstance(dimension, int) for dimension in each.shape):
                raise self._refusal(
                    f"the input {name} has the fixed shape {each.shape}; export the model with"
                    " dynamic axes for the batch and the sequence"
                )
        return [name for name in _INPUTS if name in inputs]

    def _choose_output(self) -> str:
        names: list[str] = [each.name for each in self._session.get_outputs()]
        return _OUTPUT if _OUTPUT in names else names[0]

    def _count_outputs(self) -> int:
        """Run the model on short texts and on the longest, and return its scores for a pair."""
        short = [("a", "a"), ("a a", "a")]
        longest = [(_WORD * _MAX_TOKENS, _WORD)]
        widths: set[int] = set()
        for pairs in (short, longest):
            logits = self._run(pairs)
            if logits.ndim != 2 or len(logits) != len(pairs):  # noqa: PLR2004 - pairs and scores
                raise self._refusal(
                    f"the model gives {self._output} of shape {list(logits.shape)} for"
                    f" {len(pairs)} pairs; {_NOT_A_CLASSIFIER}"
                )
            if not self._numpy.isfinite(logits).all():
                raise self._refusal("the model gives scores that are no numbers")
            widths.add(logits.shape[1])
        return max(widths)

    def _entailed_label(self, labels: dict[int, str], outputs: int) -> int | None:
        """Find which output says entailment; None where the model has one output."""
        if labels and labels.keys() != set(range(outputs)):
            raise self._refusal(
                f"the model has {outputs} outputs, and {CONFIG} names {len(labels)}"
            )
        named = [label for label in labels.values() if not _UNNAMED.fullmatch(label.lower())]
        entailed = [index for index, label in labels.items() if label.lower() in _ENTAILED]
        if outputs == 1 and (entailed or not named):
            return None
        if len(entailed) != 1:
            raise self._refusal(
                f"of the model's {outputs} outputs ({', '.join(labels.values()) or 'unnamed'}) one"
                f" must be named entailment or supported, in id2label of {CONFIG}"
            )
        return entailed[0]

    def _refusal(self, reason: str) -> Misconfigured:
        return Misconfigured(f"--scorer {self._folder}: {reason}")


def _module(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError:
        raise Misconfigured(f"--scorer needs {name}: pip install 'groundwatch[scorer]'") from None


def _read_labels(config: Path) -> dict[int, str]:
    if not config.exists():
        return {}
    return msgspec.json.decode(config.read_bytes(), type=_Config).id2label
