"""Entailment by a model that the user supplies: a folder with an ONNX file and its tokenizer."""

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from transforms.grounding.errors import Misconfigured

MODEL, TOKENIZER, CONFIG = "model.onnx", "tokenizer.json", "config.json"
_MAX_TOKENS = 512
"""Of a passage and its claim together; a longer passage is cut."""

_PAIRS_AT_ONCE = 32
_ENTAILED = frozenset({"entailment", "entailed", "supported", "consistent", "label_1"})
_WANTED = ("input_ids", "attention_mask", "token_type_ids")


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
        root = Path(folder)
        try:
            self._session = _module("onnxruntime").InferenceSession(str(root / MODEL))
            self._tokenizer = _module("tokenizers").Tokenizer.from_file(str(root / TOKENIZER))
            self._label = _entailed_label(root / CONFIG)
        except Misconfigured:
            raise
        except Exception as error:  # noqa: BLE001 - the two libraries raise whatever they like
            raise Misconfigured(f"--scorer {folder}: cannot be loaded: {error}") from None
        self._tokenizer.enable_truncation(_MAX_TOKENS, strategy="only_first")
        self._tokenizer.enable_padding()
        given = {each.name for each in self._session.get_inputs()}
        self._inputs = [name for name in _WANTED if name in given]
        if given != set(self._inputs):
            raise Misconfigured(f"--scorer {folder}: the model has inputs beside {_WANTED}")

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Tell how surely passages entail claims.

        Args:
          pairs: a passage and a claim each.

        Returns:
          0..1 for each.
        """
        found: list[float] = []
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            found += self._run(pairs[start : start + _PAIRS_AT_ONCE])
        return found

    def _run(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        encoded = self._tokenizer.encode_batch(list(pairs))
        columns = {
            "input_ids": [each.ids for each in encoded],
            "attention_mask": [each.attention_mask for each in encoded],
            "token_type_ids": [each.type_ids for each in encoded],
        }
        fed = {name: self._numpy.array(columns[name], dtype="int64") for name in self._inputs}
        logits = self._session.run(None, fed)[0]
        return [float(each) for each in self._shares(logits.reshape(len(pairs), -1))]

    def _shares(self, logits: Any) -> Any:
        """Of one output its logistic, of several the entailed one's share."""
        if logits.shape[1] == 1:
            return 1 / (1 + self._numpy.exp(-logits[:, 0]))
        if self._label is None or self._label >= logits.shape[1]:
            raise Misconfigured(
                f"--scorer: of {logits.shape[1]} outputs no {CONFIG} says which is entailment"
            )
        powers = self._numpy.exp(logits - logits.max(axis=1, keepdims=True))
        return powers[:, self._label] / powers.sum(axis=1)


def _module(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError:
        raise Misconfigured(f"--scorer needs {name}: pip install 'groundwatch[scorer]'") from None


def _entailed_label(config: Path) -> int | None:
    if not config.exists():
        return None
    labels: Mapping[str, str] = json.loads(config.read_bytes()).get("id2label", {})
    entailed = (int(index) for index, label in labels.items() if label.lower() in _ENTAILED)
    return next(entailed, None)
