"""Counts of answers in buckets and windows."""

from functools import reduce

import msgspec
import pytest

from groundwatch.schemas.checked_answer import Screen
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.rate_counts import (
    BUCKET_US,
    RateCounts,
    RateWindow,
    add_counts,
    count_answer,
    merge_buckets,
)
from tests.support.builders import a_check, a_screen, an_enriched


def test_a_reason_counts_once_for_an_answer_that_names_it_twice() -> None:
    enriched = an_enriched(
        verdict=Verdict.POLICY_SKIPPED,
        skip_reasons=("NO_RELEVANT_CONTENT", "SAFETY", "NO_RELEVANT_CONTENT"),
    )
    assert count_answer(enriched, 0) == RateCounts(
        start_us=0,
        answers=1,
        policy_skipped=1,
        skip_reasons={"NO_RELEVANT_CONTENT": 1, "SAFETY": 1},
    )


@pytest.mark.parametrize(
    ("verdict", "counted"),
    [
        (Verdict.GROUNDED, {}),
        (Verdict.LOW_GROUNDED, {"low_grounded": 1}),
        (Verdict.POLICY_SKIPPED, {"policy_skipped": 1}),
        (Verdict.NOT_ANSWERED, {}),
        (Verdict.GENERATION_FAILED, {"failed": 1}),
    ],
)
def test_an_answer_counts_by_its_verdict(verdict: Verdict, counted: dict[str, int]) -> None:
    assert count_answer(an_enriched(verdict=verdict), 7) == RateCounts(
        start_us=7, answers=1, **counted
    )


def test_unknown_reasons_count_as_one_however_many_there_are() -> None:
    reasons = tuple(f"SOMETHING_NEW_{number}" for number in range(1_000))
    counts = count_answer(an_enriched(skip_reasons=("47", *reasons)), 0)
    assert counts.skip_reasons == {"UNKNOWN_SKIP_REASON": 1}


def test_counts_of_one_bucket_are_added_reason_by_reason() -> None:
    first = RateCounts(start_us=0, answers=2, failed=1, skip_reasons={"SAFETY": 1, "SPII": 1})
    second = RateCounts(
        start_us=0,
        answers=12,
        low_grounded=3,
        policy_skipped=4,
        failed=5,
        skip_reasons={"SAFETY": 2},
    )
    assert add_counts(first, second) == RateCounts(
        start_us=0,
        answers=14,
        low_grounded=3,
        policy_skipped=4,
        failed=6,
        skip_reasons={"SAFETY": 3, "SPII": 1},
    )


def test_buckets_are_put_in_the_order_of_time_and_added_up() -> None:
    early, late = (RateCounts(start_us=start, answers=1) for start in (-BUCKET_US, BUCKET_US))
    twice = RateCounts(start_us=-BUCKET_US, answers=2)
    assert merge_buckets([late, early, early]) == [twice, late]


def test_counts_that_were_kept_before_reasons_were_counted_can_still_be_read() -> None:
    kept = b'{"start_us":0,"answers":2,"low_grounded":1,"policy_skipped":0,"failed":0}'
    assert msgspec.json.decode(kept, type=RateCounts) == RateCounts(
        start_us=0, answers=2, low_grounded=1
    )


REASONS = {"SPII": 1, "SAFETY": 2, "NO_RELEVANT_CONTENT": 3}


def test_a_window_counts_bad_answers_by_signal() -> None:
    window = RateWindow(width_us=10)
    window.add(RateCounts(start_us=0, answers=4, low_grounded=4, skip_reasons=REASONS))
    assert window.answers == 4
    assert +window.bad == {
        "low_grounded": 4,
        "skip_reason:SPII": 1,
        "skip_reason:SAFETY": 2,
        "skip_reason:NO_RELEVANT_CONTENT": 3,
    }


def test_what_is_as_old_as_the_window_is_wide_is_out_of_it() -> None:
    window = RateWindow(width_us=10)
    for start_us in (0, 5):
        window.add(RateCounts(start_us=start_us, answers=2, failed=1, skip_reasons={"SPII": 1}))
    window.advance(9)
    assert (window.answers, window.bad["failed"], window.bad["skip_reason:SPII"]) == (4, 2, 2)
    window.advance(10)
    assert (window.answers, window.bad["failed"], window.bad["skip_reason:SPII"]) == (2, 1, 1)
    window.advance(15)
    assert (window.answers, window.share("failed")) == (0, 0.0)


def test_a_window_names_the_revisions_of_each_checker_that_has_several() -> None:
    def checked(bucket: int, revision: str | None, screen: Screen | None = None) -> RateCounts:
        check = a_check(checker="judge", revision=revision)
        return count_answer(an_enriched(check=check, screen=screen), bucket * BUCKET_US)

    window = RateWindow(width_us=2 * BUCKET_US)
    # One revision of each checker; an unknown one does not count.
    window.add(add_counts(checked(0, "m-1", a_screen()), checked(0, None)))
    assert window.mixed_revisions() == ()
    window.add(checked(1, "m-2"))
    assert window.mixed_revisions() == ("judge m-1", "judge m-2")
    window.advance(2 * BUCKET_US)  # The first bucket is out.
    assert window.mixed_revisions() == ()


def test_no_more_revisions_are_kept_than_an_alert_can_name() -> None:
    made = [a_check(checker="judge", revision=f"m-{n:03}") for n in range(100)]
    counts = reduce(add_counts, (count_answer(an_enriched(check=each), 0) for each in made))
    assert len(counts.revisions) == 10
