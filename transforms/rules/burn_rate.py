"""Decide when a rate incident opens and closes, by burn rates over two windows.

Source: Google SRE workbook, chapter 5, "Multiwindow, Multi-Burn-Rate Alerts",
https://sre.google/workbook/alerting-on-slos/
"""

from schemas import Record
from schemas.quantities import HOUR_US
from transforms.rules.rate_counts import RateCounts, RateWindow, bucket_start, is_reason_signal


class RateRule(Record, frozen=True, kw_only=True):
    """When an incident opens and closes.

    Attributes:
      budget: 0..1, the error budget: the acceptable share of bad answers.
      burn_rate: the share over the budget that opens an incident, in both windows.
      closing_burn_rate: an incident closes below this burn rate: in the fast window, or in the
        slow one if the fast one has too few answers.
      fast_window_us, slow_window_us: microseconds of event time. The fast window shows that the
        incident continues, the slow one that it is significant.
      min_answers: a window with fewer answers is not evaluated.
      reason_rise: the rise that opens an incident of a skip reason: its share in the fast window
        over its share in the rest of the slow one.
      closing_reason_rise: an incident of a skip reason closes below this rise.
      min_reason_answers: with fewer answers in the fast window a reason does not open an incident.
      max_rise_us: an incident of a skip reason closes after this time: its share is normal now.
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
    max_rise_us: int = 24 * HOUR_US


class OpenIncident(Record, frozen=True, kw_only=True):
    """An incident that is open.

    Attributes:
      signal: a verdict's, such as ``low_grounded``, or ``skip_reason:`` and a reason.
      opened_at_us: microseconds since 1970 UTC.
      budget: 0..1, the error budget when it opened; it closes by the same one.
    """

    signal: str
    opened_at_us: int
    budget: float


class Windows:
    """The fast and the slow window of an engine, up to `now_us`, microseconds since 1970 UTC."""

    def __init__(self, rule: RateRule) -> None:
        self.now_us = 0
        self.fast = RateWindow(rule.fast_window_us)
        self.slow = RateWindow(rule.slow_window_us)

    def add(self, counts: RateCounts) -> None:
        """Add a bucket that is later than all others."""
        self.fast.add(counts)
        self.slow.add(counts)

    def advance(self, now_us: int) -> None:
        """Drop the buckets that are too old at a time."""
        self.now_us = now_us
        for window in (self.fast, self.slow):
            window.advance(bucket_start(now_us - 1))


def open_incident(signal: str, windows: Windows, rule: RateRule) -> OpenIncident | None:
    """Return the incident that opens now for a signal without one, None if none does."""
    find_budget = _risen_budget if is_reason_signal(signal) else _burnt_budget
    budget = find_budget(signal, windows, rule)
    if budget is None:
        return None
    return OpenIncident(signal=signal, opened_at_us=windows.now_us, budget=budget)


def closing_state(incident: OpenIncident, windows: Windows, rule: RateRule) -> str | None:
    """Decide whether an open incident closes now.

    Only answers in the current bucket can show that the rate is back to normal. A clock that
    advances without answers, as in a stream that is drained, does not.

    Returns:
      ``closed``; ``closed_unknown`` if the slow window is empty; None if it stays open.
    """
    if not windows.slow.answers:
        return "closed_unknown"
    if not windows.fast.ends_with(bucket_start(windows.now_us - 1)):
        return None
    is_over = _rise_is_over if is_reason_signal(incident.signal) else _burn_is_over
    return "closed" if is_over(incident, windows, rule) else None


def _burn_is_over(incident: OpenIncident, windows: Windows, rule: RateRule) -> bool:
    window = windows.fast if windows.fast.answers >= rule.min_answers else windows.slow
    return (
        window.answers >= rule.min_answers
        and window.share(incident.signal) / incident.budget < rule.closing_burn_rate
    )


def _rise_is_over(incident: OpenIncident, windows: Windows, rule: RateRule) -> bool:
    fast, open_us = windows.fast, windows.now_us - incident.opened_at_us
    return open_us >= rule.max_rise_us or (
        fast.answers >= rule.min_answers
        and fast.share(incident.signal) / incident.budget < rule.closing_reason_rise
    )


def _burnt_budget(signal: str, windows: Windows, rule: RateRule) -> float | None:
    share = min(windows.fast.share(signal), windows.slow.share(signal))
    is_burnt = share / rule.budget >= rule.burn_rate
    return rule.budget if is_burnt and windows.fast.answers >= rule.min_answers else None


def _risen_budget(signal: str, windows: Windows, rule: RateRule) -> float | None:
    """Return a reason's earlier share, or the least share against which a rise is significant."""
    fast, slow = windows.fast, windows.slow
    if fast.bad(signal) < rule.min_reason_answers:
        return None
    # One more answer with the reason is assumed, since few earlier answers prove little.
    bad_before = slow.bad(signal) - fast.bad(signal) + 1
    share_before = bad_before / (slow.answers - fast.answers + 1)
    if fast.share(signal) < share_before * rule.reason_rise:
        return None
    return max(share_before, rule.min_reason_answers / fast.answers / rule.reason_rise)
