"""What of the facts a model is asked about, and what becomes of its answers."""

from collections.abc import Sequence

import pytest

from transforms.grounding.local.rescoring import rescore
from transforms.rules.support_score import sigmoid

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


def test_all_claims_are_asked_at_once_each_with_the_nearest_facts_and_all_together() -> None:
    model = Recorder()
    rescore(["Lamps hang red.", "Tea is hot."], [LAMPS, TEA], model, 0.6)
    assert model.pairs == [
        (LAMPS, "Lamps hang red."),
        (TEA, "Lamps hang red."),
        (f"{LAMPS} {TEA}", "Lamps hang red."),
        (TEA, "Tea is hot."),
        (LAMPS, "Tea is hot."),
        (f"{TEA} {LAMPS}", "Tea is hot."),
    ]


def test_the_best_passage_counts_and_facts_above_the_threshold_are_cited() -> None:
    [found] = rescore(["Tea."], [LAMPS, TEA, KETTLES], Recorder(Lamps=0.7, Kettles=0.9), 0.6)
    assert sigmoid(found.log_odds) == pytest.approx(0.9)
    assert sorted(found.cited) == [0, 2]


def test_of_a_long_fact_the_nearest_sentences_are_read() -> None:
    model = Recorder()
    fillers = [f"Filler {word} is here." for word in "abcdefghij"]
    rescore(["Lamps hang."], [" ".join([*fillers, LAMPS])], model, 0.6)
    [(passage, _)] = model.pairs
    assert LAMPS in passage
    assert passage.count("Filler") == 4


def test_of_many_facts_three_are_read() -> None:
    model = Recorder()
    rescore(["Lamps hang."], [f"Filler {number}." for number in range(9)] + [LAMPS], model, 0.6)
    assert [passage for passage, _ in model.pairs] == [
        LAMPS,
        "Filler 0.",
        "Filler 1.",
        f"{LAMPS} Filler 0. Filler 1.",
    ]


@pytest.mark.parametrize("sure", [0.0, 1.0])
def test_certainty_is_kept_finite(sure: float) -> None:
    [found] = rescore(["Tea."], ["Tea."], Recorder(Tea=sure), 0.6)
    assert sigmoid(found.log_odds) == pytest.approx(sure, abs=1e-5)


def test_without_facts_or_claims_nothing_is_asked() -> None:
    model = Recorder()
    assert rescore([], [LAMPS], model, 0.6) == []
    [found] = rescore(["Tea."], [], model, 0.6)
    assert sigmoid(found.log_odds) < 0.001
    assert model.pairs == []
