"""The sums over the last stretch of time."""

from transforms.rules.rate_counts import RateCounts
from transforms.rules.rate_windows import RateWindow

REASONS = {"SPII": 1, "SAFETY": 2, "NO_RELEVANT_CONTENT": 3}


def test_a_window_names_the_reasons_that_so_many_answers_have_and_no_verdicts() -> None:
    window = RateWindow(width_us=10)
    window.add(RateCounts(start_us=0, answers=4, low_grounded=4, skip_reasons=REASONS))
    assert window.reasons(at_least=2) == ["skip_reason:SAFETY", "skip_reason:NO_RELEVANT_CONTENT"]


def test_what_is_as_old_as_the_window_is_wide_is_out_of_it() -> None:
    window = RateWindow(width_us=10)
    for start_us in (0, 5):
        window.add(RateCounts(start_us=start_us, answers=2, failed=1, skip_reasons={"SPII": 1}))
    window.move_to(9)
    assert (window.answers, window.bad("failed"), window.bad("skip_reason:SPII")) == (4, 2, 2)
    window.move_to(10)
    assert (window.answers, window.bad("failed"), window.bad("skip_reason:SPII")) == (2, 1, 1)
    window.move_to(15)
    assert (window.answers, window.share("failed")) == (0, 0.0)
