"""Tiny models, made on the spot: the word "red" in an answer is supported if the facts hold it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import onnx
from onnx import TensorProto, helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

_RED = 2
_OPSET, _IR_VERSION = 17, 9
_POSITIONS = 128

Dimensions = tuple[str | int, str | int]
Head = Literal["sequence", "token"]


def write_model(
    folder: Path,
    *,
    outputs: int = 2,
    labels: tuple[str, ...] | None = ("contradiction", "entailment"),
    more_inputs: tuple[str, ...] = ("attention_mask",),
    dimensions: Dimensions = ("pairs", "tokens"),
    head: Head = "sequence",
    has_positions: bool = False,
    is_declared: bool = True,
    max_positions: int | None = None,
    language: str | None = None,
    calibration: Mapping[str, float] | None = None,
) -> str:
    """Write a model, its tokenizer and its configuration.

    Args:
      folder: made where there is none.
      outputs: scores of each pair, or of each token.
      labels: names of the outputs; None writes no configuration.
      more_inputs: inputs beside the ids of the tokens.
      dimensions: of the inputs; a number is a fixed one.
      head: whether a pair is scored, or each of its tokens.
      has_positions: whether the model can only take a certain number of tokens, without saying so.
      is_declared: whether the model says which shape its output has.
      max_positions: the length that the configuration states.
      language: the one that the configuration names; the tokenizer knows "red" alone.
      calibration: how its log odds are used, as the configuration says.

    Returns:
      The folder.
    """
    folder.mkdir(exist_ok=True)
    nodes = [*_counting(has_positions=has_positions), *_scoring(outputs, head)]
    graph = helper.make_graph(
        nodes,
        "both_red",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, [*dimensions])
            for name in ("input_ids", *more_inputs)
        ],
        [_logits(outputs, head, dimensions, is_declared=is_declared)],
        _constants(has_positions=has_positions),
    )
    opset = helper.make_opsetid("", _OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION)
    onnx.save(model, folder / "model.onnx")
    vocabulary = {"[UNK]": 0, "[PAD]": 1, "red": _RED}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106 - no password
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    if labels:
        config: dict[str, object] = {"id2label": dict(enumerate(labels))}
        if max_positions:
            config["max_position_embeddings"] = max_positions
        if language:
            config["language"] = language
        if calibration:
            config["groundwatch"] = calibration
        (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


def write_known_answers(folder: Path, log_odds: Mapping[str, float]) -> str:
    """Write a classifier of pairs that knows the log odds of these claims; of others they are 0."""
    folder.mkdir(exist_ok=True)
    table = helper.make_tensor(
        "table", TensorProto.FLOAT, [len(log_odds) + 2, 1], [0.0, 0.0, *log_odds.values()]
    )
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["of_tokens"]),
        helper.make_node("ReduceSum", ["of_tokens", "axes"], ["scored"], keepdims=0),
        helper.make_node("Sub", ["scored", "scored"], ["zero"]),
        helper.make_node("Concat", ["zero", "scored"], ["logits"], axis=-1),
    ]
    inputs = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["pairs", "tokens"])
    outputs = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", 2])
    axes = helper.make_tensor("axes", TensorProto.INT64, [1], [1])
    graph = helper.make_graph(nodes, "known", [inputs], [outputs], [table, axes])
    opset = helper.make_opsetid("", _OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION)
    onnx.save(model, folder / "model.onnx")
    # Without a pre-tokenizer a whole text is one word.
    words = {"[UNK]": 0, "[PAD]": 1, **{text: n for n, text in enumerate(log_odds, 2)}}
    Tokenizer(WordLevel(words, unk_token="[UNK]")).save(str(folder / "tokenizer.json"))  # noqa: S106 - no password
    config = {"id2label": {0: "contradiction", 1: "entailment"}}
    (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


def _constants(*, has_positions: bool) -> list[onnx.TensorProto]:
    constants = [
        helper.make_tensor("red", TensorProto.INT64, [], [_RED]),
        helper.make_tensor("axes", TensorProto.INT64, [1], [1]),
        helper.make_tensor("last_axis", TensorProto.INT64, [1], [2]),
        helper.make_tensor("four", TensorProto.FLOAT, [], [4.0]),
        helper.make_tensor("six", TensorProto.FLOAT, [], [6.0]),
        helper.make_tensor("twelve", TensorProto.FLOAT, [], [12.0]),
    ]
    if has_positions:
        shape, zeros = [1, _POSITIONS], [0.0] * _POSITIONS
        constants.append(helper.make_tensor("positions", TensorProto.FLOAT, shape, zeros))
    return constants


def _counting(*, has_positions: bool) -> list[onnx.NodeProto]:
    """Return which tokens are the word, and their number."""
    ones = "unplaced" if has_positions else "ones"
    nodes = [
        helper.make_node("Equal", ["input_ids", "red"], ["is_red"]),
        helper.make_node("Cast", ["is_red"], [ones], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["ones", "axes"], ["count"], keepdims=1),
    ]
    if has_positions:
        nodes.insert(2, helper.make_node("Add", [ones, "positions"], ["ones"]))
    return nodes


def _scoring(outputs: int, head: Head) -> list[onnx.NodeProto]:
    """Logits of the last output, 0 of the others.

    For a pair 4 n - 6 for n times the word; for its token 6 - 4 n, for another token -6 - 4 n.
    """
    nodes = _scoring_tokens() if head == "token" else _scoring_pairs()
    zeros = helper.make_node("Sub", ["scored", "scored"], ["zero"])
    names = [*["zero"] * (outputs - 1), "scored"]
    return [*nodes, zeros, helper.make_node("Concat", names, ["logits"], axis=-1)]


def _scoring_pairs() -> list[onnx.NodeProto]:
    return [
        helper.make_node("Mul", ["count", "four"], ["fourfold"]),
        helper.make_node("Sub", ["fourfold", "six"], ["scored"]),
    ]


def _scoring_tokens() -> list[onnx.NodeProto]:
    return [
        helper.make_node("Unsqueeze", ["ones", "last_axis"], ["by_token"]),
        helper.make_node("Mul", ["by_token", "twelve"], ["of_word"]),
        helper.make_node("Unsqueeze", ["count", "last_axis"], ["of_pair"]),
        helper.make_node("Mul", ["of_pair", "four"], ["fourfold"]),
        helper.make_node("Sub", ["of_word", "fourfold"], ["less_count"]),
        helper.make_node("Sub", ["less_count", "six"], ["scored"]),
    ]


def _logits(
    outputs: int, head: Head, dimensions: Dimensions, *, is_declared: bool
) -> onnx.ValueInfoProto:
    pairs, tokens = dimensions
    shape = [pairs, outputs] if head == "sequence" else [pairs, tokens, outputs]
    declared = shape if is_declared else None
    return helper.make_tensor_value_info("logits", TensorProto.FLOAT, declared)
