"""What the second of two checkers found, and what follows for all answers."""

import hashlib
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from groundwatch.launch.results.report.counts.escalations import Escalations
from groundwatch.launch.results.report.counts.tally import Tally
from groundwatch.launch.results.report.counts.timeline import OTHERS
from groundwatch.launch.results.shares import Interval, estimate_share
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.rules.escalation import is_drawn
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.builders import a_check, a_screen, an_enriched
from tests.support.pairs import FLAGGED, POPULATION, pair
from tests.support.reports import row_of


def escalations_of(*answers: EnrichedAnswer) -> Escalations:
    found = Escalations()
    for answer in answers:
        found.add(row_of(answer))
    return found


def test_how_often_the_two_disagree() -> None:
    total = escalations_of(*POPULATION).total()
    assert (total.answers, total.decided) == (56, 11)
    assert total.tags == {"ESCALATED": 6, "AUDITED": 5}
    assert estimate_share(total.flagged) == Interval(0.5, 0.5, 0.5)  # each was checked
    assert sorted(total.passed) == [(2, 2, 1), (50, 5, 1)]
    share = estimate_share(total.passed)
    assert share
    # One uncertain one, and a fifth of the 50 others.
    assert share.value == pytest.approx(11 / 52)
    assert share.low < 0.1
    assert share.high > 0.5
    assert (total.wrongly_flagged, total.wrongly_passed, total.low_of_all) == (
        *("2 of 4", *["too few audited (5): --escalate_share 0.8"] * 2),
    )


def test_how_many_answers_would_be_low_if_the_second_checker_decided_all() -> None:
    low = estimate_share(escalations_of(*POPULATION).total().low)
    assert low
    assert low.value == pytest.approx((2 + 1 + 10) / 56)
    assert low.low < low.value < low.high


def test_an_answer_that_is_escalated_for_its_text_stands_for_no_other() -> None:
    hard = pair(Tag.ESCALATED, is_low=True, lowest=1.0)
    share = estimate_share(escalations_of(hard, pair(Tag.AUDITED), pair(None)).total().passed)
    assert share
    assert share.value == pytest.approx(1 / 3)


def test_what_the_screen_misses_is_unknown_without_audited_answers() -> None:
    found = escalations_of(*(each for each in POPULATION if Tag.AUDITED not in each.tags))
    total = found.total()
    assert estimate_share(total.flagged)
    assert (estimate_share(total.passed), estimate_share(total.low)) == (None, None)
    assert total.wrongly_passed == "too few audited (0): --escalate_share 0.89"


def test_an_answer_that_the_second_checker_did_not_check_counts_as_one_left_out() -> None:
    left_out = (pair(Tag.NOT_ESCALATED, **FLAGGED) for _ in range(4))
    total = escalations_of(*POPULATION, *left_out).total()
    assert total.flagged == [(8, 4, 2)]
    share = estimate_share(total.flagged)
    assert share
    assert share.value == 0.5
    assert share.low < 0.5 < share.high
    assert total.wrongly_flagged == "too few checked (4)"


@pytest.mark.parametrize(
    ("checked", "said"),
    [
        # The uncertain ones that were checked are not audited ones.
        (POPULATION, "too few audited (5): --escalate_share 0.8"),
        ([pair(Tag.ESCALATED, lowest=0.65)] * 6, "too few checked (6)"),
        ([pair(Tag.ESCALATED, lowest=0.65)] * 30, "0.0% (0.0% to 4.0%), by 30 checked"),
    ],
)
def test_a_budget_that_leaves_out_uncertain_answers_audits_no_more(
    checked: Sequence[EnrichedAnswer], said: str
) -> None:
    left_out = (pair(Tag.NOT_ESCALATED, lowest=0.65) for _ in range(10))
    total = escalations_of(*checked, *left_out).total()
    assert (total.wrongly_passed, total.low_of_all) == (said, said)


def test_one_that_chance_had_drawn_and_the_checker_did_not_check_is_one_of_the_others() -> None:
    ids = (hashlib.sha256(bytes([number])).hexdigest() for number in range(100))
    drawn = next(each for each in ids if is_drawn(each, 0.1))
    missed = pair(Tag.NOT_ESCALATED, record_id=drawn)
    share = estimate_share(escalations_of(*POPULATION, missed).total().passed)
    assert share
    assert share.value == pytest.approx((1 + 51 / 5) / 53)


def test_engines_are_counted_apart_the_largest_first() -> None:
    others = (pair(Tag.ESCALATED, engine="tea", **FLAGGED), pair(None, engine=None))
    found = escalations_of(*POPULATION, *others).engines()
    assert [(each.engine, each.answers) for each in found] == [("shop", 56), (None, 1), ("tea", 1)]
    assert (found[2].wrongly_flagged, found[2].wrongly_passed) == ("1 of 1", "—")
    assert found[1].wrongly_passed == "too few audited (0): --escalate_share 1"


def test_engines_beyond_a_thousand_count_as_others() -> None:
    found = escalations_of(*(pair(None, engine=f"e{number}") for number in range(1_002)))
    assert len(found.engines()) == 1_001
    assert (found.engines()[0].engine, found.engines()[0].answers) == (OTHERS, 2)
    assert found.total().answers == 1_002


def test_runs_with_other_shares_are_estimated_apart() -> None:
    whole = {"audit_share": 1.0}
    every = (pair(Tag.AUDITED, is_low=number < 10, screen=whole) for number in range(100))
    found = escalations_of(*POPULATION, *every)
    share = estimate_share(found.total().passed)
    assert share
    assert share.value == pytest.approx((11 + 10) / 152)


def test_records_of_one_checker_are_not_counted() -> None:
    found = escalations_of(an_enriched(screen=None), an_enriched(check=None, screen=None))
    assert (found.answers, found.engines(), found.total().low_of_all) == (0, [], "—")


def test_calls_cost_and_latency_are_those_of_the_second_checker() -> None:
    tally = Tally(Thresholds())
    usage = a_check(calls=1, attempts=2, characters=500, latency_ms=80)
    for tag in (Tag.ESCALATED, Tag.AUDITED, Tag.NOT_ESCALATED, None):
        tally.add_answer(row_of(replace(pair(tag), check=usage)))
    assert (tally.checked, tally.calls, tally.characters) == (4, 4, 1_000)
    assert tally.latencies.total() == 2
    assert tally.escalations.characters == 4 * a_screen().characters
