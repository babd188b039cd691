"""A model that several checks of a process use, and its results."""

import gc
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Lock

import pytest

from groundwatch.transforms.grounding.errors import Misconfigured
from groundwatch.transforms.grounding.scorers.shared_scorer import SharedScorer, load_scorer
from groundwatch.transforms.lexical.scores.claim_result import (
    ClaimResult,
    ScoredAnswer,
    ScorerFailed,
)
from tests.support.entailment_models import write_model

_FACTS = ["Lamps glow."]


class Counted:
    """A scorer that counts its runs, which wait for the event and fail if they are to."""

    def __init__(self, failures: int = 0) -> None:
        self.runs, self.failures = 0, failures
        self.may_go_on = Event()
        self.may_go_on.set()
        self._lock = Lock()

    def score(
        self, answer: ScoredAnswer, facts: Sequence[str], threshold: float
    ) -> list[ClaimResult]:
        with self._lock:
            self.runs += 1
            fails = self.runs <= self.failures
        assert self.may_go_on.wait(10)
        if fails:
            raise ScorerFailed(503, "no")
        return [ClaimResult(len(answer.text) + len(facts) + threshold)]


def answer_of(text: str, question: str | None = None) -> ScoredAnswer:
    return ScoredAnswer(text=text, claims=(), question=question)


def test_what_differs_in_anything_is_scored_and_what_is_equal_only_once() -> None:
    counted = Counted()
    scorer = SharedScorer(counted.score, "1")
    asked = [
        (answer_of("Lamps."), _FACTS, 0.6),
        (answer_of("Lamps!!"), _FACTS, 0.6),
        (answer_of("Lamps.", "What?"), _FACTS, 0.6),
        (answer_of("Lamps."), [*_FACTS, ""], 0.6),
        (answer_of("Lamps."), _FACTS, 0.5),
    ]
    first = [scorer.score(*each) for each in asked]
    assert [scorer.score(*each) for each in asked] == first
    assert first[0] == [ClaimResult(len("Lamps.") + 1.6)]
    assert counted.runs == len(asked)


def test_what_is_being_scored_is_waited_for() -> None:
    counted = Counted()
    counted.may_go_on.clear()
    scorer = SharedScorer(counted.score, "1")
    with ThreadPoolExecutor(4) as threads:
        found = [threads.submit(scorer.score, answer_of("Lamps."), _FACTS, 0.6) for _ in range(4)]
        counted.may_go_on.set()
        assert len({str(each.result(10)) for each in found}) == 1
    assert counted.runs == 1


def test_a_failure_is_not_kept() -> None:
    counted = Counted(failures=1)
    scorer = SharedScorer(counted.score, "1")
    with pytest.raises(ScorerFailed):
        scorer.score(answer_of("Lamps."), _FACTS, 0.6)
    assert scorer.score(answer_of("Lamps."), _FACTS, 0.6)
    assert counted.runs == 2


def test_only_the_latest_results_are_kept() -> None:
    counted = Counted()
    scorer = SharedScorer(counted.score, "1")
    for number in range(300):
        scorer.score(answer_of(f"Lamp {number}."), _FACTS, 0.6)
    scorer.score(answer_of("Lamp 299."), _FACTS, 0.6)
    assert counted.runs == 300
    scorer.score(answer_of("Lamp 0."), _FACTS, 0.6)
    assert counted.runs == 301


def test_a_model_is_loaded_once_while_it_is_used_and_anew_where_its_file_changed(
    tmp_path: Path,
) -> None:
    folder = write_model(tmp_path)
    used = load_scorer(folder)
    assert load_scorer(folder) is used
    write_model(tmp_path, outputs=3, labels=("contradiction", "neutral", "entailment"))
    changed = load_scorer(folder)
    assert changed.revision != used.revision
    del used, changed
    gc.collect()
    (tmp_path / "model.onnx").unlink()
    with pytest.raises(Misconfigured, match="cannot be loaded"):
        load_scorer(folder)
