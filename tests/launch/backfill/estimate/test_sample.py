"""Samples of an archive: how they are drawn, and how far they may be trusted."""

import random
from collections import Counter

import pytest

from groundwatch.launch.backfill.estimate.answer_counts import (
    Sample,
    count_outcomes,
    counts_of,
    draw,
    paid_for,
)
from groundwatch.launch.backfill.estimate.planned_answers import PlannedAnswer, planning
from groundwatch.launch.backfill.estimate.sample_totals import Total
from groundwatch.pipeline.settings.config import Config
from groundwatch.schemas.message import Message
from groundwatch.transforms.grounding.settings import CheckSettings
from groundwatch.transforms.rules.limits import CheckLimits
from tests.support.archives import an_envelope
from tests.support.builders import a_message

CONFIG = Config(
    inputs=("a",),
    output="out",
    run="run",
    check=CheckSettings(limits=CheckLimits(max_facts=3, max_fact_chars=60)),
)
TRIALS = 300


def messages_of(*lines: bytes) -> list[Message]:
    return [
        a_message(payload=line, place=f"{number % 7}.jsonl#{number // 7 + 1}")
        for number, line in enumerate(lines)
    ]


def an_answer_of_many(number: int) -> bytes:
    """Most need one call, some several, some none; some are asked by many."""
    chance = random.Random(number)  # noqa: S311 - a seed, to be repeatable
    if chance.random() < 0.02:
        return b"no answer %d" % number
    if chance.random() < 0.1:
        return an_envelope(number, facts=[])
    if chance.random() < 0.2:
        return an_envelope(number, answer=f"Greeting {chance.randrange(5)}.")
    facts = [
        f"Lamp {number} glows {'very ' * chance.randrange(9)}red, {fact}."
        for fact in range(1 if chance.random() < 0.9 else 12)
    ]
    return an_envelope(number, answer=f"Lamp {number} glows.", facts=facts)


def outcomes_of(messages: list[Message]) -> list[PlannedAnswer]:
    with planning(CONFIG) as plan:
        return list(plan(messages))


MESSAGES = messages_of(*map(an_answer_of_many, range(4_000)))
OUTCOMES = outcomes_of(MESSAGES)


def drawn_from(size: int, messages: list[Message] = MESSAGES) -> Sample:
    with planning(CONFIG) as plan:
        return draw(messages, size, plan)


def ids(sample: Sample) -> set[str | None]:
    return {outcome.record_id for outcomes in sample.outcomes for outcome in outcomes}


def test_a_sample_is_the_same_every_time_whatever_the_order() -> None:
    shuffled = random.Random(1).sample(MESSAGES, len(MESSAGES))  # noqa: S311 - a seed
    assert ids(drawn_from(100)) == ids(drawn_from(100, shuffled))


def test_a_larger_sample_holds_a_smaller_one() -> None:
    assert ids(drawn_from(100)) < ids(drawn_from(300))


def test_a_sample_comes_from_all_parts_of_the_archives() -> None:
    numbered = [
        a_message(payload=an_envelope(number), place=str(number)) for number in range(4_000)
    ]
    outcomes = zip(outcomes_of(numbered), numbered, strict=True)
    place_of = {outcome.record_id: message.place for outcome, message in outcomes}
    places = [int(place_of[record_id]) for record_id in ids(drawn_from(800, numbered))]
    eighths = Counter(place // 500 for place in places)
    # 100 are expected from each, with a standard deviation of 8.4.
    assert all(60 < eighths[eighth] < 140 for eighth in range(8))


def test_a_message_that_repeats_another_is_drawn_once_and_counts_as_a_duplicate() -> None:
    repeated = messages_of(*[an_envelope(number % 50) for number in range(200)])
    sample = drawn_from(20, repeated)
    assert (sample.read, sample.distinct, len(sample.outcomes)) == (200, 50, 20)
    tally = counts_of(sample)
    assert (tally.read, tally.duplicates, tally.to_check) == (200, 150, 50)
    calls, _ = paid_for(sample, pays_once=False)
    assert calls.expected == 50


def of_several(*numbers: int) -> bytes:
    return b"[%b]" % b", ".join(map(an_envelope, numbers))


def test_every_answer_of_a_message_is_counted() -> None:
    several = messages_of(*[of_several(2 * number, 2 * number + 1) for number in range(100)])
    again = messages_of(*[of_several(0, 1), of_several(2, 3)])
    sample = drawn_from(50, [*several, *again])
    assert (sample.read, sample.distinct, len(sample.outcomes)) == (102, 100, 50)
    tally = counts_of(sample)
    assert (tally.read, tally.duplicates, tally.to_check) == (204, 4, 200)
    calls, _ = paid_for(sample, pays_once=False)
    assert calls.expected == 200


def test_an_archive_without_messages_has_zero_totals() -> None:
    sample = drawn_from(10, [])
    assert counts_of(sample).read == 0
    nothing = Total(expected=0, low=0, high=0)
    assert paid_for(sample, pays_once=True) == (nothing, nothing)


@pytest.mark.parametrize("pays_once", [True, False])
def test_a_sample_of_all_messages_gives_the_exact_counts(*, pays_once: bool) -> None:
    twice = [*MESSAGES, *MESSAGES[:500]]
    sample = drawn_from(10_000, twice)
    whole = count_outcomes(OUTCOMES, pays_once=pays_once)
    calls, characters = paid_for(sample, pays_once=pays_once)
    assert (calls.low, calls.expected, calls.high) == (whole.calls,) * 3
    assert (characters.low, characters.expected, characters.high) == (whole.characters,) * 3
    tally = counts_of(sample)
    assert (tally.to_check, tally.decided, tally.failures) == (
        whole.to_check,
        whole.decided,
        whole.failures,
    )
    assert tally.duplicates == 500


def sampled(size: int, chance: random.Random) -> Sample:
    outcomes = tuple((outcome,) for outcome in chance.sample(OUTCOMES, size))
    return Sample(read=len(OUTCOMES), distinct=len(OUTCOMES), outcomes=outcomes)


@pytest.mark.parametrize("size", [200, 1_000])
@pytest.mark.parametrize("pays_once", [True, False])
def test_the_intervals_hold_the_truth_in_95_of_100_samples(size: int, *, pays_once: bool) -> None:
    truth = count_outcomes(OUTCOMES, pays_once=pays_once)
    chance = random.Random(size)  # noqa: S311 - a seed, to be repeatable
    found = [paid_for(sampled(size, chance), pays_once=pays_once) for _ in range(TRIALS)]
    for place, true in enumerate((truth.calls, truth.characters)):
        held = sum(totals[place].low <= true <= totals[place].high for totals in found)
        mean = sum(totals[place].expected for totals in found) / TRIALS
        # 300 trials at 95 % have a standard deviation of 1.3 %.
        assert held / TRIALS >= 0.92
        assert mean == pytest.approx(true, rel=0.02)
