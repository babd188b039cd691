"""The script of docs/own_model.md makes pairs as a model reads them in a run."""

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from groundwatch.schemas.checked_answer import Claim
from groundwatch.transforms.grounding.scorers.entailment import score_by_entailment
from tests.support.builders import a_claim, a_fact, an_enriched
from tests.support.documented_commands import read_page
from tests.support.evaluations import write_gold
from tests.support.reports import write_enriched
from tests.support.repository import ROOT, python_path

MANUAL = """
The Basic plan includes three seats and costs $12 per month. Returns are free for members.

Members can book the court if they have paid the fee.
"""
Done = subprocess.CompletedProcess[str]
FACTS = ("Lamps glow red.", "Kettles hum.")
LAMPS, KETTLES = "Lamps glow red.", "Kettles vote."


def make_pairs(folder: Path, *arguments: str) -> Done:
    """Run the script as it stands in the page."""
    script = folder / "make_pairs.py"
    script.write_text(read_page(ROOT / "docs" / "own_model.md").files[script.name])
    return subprocess.run(  # noqa: S603 - our own page
        [sys.executable, str(script), "pairs.jsonl", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": python_path()},
        capture_output=True,
        text=True,
        check=False,
    )


def label_lamps(folder: Path, gold: dict[str, Any], *claims: Claim) -> Done:
    """Make pairs of one answer, of which a person has checked the claims."""
    facts = tuple(map(a_fact, FACTS))
    answer = an_enriched(answer_text=f"{LAMPS} {KETTLES}", claims=claims, facts=facts)
    write_enriched(folder / "OUT", [answer])
    labels = write_gold(folder, {"record_id": answer.record_id, **gold})
    return make_pairs(folder, "--answers", "OUT", "--gold", labels)


def pairs_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()]


def test_statements_of_texts_are_supported_as_they_are_and_not_when_changed(
    tmp_path: Path,
) -> None:
    (tmp_path / "manual.txt").write_text(MANUAL)
    done = make_pairs(tmp_path, "--facts", "manual.txt")
    assert (done.returncode, done.stderr) == (0, "")
    pairs = pairs_in(tmp_path)
    by_kind = defaultdict(set)
    for pair in pairs:
        by_kind[pair["kind"]].add(pair["claim"])
        assert pair["is_supported"] == (pair["kind"] == "unchanged")
        assert pair["is_supported"] == (pair["claim"] in MANUAL)
    assert "Returns are not free for members." in by_kind["denial"]
    assert by_kind["condition"] == {"Members can book the court."}
    assert {"number", "unchanged"} <= by_kind.keys()
    counts = Counter(pair["kind"] for pair in pairs)
    assert done.stdout.split() == [
        word
        for kind in sorted(counts)
        for word in (
            str(counts[kind]),
            "supported" if kind == "unchanged" else "unsupported",
            kind,
        )
    ]


def test_the_passage_is_what_a_model_reads_in_a_run(tmp_path: Path) -> None:
    halls = ("north", "south", "east", "west", "river", "park", "lake", "hill", "wood")
    sentences = [f"Members of the {hall} club can enter the {hall} hall." for hall in halls]
    passages = [*(" ".join(sentences[start : start + 3]) for start in (0, 3, 6)), "It is warm."]
    (tmp_path / "manual.txt").write_text("\n\n".join(passages))
    assert make_pairs(tmp_path, "--facts", "manual.txt").returncode == 0
    pairs = pairs_in(tmp_path)
    assert len(pairs) > len(sentences)
    asked: list[tuple[str, str]] = []

    def probabilities(of: Any) -> list[float]:
        asked.extend(of)
        return [0.5 for _ in of]

    score_by_entailment([pair["claim"] for pair in pairs], passages, probabilities, 0.6)
    assert asked == [(pair["passage"], pair["claim"]) for pair in pairs]
    assert {pair["passage"].count(" club can enter ") for pair in pairs} == {8}


@pytest.mark.parametrize(
    ("gold", "supported", "unsupported"),
    [
        pytest.param({"grounded": True}, {LAMPS, KETTLES}, set(), id="right"),
        pytest.param(
            {"hallucinated": True, "spans": [[16, 29]]}, {LAMPS}, {KETTLES}, id="one is wrong"
        ),
    ],
)
def test_claims_of_labelled_answers_have_their_own_label(
    tmp_path: Path, gold: dict[str, Any], supported: set[str], unsupported: set[str]
) -> None:
    done = label_lamps(tmp_path, gold, a_claim(LAMPS, score=0.9), a_claim(KETTLES, 16, score=0.1))
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for pair in pairs_in(tmp_path):
        assert (pair["kind"], pair["passage"]) == ("labelled", " ".join(FACTS))
        found[pair["is_supported"]].add(pair["claim"])
    assert found == {True: supported, False: unsupported}


def test_a_label_of_a_whole_answer_is_that_of_its_only_claim(tmp_path: Path) -> None:
    wrong = {"hallucinated": True}
    assert label_lamps(tmp_path, wrong, a_claim(KETTLES, 16, score=0.1)).returncode == 0
    [pair] = pairs_in(tmp_path)
    assert (pair["claim"], pair["is_supported"]) == (KETTLES, False)
    # Of two claims nobody knows which one is wrong.
    both = a_claim(LAMPS, score=0.9), a_claim(KETTLES, 16, score=0.1)
    assert "nothing was found" in label_lamps(tmp_path, wrong, *both).stderr


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    done = make_pairs(tmp_path, "--facts", "manual.txt", "--gold", "labels.jsonl")
    assert done.returncode == 2
    assert "manual.txt: no file matches" in done.stderr
    assert "labels.jsonl" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "pairs.jsonl").exists()
