"""When the share of bad answers is worth waking somebody: burn rates over two windows.

Source: Google SRE workbook, chapter 5, "Multiwindow, Multi-Burn-Rate Alerts",
https://sre.google/workbook/alerting-on-slos/
"""

from schemas import Record
from schemas.quantities import HOUR_US
from transforms.rules.rate_counts import bucket_of
from transforms.rules.rate_windows import RateWindow, is_about_reason


class RateRule(Record, frozen=True, kw_only=True):
    """When an episode opens and closes.

    Attributes:
      budget: 0..1, the share of bad answers that is tolerable for ever.
      burn_rate: how many times the budget opens an episode, in both windows.
      closing_burn_rate: below how many times the budget it closes: in the fast window, or in the
        slow one while little traffic leaves the fast one with too few answers.
      fast_window_us, slow_window_us: microseconds of event time; the fast one tells that it goes
        on, the slow one that it is no accident.
      min_answers: fewer answers in a window tell nothing.
      reason_rise: how many times its share before opens an episode of a skip reason: its share in
        the fast window against that in the rest of the slow one.
      closing_reason_rise: below how many times that share it closes.
      min_reason_answers: fewer answers with a reason in the fast window are no rise.
      most_rise_us: a share that has stayed up for so long is no rise any more, but usual.
    """

    budget: float = 0.1
    burn_rate: float = 4.0
    closing_burn_rate: float = 2.0
    fast_window_us: int = HOUR_US
    slow_window_us: int = 6 * HOUR_US
    min_answers: int = 5
    reason_rise: float = 4.0
    closing_reason_rise: float = 2.0
    min_reason_answers: int = 10
    most_rise_us: int = 24 * HOUR_US


class OpenEpisode(Record, frozen=True, kw_only=True):
    """An episode that has opened and not closed: all that has to be remembered from then on.

    Attributes:
      signal: a verdict's, such as ``low_grounded``, or ``skip_reason:`` and a reason.
      opened_at_us: microseconds since 1970 UTC.
      budget: 0..1, the share that was tolerable when it opened; it closes by the same.
    """

    signal: str
    opened_at_us: int
    budget: float


class Reading(Record, frozen=True, kw_only=True):
    """Both windows at a moment, in microseconds since 1970 UTC."""

    now_us: int
    fast: RateWindow
    slow: RateWindow


def opening(signal: str, reading: Reading, rule: RateRule) -> OpenEpisode | None:
    """Decide whether an episode of a signal opens now, where none is open."""
    find_budget = _rise_budget if is_about_reason(signal) else _burnt_budget
    budget = find_budget(signal, reading, rule)
    if budget is None:
        return None
    return OpenEpisode(signal=signal, opened_at_us=reading.now_us, budget=budget)


def closing(episode: OpenEpisode, reading: Reading, rule: RateRule) -> str | None:
    """Decide whether an open incident closes now.

    Answers that arrived in the current bucket must show that the rate is back to normal: a clock
    that moves on, as that of a stream that is drained, shows nothing.

    Returns:
      ``closed``; ``closed_unknown`` where the slow window is empty, so that nothing is known any
      more; None where the incident stays open.
    """
    if not reading.slow.answers:
        return "closed_unknown"
    if not reading.fast.ends_with(bucket_of(reading.now_us - 1)):
        return None
    is_over = _is_no_rise if is_about_reason(episode.signal) else _burns_no_more
    return "closed" if is_over(episode, reading, rule) else None


def _burns_no_more(episode: OpenEpisode, reading: Reading, rule: RateRule) -> bool:
    window = reading.fast if reading.fast.answers >= rule.min_answers else reading.slow
    return (
        window.answers >= rule.min_answers
        and window.share(episode.signal) / episode.budget < rule.closing_burn_rate
    )


def _is_no_rise(episode: OpenEpisode, reading: Reading, rule: RateRule) -> bool:
    fast, open_us = reading.fast, reading.now_us - episode.opened_at_us
    return open_us >= rule.most_rise_us or (
        fast.answers >= rule.min_answers
        and fast.share(episode.signal) / episode.budget < rule.closing_reason_rise
    )


def _burnt_budget(signal: str, reading: Reading, rule: RateRule) -> float | None:
    share = min(reading.fast.share(signal), reading.slow.share(signal))
    burns = share / rule.budget >= rule.burn_rate
    return rule.budget if burns and reading.fast.answers >= rule.min_answers else None


def _rise_budget(signal: str, reading: Reading, rule: RateRule) -> float | None:
    """A reason's budget is its share before, or the least that its rise can be told against."""
    fast, slow = reading.fast, reading.slow
    if fast.bad(signal) < rule.min_reason_answers:
        return None
    # As if one more answer had had the reason: few answers before are no ground to build on.
    bad_before = slow.bad(signal) - fast.bad(signal) + 1
    share_before = bad_before / (slow.answers - fast.answers + 1)
    if fast.share(signal) < share_before * rule.reason_rise:
        return None
    return max(share_before, rule.min_reason_answers / fast.answers / rule.reason_rise)
