"""Tiny models of entailment, made on the spot: a passage entails a claim if both hold "red"."""

import json
from pathlib import Path

import onnx
from onnx import TensorProto, helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

_RED = 2
_OPSET, _IR_VERSION = 17, 9


def write_model(
    folder: Path,
    *,
    outputs: int = 2,
    labels: tuple[str, ...] | None = ("contradiction", "entailment"),
    more_inputs: tuple[str, ...] = ("attention_mask",),
) -> str:
    """Write a model, its tokenizer and its configuration; returns the folder."""
    folder.mkdir(exist_ok=True)
    onnx.save(_model(outputs, more_inputs), folder / "model.onnx")
    vocabulary = {"[UNK]": 0, "[PAD]": 1, "red": _RED}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106 - no password
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    if labels:
        names = dict(enumerate(labels))
        (folder / "config.json").write_text(json.dumps({"id2label": names}))
    return str(folder)


def _model(outputs: int, more_inputs: tuple[str, ...]) -> onnx.ModelProto:
    """Logits 4 n - 6 of the last output for n times the word, 0 of the others."""
    constants = [
        helper.make_tensor("red", TensorProto.INT64, [], [_RED]),
        helper.make_tensor("axes", TensorProto.INT64, [1], [1]),
        helper.make_tensor("four", TensorProto.FLOAT, [], [4.0]),
        helper.make_tensor("six", TensorProto.FLOAT, [], [6.0]),
        helper.make_tensor("none", TensorProto.FLOAT, [], [0.0]),
    ]
    nodes = [
        helper.make_node("Equal", ["input_ids", "red"], ["is_red"]),
        helper.make_node("Cast", ["is_red"], ["ones"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["ones", "axes"], ["count"], keepdims=1),
        helper.make_node("Mul", ["count", "four"], ["fourfold"]),
        helper.make_node("Sub", ["fourfold", "six"], ["entailed"]),
        helper.make_node("Mul", ["count", "none"], ["zero"]),
        helper.make_node("Concat", [*["zero"] * (outputs - 1), "entailed"], ["logits"], axis=1),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"])
        for name in ("input_ids", *more_inputs)
    ]
    found = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", outputs])
    graph = helper.make_graph(nodes, "both_red", inputs, [found], constants)
    opset = helper.make_opsetid("", _OPSET)
    return helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION)
