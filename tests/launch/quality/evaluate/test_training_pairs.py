"""The script of docs/own_model.md makes pairs as a model reads them in a run."""

import json
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.transforms.grounding.scorers.entailment import EntailmentModel
from groundwatch.transforms.grounding.scorers.onnx_model import TextPair
from tests.support.builders import a_fact, an_enriched
from tests.support.documented_commands import read_page
from tests.support.entailment_models import write_model
from tests.support.evaluations import write_gold
from tests.support.reports import write_enriched
from tests.support.repository import ROOT

LAMPS, KETTLES = "Lamps glow red.", "Kettles vote."
WRITTEN_IN_MANY_WAYS = (
    {
        "query": "Is the app usable offline?",
        "answer": "No.",
        "facts": [{"text": "The app needs a network.", "title": "Offline use"}],
    },
    {
        "answer": "**Basic plan**: it costs [$15](http://shop.example/basic) per month [1].",
        "facts": ['{"plan": "Basic", "price": "$15 per month"}', "Plans are billed monthly."],
    },
    {"answer": f"{LAMPS}\n- {KETTLES}", "facts": ["Lamps glow. They glow red."]},
)


MakePairs = Callable[..., str]


@pytest.fixture
def make_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> MakePairs:
    """Runs the script as it stands in the page; returns what it says at its end."""
    monkeypatch.chdir(tmp_path)
    script = Path("make_pairs.py")
    script.write_text(read_page(ROOT / "docs" / "own_model.md").files[script.name])

    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", [script.name, "pairs.jsonl", *arguments])
        runpy.run_path(script.name, run_name="__main__")
        said = capsys.readouterr()
        assert said.err == ""
        return said.out

    return run


def pairs() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("pairs.jsonl").read_text().splitlines()]


def write_answers(folder: Path, *answers: dict[str, Any]) -> str:
    """Write an archive of answers, which are named by their number."""
    path = folder / "answers.jsonl"
    lines = ({"id": f"{number}"} | answer for number, answer in enumerate(answers))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_the_pairs_of_answers_are_those_that_a_model_reads_in_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_pairs: MakePairs
) -> None:
    asked: list[TextPair] = []

    def probabilities(_: EntailmentModel, pairs: Sequence[TextPair], **__: object) -> list[float]:
        asked.extend(pairs)
        return [0.5] * len(pairs)

    answers = write_answers(tmp_path, *WRITTEN_IN_MANY_WAYS)
    names = range(len(WRITTEN_IN_MANY_WAYS))
    labels = write_gold(tmp_path, *({"id": f"{name}", "grounded": True} for name in names))
    make_pairs("--answers", answers, "--gold", labels)
    monkeypatch.setattr(EntailmentModel, "probabilities", probabilities)
    model = write_model(tmp_path / "model")
    assert main(["evaluate", "--answers", answers, "--gold", labels, "--scorer", model]) == 0
    made = [(pair["passage"], pair["claim"]) for pair in pairs()]
    assert sorted(made) == sorted(asked)
    claims = [claim for _, claim in made]
    assert claims[:2] == ["Is the app usable offline? No.", "Basic plan: it costs $15 per month."]


@pytest.mark.parametrize(
    ("label", "supported", "unsupported"),
    [
        pytest.param({"grounded": True}, {LAMPS, KETTLES}, set(), id="right"),
        pytest.param({"hallucinated": True, "spans": [[16, 29]]}, {LAMPS}, {KETTLES}, id="a span"),
        pytest.param(
            {"span": [16, 29], "label": "unsupported", "labeller": "ada", "time": ""},
            set(),
            {KETTLES},
            id="a decision on one claim",
        ),
    ],
)
def test_claims_have_their_own_label(
    tmp_path: Path,
    make_pairs: MakePairs,
    label: dict[str, Any],
    supported: set[str],
    unsupported: set[str],
) -> None:
    answer = an_enriched(answer_text=f"{LAMPS} {KETTLES}", facts=(a_fact(LAMPS),))
    write_enriched(tmp_path / "OUT", [answer])
    labels = write_gold(tmp_path, {"record_id": answer.record_id, **label})
    said = make_pairs("--answers", "OUT", "--gold", labels)
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for pair in pairs():
        found[pair["is_supported"]].add(pair["claim"])
    assert found == {True: supported, False: unsupported}
    assert ("nobody labelled" in said) == (len(supported | unsupported) < 2)


def test_a_label_of_a_whole_answer_is_that_of_its_only_claim(
    tmp_path: Path, make_pairs: MakePairs
) -> None:
    one, two = ({"answer": text, "facts": [LAMPS]} for text in (KETTLES, f"{KETTLES} Tea sings."))
    labels = write_gold(tmp_path, *({"id": name, "hallucinated": True} for name in "013"))
    answers = write_answers(tmp_path, one, two, {"answer": KETTLES})
    said = make_pairs("--answers", answers, "--gold", labels)
    [pair] = pairs()
    assert (pair["claim"], pair["is_supported"]) == (KETTLES, False)
    assert "2 left out: claims that nobody labelled" in said
    assert "1 left out: labels of no answer" in said


def test_what_cannot_be_read_is_named_and_nothing_is_written(
    make_pairs: MakePairs, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("pairs.jsonl").write_text("kept\n")
    with pytest.raises(SystemExit, match="2"):
        make_pairs("--answers", "answers.jsonl", "--gold", "labels.jsonl")
    said = capsys.readouterr().err
    assert "answers.jsonl: no file matches" in said
    assert "labels.jsonl" in said
    assert Path("pairs.jsonl").read_text() == "kept\n"
