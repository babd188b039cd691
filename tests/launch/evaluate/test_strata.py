"""Strata, the estimates from their samples, and the agreement of people."""

import random
from statistics import mean

import pytest

from launch.evaluate.shares import Interval
from launch.evaluate.strata import (
    Sample,
    Stratum,
    estimate_quality,
    labels_needed,
    measure_agreement,
    next_stratum,
    stratum_of,
)
from transforms.rules.tagging import Thresholds

SHARES = {Stratum.FLAGGED: 0.6, Stratum.NEAR: 0.3, Stratum.OTHER: 0.05}
SIZES = {Stratum.FLAGGED: 400, Stratum.NEAR: 300, Stratum.OTHER: 3_000}


@pytest.mark.parametrize(
    ("verdict", "support", "lowest", "stratum"),
    [
        ("LOW_GROUNDED", 0.5, 0.1, Stratum.FLAGGED),
        ("GROUNDED", 0.61, 0.9, Stratum.NEAR),
        ("GROUNDED", 0.9, 0.54, Stratum.NEAR),
        ("GROUNDED", 0.9, None, Stratum.OTHER),
        ("GROUNDED", None, None, None),
        ("NOT_ANSWERED", 0.9, 0.9, None),
    ],
)
def test_a_stratum_follows_the_verdict_and_the_distance(
    verdict: str, support: float | None, lowest: float | None, stratum: Stratum | None
) -> None:
    assert stratum_of(verdict, support, lowest, Thresholds()) == stratum


def _population() -> dict[Stratum, list[bool]]:
    return {
        name: [place < size * SHARES[name] for place in range(size)] for name, size in SIZES.items()
    }


def test_the_estimate_is_unbiased_and_its_interval_holds_the_truth() -> None:
    chance = random.Random(5)  # noqa: S311 - the same draws each time
    population = _population()
    wrong = {name: sum(answers) for name, answers in population.items()}
    truth = wrong[Stratum.FLAGGED] / sum(wrong.values())
    found, covered = [], 0
    for _ in range(600):
        samples = {}
        for name, answers in population.items():
            drawn = chance.sample(answers, 60)
            samples[name] = Sample(len(answers), len(drawn), sum(drawn))
        quality = estimate_quality(samples)
        assert quality.recall
        found.append(quality.recall.value)
        covered += quality.recall.low <= truth <= quality.recall.high
    assert mean(found) == pytest.approx(truth, abs=0.03)
    assert covered / 600 > 0.9


def test_an_estimate_needs_labels_of_each_stratum_that_has_answers() -> None:
    flagged, empty = Sample(100, 10, 6), Sample(0, 0, 0)
    quality = estimate_quality({Stratum.FLAGGED: flagged, Stratum.OTHER: Sample(900, 0, 0)})
    assert quality.precision
    assert quality.precision.value == 0.6
    assert quality.recall is None
    whole = estimate_quality({Stratum.FLAGGED: flagged, Stratum.OTHER: empty})
    assert whole.recall == Interval(1.0, 1.0, 1.0)
    assert estimate_quality({}) == (None, None)


def test_all_strata_are_drawn_from_and_the_wide_one_most() -> None:
    chance = random.Random(6)  # noqa: S311 - the same draws each time
    samples = {name: Sample(size, 0, 0) for name, size in SIZES.items()}
    for _ in range(200):
        name = next_stratum(samples)
        assert name
        answers, labelled, unsupported = samples[name]
        is_wrong = chance.random() < SHARES[name]
        samples[name] = Sample(answers, labelled + 1, unsupported + is_wrong)
    counts = {name: each.labelled for name, each in samples.items()}
    assert min(counts.values()) >= 49
    assert max(counts, key=counts.__getitem__) is Stratum.OTHER
    assert next_stratum({Stratum.NEAR: Sample(3, 3, 1)}) is None


def test_a_narrower_interval_needs_the_square_of_labels() -> None:
    assert labels_needed(Interval(0.5, 0.4, 0.6), 100, 0.05) == 300
    assert labels_needed(Interval(0.5, 0.46, 0.54), 100, 0.05) == 0


@pytest.mark.parametrize(
    ("both", "first", "second", "none", "kappa"),
    [
        # Source: the textbook case of 50 proposals, of which 20 and 15 are judged alike.
        (20, 5, 10, 15, 0.4),
        (10, 0, 0, 10, 1.0),
        (0, 5, 5, 0, -1.0),
        (7, 0, 0, 0, None),
    ],
)
def test_kappa(both: int, first: int, second: int, none: int, kappa: float | None) -> None:
    pairs = [(True, True)] * both + [(True, False)] * first
    pairs += [(False, True)] * second + [(False, False)] * none
    agreement = measure_agreement(pairs)
    assert agreement
    assert agreement.kappa == (None if kappa is None else pytest.approx(kappa))
    assert measure_agreement([]) is None
