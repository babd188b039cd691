"""Encoders with random weights, of the shape of small published models: for times, not scores."""

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

_OPSET, _IR_VERSION = 17, 9
_POSITIONS = 512
_SPECIAL = ("[UNK]", "[PAD]", "[CLS]", "[SEP]")


class _Graph:
    """Nodes and weights of a model, each named by its place."""

    def __init__(self, seed: int) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self._chance = np.random.default_rng(seed)

    def weight(self, *shape: int) -> str:
        return self.constant(self._chance.normal(0, 0.02, shape).astype("float32"))

    def constant(self, value: "np.ndarray | Sequence[int] | float") -> str:
        name = f"w{len(self.weights)}"
        array = np.asarray(value, None if isinstance(value, np.ndarray) else "int64")
        if isinstance(value, float):
            array = np.asarray(value, "float32")
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def add(self, kind: str, *inputs: str, **attributes: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [*inputs], [name], **attributes))
        return name

    def linear(self, value: str, rows: int, columns: int) -> str:
        product = self.add("MatMul", value, self.weight(rows, columns))
        return self.add("Add", product, self.weight(columns))

    def normalized(self, value: str, width: int) -> str:
        ones, zeros = np.ones(width, "float32"), np.zeros(width, "float32")
        scale, shift = self.constant(ones), self.constant(zeros)
        return self.add("LayerNormalization", value, scale, shift, axis=-1)


def write_encoder(
    folder: Path, words: Iterable[str], *, layers: int = 12, width: int = 384, heads: int = 6
) -> str:
    """Write a pair classifier with random weights, by default of 22 million without its words.

    Each of the words is a token; any other text is unknown.

    Returns:
      The folder.
    """
    folder.mkdir(exist_ok=True)
    vocabulary = {text: n for n, text in enumerate(dict.fromkeys(chain(_SPECIAL, words)))}
    graph = _Graph(seed=7)
    _encode(graph, len(vocabulary), layers, width, heads)
    taken = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    given = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", 2])
    made = helper.make_graph(graph.nodes, "encoder", taken, [given], graph.weights)
    opset = helper.make_opsetid("", _OPSET)
    onnx.save(
        helper.make_model(made, opset_imports=[opset], ir_version=_IR_VERSION),
        folder / "model.onnx",
    )
    _write_tokenizer(folder, vocabulary)
    labels = {"id2label": {0: "unsupported", 1: "supported"}}
    (folder / "config.json").write_text(json.dumps(labels | {"max_position_embeddings": 514}))
    return str(folder)


def _encode(graph: _Graph, tokens: int, layers: int, width: int, heads: int) -> None:
    """Add a transformer's encoder, and a classifier of its first place."""
    ids = graph.add("Gather", graph.weight(tokens, width), "input_ids")
    length = graph.add("Shape", "input_ids", start=1, end=2)
    zero, one = graph.constant([0]), graph.constant([1])
    places = graph.add("Slice", graph.weight(_POSITIONS, width), zero, length, zero, one)
    value = graph.normalized(graph.add("Add", ids, places), width)
    # Padding is not read: what is added to its scores is far below any other.
    mask = graph.add("Unsqueeze", graph.add("Cast", "attention_mask", to=1), graph.constant([1, 2]))
    missing = graph.add("Sub", graph.constant(1.0), mask)
    hidden = graph.add("Mul", missing, graph.constant(-1e9))
    for _ in range(layers):
        value = _layer(graph, value, hidden, width, heads)
    first = graph.add("Gather", value, graph.constant(np.asarray(0)), axis=1)
    graph.nodes.append(helper.make_node("Identity", [graph.linear(first, width, 2)], ["logits"]))


def _layer(graph: _Graph, value: str, hidden: str, width: int, heads: int) -> str:
    of_head = width // heads
    split = graph.constant([0, 0, heads, of_head])
    query, key, content = (
        graph.add(
            "Transpose", graph.add("Reshape", graph.linear(value, width, width), split), perm=p
        )
        for p in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
    )
    product = graph.add("MatMul", query, key)
    scaled = graph.add("Mul", product, graph.constant(of_head**-0.5))
    shares = graph.add("Softmax", graph.add("Add", scaled, hidden), axis=-1)
    read = graph.add("Transpose", graph.add("MatMul", shares, content), perm=[0, 2, 1, 3])
    joined = graph.add("Reshape", read, graph.constant([0, 0, width]))
    value = graph.normalized(graph.add("Add", value, graph.linear(joined, width, width)), width)
    wide = graph.linear(value, width, 4 * width)
    half = graph.add("Mul", wide, graph.constant(0.5))
    bent = graph.add("Erf", graph.add("Mul", wide, graph.constant(2**-0.5)))
    gelu = graph.add("Mul", half, graph.add("Add", bent, graph.constant(1.0)))
    return graph.normalized(graph.add("Add", value, graph.linear(gelu, 4 * width, width)), width)


def _write_tokenizer(folder: Path, vocabulary: dict[str, int]) -> None:
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106 - no password
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(each, vocabulary[each]) for each in ("[CLS]", "[SEP]")],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
