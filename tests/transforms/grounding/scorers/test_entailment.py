"""Claims scored by a model of entailment."""

import sys
from collections.abc import Sequence
from itertools import chain
from math import exp, inf
from pathlib import Path
from shutil import copytree
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnxruntime.quantization import quantize_dynamic

from groundwatch.pipeline.settings.kinds import Scorer
from groundwatch.transforms.grounding.embedded_service import load_checker
from groundwatch.transforms.grounding.errors import Misconfigured
from groundwatch.transforms.grounding.scorers.entailment import (
    EntailmentModel,
    batches_by_length,
    score_by_entailment,
)
from groundwatch.transforms.grounding.scorers.model_files import find_model
from groundwatch.transforms.grounding.scorers.onnx_model import Calibration, OnnxModel
from groundwatch.transforms.grounding.settings import SMALL
from groundwatch.transforms.lexical.scores.support_score import sigmoid
from tests.support.encoders import write_encoder
from tests.support.entailment_models import write_model

BOTH, ONE = ("Lamps are red", "red lamps"), ("Lamps glow", "red lamps")
parse_folder = get_args(Scorer)[1].parse
SURE, UNSURE = 1 / (1 + exp(-2)), 1 / (1 + exp(2))


@pytest.mark.parametrize(
    ("outputs", "labels"),
    [
        pytest.param(2, ("no", "ENTAILMENT"), id="two outputs"),
        pytest.param(1, None, id="one output, no configuration"),
        pytest.param(1, ("LABEL_0",), id="one output without a name"),
    ],
)
def test_a_model_returns_the_probability_that_a_passage_entails_a_claim(
    tmp_path: Path, outputs: int, labels: tuple[str, ...] | None
) -> None:
    model = EntailmentModel(
        OnnxModel(find_model(write_model(tmp_path, outputs=outputs, labels=labels)))
    )
    assert model.probabilities([BOTH, ONE]) == pytest.approx([SURE, UNSURE])
    assert model.probabilities([]) == []


def test_of_several_outputs_the_one_that_is_named_so_counts(tmp_path: Path) -> None:
    labels = "entailment", "neutral", "contradiction"
    model = EntailmentModel(OnnxModel(find_model(write_model(tmp_path, outputs=3, labels=labels))))
    [first] = model.probabilities([BOTH])
    assert first == pytest.approx(1 / (2 + exp(2)))


def test_pairs_of_any_length_and_number_are_scored_in_order(tmp_path: Path) -> None:
    model = EntailmentModel(OnnxModel(find_model(write_model(tmp_path))))
    pairs = [("red " * (number % 2) + "word " * number * 20, "red") for number in range(70)]
    found = model.probabilities(pairs)
    assert found == pytest.approx([SURE if number % 2 else UNSURE for number in range(70)])


@given(st.lists(st.integers(0, 3_000), max_size=40))
@settings(deadline=None)
def test_batches_hold_texts_of_similar_length_each_once(lengths: list[int]) -> None:
    batches = list(batches_by_length(lengths, 2_000))
    assert sorted(chain(*batches)) == list(range(len(lengths)))
    in_order = [lengths[place] for batch in batches for place in batch]
    assert in_order == sorted(lengths)
    padded = [len(batch) * max(lengths[place] for place in batch) for batch in batches]
    assert all(
        size <= 2_000 or len(batch) == 1 for size, batch in zip(padded, batches, strict=True)
    )


def test_a_model_of_8_bit_integers_scores_as_the_one_that_it_was_made_of(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(50)]
    plain = write_encoder(tmp_path / "plain", words, layers=2, width=64, heads=2)
    small = tmp_path / "int8"
    copytree(plain, small)
    quantize_dynamic(
        small / "model.onnx", small / "model_quantized.onnx", per_channel=True, reduce_range=True
    )
    (small / "model.onnx").unlink()
    assert (small / "model_quantized.onnx").stat().st_size < Path(
        plain, "model.onnx"
    ).stat().st_size
    pairs = [(" ".join(words[:n]), " ".join(words[n:])) for n in range(1, 50)]
    exact, rounded = (
        EntailmentModel(OnnxModel(find_model(folder))).probabilities(pairs)
        for folder in (plain, str(small))
    )
    assert rounded == pytest.approx(exact, abs=0.01)
    assert parse_folder(str(small)) == str(small)
    assert load_checker(str(small), 1.0).revision != load_checker(plain, 1.0).revision


def test_a_long_passage_is_cut_and_the_claim_kept(tmp_path: Path) -> None:
    model = EntailmentModel(OnnxModel(find_model(write_model(tmp_path))))
    probabilities = model.probabilities(
        [("red " + "word " * 2_000, "red"), ("word " * 2_000, "red red")]
    )
    assert probabilities == pytest.approx([SURE, SURE])


@pytest.mark.parametrize("words", [400, 600, 3_000])
def test_a_claim_longer_than_the_model_takes_is_truncated(tmp_path: Path, words: int) -> None:
    model = EntailmentModel(OnnxModel(find_model(write_model(tmp_path))))
    probabilities = model.probabilities(
        [("red", "red " + "word " * words), ("word", "word " * words)]
    )
    assert probabilities == pytest.approx([SURE, 1 / (1 + exp(6))])


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        pytest.param(
            lambda f: (f / "model.onnx").write_bytes(b"x"), "cannot be loaded", id="model"
        ),
        pytest.param(lambda f: (f / "tokenizer.json").unlink(), "cannot be loaded", id="tokenizer"),
        pytest.param(
            lambda f: (f / "config.json").write_text("["), "cannot be loaded", id="config"
        ),
        pytest.param(
            lambda f: (f / "config.json").write_text('{"id2label": ["entailment"]}'),
            "cannot be loaded",
            id="labels that are a list",
        ),
        pytest.param(
            lambda f: write_model(f, more_inputs=("attention_mask", "decoder_input_ids")),
            "needs decoder_input_ids; the model must score pairs of texts or each of their tokens",
            id="a sequence to sequence model",
        ),
        pytest.param(
            lambda f: write_model(f, outputs=8), "8 outputs, and config.json names 2", id="features"
        ),
        pytest.param(
            lambda f: write_model(f, dimensions=("pairs", 128)),
            r"fixed shape \['pairs', 128\]; export the model with dynamic axes",
            id="fixed length",
        ),
        pytest.param(
            lambda f: write_model(f, dimensions=(1, "tokens")), "fixed shape", id="fixed batch"
        ),
        pytest.param(
            lambda f: write_model(f, has_positions=True, is_declared=False),
            "cannot take 2 pairs of 3 tokens",
            id="a length that is not declared",
        ),
    ],
)
def test_another_kind_of_model_is_refused(tmp_path: Path, spoil: object, words: str) -> None:
    write_model(tmp_path)
    assert callable(spoil)
    spoil(tmp_path)
    with pytest.raises(Misconfigured, match=f"^--scorer {tmp_path}: .*{words}"):
        load_checker(str(tmp_path), inf)


@pytest.mark.parametrize(
    ("outputs", "labels"),
    [
        pytest.param(2, ("a", "b"), id="other names"),
        pytest.param(2, ("LABEL_0", "LABEL_1"), id="no names of two"),
        pytest.param(3, ("LABEL_0", "LABEL_1", "LABEL_2"), id="no names of three"),
        pytest.param(2, ("entailment", "supported"), id="two that could be"),
        pytest.param(1, ("toxicity",), id="one output of another name"),
    ],
)
def test_a_model_whose_outputs_do_not_name_entailment_is_refused(
    tmp_path: Path, outputs: int, labels: tuple[str, ...]
) -> None:
    folder = write_model(tmp_path, outputs=outputs, labels=labels)
    expected = rf"{outputs} outputs \({', '.join(labels)}\) one must be named entailment or sup"
    with pytest.raises(Misconfigured, match=expected):
        load_checker(folder, inf)


def test_a_model_without_a_configuration_is_not_guessed_at(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"2 outputs \(unnamed\) one must be named"):
        load_checker(write_model(tmp_path, labels=None), inf)


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_a_missing_library_is_named_before_an_answer_is_checked(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    for model in (SMALL, write_model(tmp_path)):
        with pytest.raises(Misconfigured, match=f"pip install {missing}, or pass --scorer none"):
            load_checker(model, 1.0)


LAMPS, TEA, KETTLES = "Lamps glow red. Lamps hang.", "Tea is hot.", "Kettles whistle."


class Recorder:
    """Answers by what a passage holds, and keeps what it was asked."""

    def __init__(self, **sure: float) -> None:
        self.pairs: list[tuple[str, str]] = []
        self._sure = sure

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.pairs += pairs
        return [
            max((sure for word, sure in self._sure.items() if word in passage), default=0.1)
            for passage, _ in pairs
        ]


def test_all_claims_are_asked_at_once_each_with_one_passage() -> None:
    model = Recorder()
    score_by_entailment(["Lamps hang red.", "Tea is hot."], [LAMPS, TEA], model, 0.6)
    assert model.pairs == [(f"{LAMPS} {TEA}", "Lamps hang red."), (f"{LAMPS} {TEA}", "Tea is hot.")]


@pytest.mark.parametrize(("sure", "cited"), [(0.6, (1,)), (0.59, ())])
def test_the_fact_of_the_nearest_sentence_is_cited_from_the_threshold(
    sure: float, cited: tuple[int, ...]
) -> None:
    [found] = score_by_entailment(["Tea is hot."], [LAMPS, TEA, KETTLES], Recorder(Tea=sure), 0.6)
    assert sigmoid(found.log_odds or 0) == pytest.approx(sure)
    assert found.cited == cited


def test_of_long_facts_the_eight_nearest_sentences_are_read_in_their_order() -> None:
    model = Recorder()
    fillers = [f"Filler {word} is here." for word in "abcdefghij"]
    score_by_entailment(["Lamps hang."], [" ".join([*fillers, LAMPS]), "Hang lamps."], model, 0.6)
    [(passage, _)] = model.pairs
    assert passage == " ".join([*fillers[:5], LAMPS, "Hang lamps."])


def test_of_many_facts_the_eight_nearest_are_read() -> None:
    model = Recorder()
    facts = [f"Filler {number}." for number in range(9)] + [LAMPS]
    score_by_entailment(["Lamps hang."], facts, model, 0.6)
    [(passage, _)] = model.pairs
    assert passage == " ".join([*facts[:6], LAMPS])


@pytest.mark.parametrize(
    ("usual_words", "factor"),
    [
        pytest.param(None, 0.5, id="of any length"),
        pytest.param(2, 0.25, id="twice the usual length"),
        pytest.param(8, 0.5, id="a shorter one"),
    ],
)
def test_the_log_odds_are_calibrated_by_the_length_of_the_passage(
    usual_words: int | None, factor: float
) -> None:
    calibration = Calibration(weight=0.5, bias=0.1, usual_words=usual_words, sentences=1)
    facts = ["Lamps hang. Tea is always hot."]
    model = Recorder(Tea=SURE)
    [found] = score_by_entailment(["Tea is hot."], facts, model, 0.6, calibration)
    assert model.pairs == [("Tea is always hot.", "Tea is hot.")]
    assert found.log_odds == pytest.approx(2 * factor + 0.1)
    assert found.cited == ((0,) if sigmoid(2 * factor + 0.1) >= 0.6 else ())


@pytest.mark.parametrize("sure", [0.0, 1.0])
def test_certainty_is_kept_finite(sure: float) -> None:
    [found] = score_by_entailment(["Tea."], ["Tea."], Recorder(Tea=sure), 0.6)
    assert sigmoid(found.log_odds) == pytest.approx(sure, abs=1e-5)


def test_without_facts_or_claims_nothing_is_asked() -> None:
    model = Recorder()
    assert score_by_entailment([], [LAMPS], model, 0.6) == []
    [found] = score_by_entailment(["Tea."], [], model, 0.6)
    assert sigmoid(found.log_odds) < 0.001
    assert model.pairs == []
