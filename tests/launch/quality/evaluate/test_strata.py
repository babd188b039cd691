"""Strata, the estimates from their samples, and the agreement of people."""

import random
from collections.abc import Mapping, Sequence
from itertools import islice
from math import exp, lgamma, log, log1p
from statistics import mean

import pytest
from msgspec.structs import astuple

from groundwatch.launch.quality.evaluate.strata import (
    Stratum,
    estimate_quality,
    labels_needed,
    measure_agreement,
    next_stratum,
    stratum_of,
)
from groundwatch.launch.results.shares import Interval, Sample, estimate_share
from groundwatch.transforms.rules.thresholds import Thresholds

Samples = dict[Stratum, Sample]


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


def _label(drawn: Mapping[Stratum, Sequence[bool]], sizes: Sequence[int], labels: int) -> Samples:
    """Label so many drawn answers, each from the stratum that is next."""
    chance = random.Random(7)  # noqa: S311 - the same draws each time
    samples = {name: Sample(size, 0, 0) for name, size in zip(Stratum, sizes, strict=True)}
    for _ in range(labels):
        waiting = [name for name, each in samples.items() if each.labelled < each.answers]
        if name := next_stratum(samples, waiting, chance.random()):
            size, labelled, unsupported = samples[name]
            is_wrong = drawn[name][labelled]
            samples[name] = Sample(size, labelled + 1, unsupported + is_wrong)
    return samples


@pytest.mark.parametrize(
    ("sizes", "shares", "labels"),
    [
        ((400, 300, 3_000), (0.6, 0.3, 0.05), 100),
        ((400, 300, 3_000), (0.98, 0.1, 0.01), 40),
        ((4_000, 3_000, 50_000), (0.5, 0.05, 0.01), 300),
        ((5_000, 8_000, 87_000), (0.7, 0.2, 0.02), 100),
        ((30, 20, 80), (0.5, 0.3, 0.1), 100),
    ],
)
def test_the_estimate_is_unbiased_and_its_interval_holds_the_truth(
    sizes: Sequence[int], shares: Sequence[float], labels: int
) -> None:
    chance = random.Random(5)  # noqa: S311 - the same draws each time
    wrong = [size * share for size, share in zip(sizes, shares, strict=True)]
    truths = shares[0], wrong[0] / sum(wrong)
    runs = []
    for _ in range(400):
        drawn = {
            name: [place < few for place in chance.sample(range(size), min(size, labels))]
            for name, size, few in zip(Stratum, sizes, wrong, strict=True)
        }
        runs.append(estimate_quality(_label(drawn, sizes, labels)))
    for truth, found in zip(truths, zip(*runs, strict=True), strict=True):
        known = [each for each in found if each]
        assert len(known) == 400
        assert mean(each.value for each in known) == pytest.approx(truth, abs=0.02)
        assert sum(each.low <= truth <= each.high for each in known) / 400 > 0.93


def test_an_estimate_needs_labels_of_each_stratum_that_has_answers() -> None:
    flagged, empty = Sample(100, 10, 6), Sample(0, 0, 0)
    quality = estimate_quality({Stratum.FLAGGED: flagged, Stratum.OTHER: Sample(900, 0, 0)})
    assert quality.precision
    assert quality.precision.value == pytest.approx(0.6)
    assert quality.recall is None
    whole = estimate_quality({Stratum.FLAGGED: flagged, Stratum.OTHER: empty})
    assert whole.recall == Interval(1.0, 1.0, 1.0)
    assert estimate_quality({}) == (None, None)


def test_nothing_is_left_to_estimate_once_all_answers_are_labelled() -> None:
    samples = {Stratum.FLAGGED: Sample(10, 10, 6), Stratum.NEAR: Sample(8, 8, 2)}
    quality = estimate_quality(samples)
    for found, known in ((quality.precision, 0.6), (quality.recall, 0.75)):
        assert found
        assert astuple(found) == pytest.approx((known, known, known))
    assert labels_needed(Interval(0.6, 0.5, 0.7), samples.values(), 0.05) == 0


REDRAWS = 5_000


@pytest.mark.parametrize(
    ("known", "others", "share"),
    [
        # Answers of which each is labelled, with the unsupported ones; others; the share drawn.
        ((100, 60), (900, 450), 0.02),
        ((100, 60), (900, 45), 0.1),
        ((100, 60), (900, 9), 0.1),
        ((100, 60), (900, 45), 0.5),
        ((20, 10), (180, 9), 0.2),
        ((500, 200), (4_500, 225), 0.05),
        ((2_000, 1_200), (18_000, 180), 0.02),
        ((2_000, 1_000), (18_000, 900), 0.02),
        ((0, 0), (1_000, 100), 0.1),
        ((300, 200), (2_700, 0), 0.02),
    ],
)
def test_a_random_share_tells_about_the_others(
    known: tuple[int, int], others: tuple[int, int], share: float
) -> None:
    found, (size, wrong) = Sample(known[0], *known), others
    truths = (found.unsupported + wrong) / (found.answers + size), known[1] / (known[1] + wrong)
    estimates = []
    chance = random.Random(5)  # noqa: S311 - the same draws each time
    drawn = (_draws(chance, answers, share) for answers in (wrong, size - wrong))
    for unsupported, supported in zip(*drawn, strict=True):
        missed = Sample(size, unsupported + supported, unsupported)
        recall = estimate_quality({Stratum.FLAGGED: found, Stratum.OTHER: missed}).recall
        estimates.append((estimate_share([found, missed]), recall))
    compared = zip(truths, zip(*estimates, strict=True), strict=True)
    # Where nothing is flagged, nobody asks for the recall.
    for truth, made in islice(compared, 2 if known[0] else 1):
        intervals = [each for each in made if each]
        assert len(intervals) > 0.999 * REDRAWS  # the others drew none
        assert mean(each.value for each in intervals) == pytest.approx(truth, abs=0.025)
        holding = sum(
            each.low <= truth + 1e-12 and truth - 1e-12 <= each.high for each in intervals
        )
        assert holding / REDRAWS > 0.93


def _draws(chance: random.Random, answers: int, share: float) -> list[int]:
    """How many of some answers are drawn, each by its own chance, in each of the redraws."""
    weights = [
        exp(log(share) * drawn + log1p(-share) * (answers - drawn) + _log_ways(answers, drawn))
        for drawn in range(answers + 1)
    ]
    return chance.choices(range(answers + 1), weights, k=REDRAWS)


def _log_ways(answers: int, drawn: int) -> float:
    return lgamma(answers + 1) - lgamma(drawn + 1) - lgamma(answers - drawn + 1)


@pytest.mark.parametrize("missed", [0, 1, 25])
@pytest.mark.parametrize("found", [0, 1, 10])
def test_limits_enclose_the_estimate_where_few_answers_are_unsupported(
    found: int, missed: int
) -> None:
    samples = {Stratum.FLAGGED: Sample(100, 10, found), Stratum.OTHER: Sample(900, 25, missed)}
    recall = estimate_quality(samples).recall
    assert (recall is None) == (not found and not missed)
    if recall:
        assert 0 <= recall.low <= recall.value <= recall.high <= 1
        assert recall.low < recall.high
        assert (recall.low == 0) == (not found)
        assert (recall.high == 1) == (not missed)


def test_all_strata_are_drawn_from_and_the_wide_one_most() -> None:
    chance = random.Random(6)  # noqa: S311 - the same draws each time
    shares, sizes = (0.6, 0.3, 0.05), (400, 300, 3_000)
    answers = {
        name: [chance.random() < share for _ in range(size)]
        for name, share, size in zip(Stratum, shares, sizes, strict=True)
    }
    counts = {name: each.labelled for name, each in _label(answers, sizes, 200).items()}
    assert min(counts.values()) >= 45
    assert max(counts, key=counts.__getitem__) is Stratum.OTHER
    assert next_stratum({Stratum.NEAR: Sample(3, 3, 1)}, [], 0.5) is None


@pytest.mark.parametrize("labelled", [0, 1, 10, 40])
def test_which_stratum_is_next_does_not_follow_from_the_labels(labelled: int) -> None:
    counts = dict.fromkeys(Stratum, labelled) | {Stratum.OTHER: 2 * labelled}
    sizes = dict.fromkeys(Stratum, 500) | {Stratum.OTHER: 50_000}
    samples = {name: Sample(sizes[name], counts[name], labelled // 4) for name in Stratum}
    found = [next_stratum(samples, [*Stratum], number / 100) for number in range(100)]
    assert min(found.count(each) for each in Stratum) == 25


@pytest.mark.parametrize(
    ("answers", "low", "high", "more"),
    [
        (10**9, 0.4, 0.6, 300),  # half the width: four times the labels
        (400, 0.4, 0.6, 129),  # of which there are too few
        (10**9, 0.46, 0.54, 0),
    ],
)
def test_a_narrower_interval_needs_the_square_of_labels(
    answers: int, low: float, high: float, more: int
) -> None:
    sample = Sample(answers, 100, 50)
    assert labels_needed(Interval(0.5, low, high), [sample], 0.05) == more


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
