"""Alerts and failures, counted."""

from launch.report.counts.distributions import OTHERS, NameCounts
from launch.report.counts.failures import AlertCounts, FailureCounts
from launch.report.output_records import AlertLine, FailureLine, RateState


def a_failure(record_id: str | None = None, error_class: str = "Unavailable") -> FailureLine:
    return FailureLine(
        record_id=record_id,
        step="CheckGrounding",
        error_class=error_class,
        error="The checker did not answer.",
        retryable=error_class == "Unavailable",
    )


def failures_of(*failures: FailureLine) -> FailureCounts:
    counts = FailureCounts()
    for failure in failures:
        counts.add(failure)
    return counts


def test_failures_are_counted_by_class_the_most_frequent_first() -> None:
    counts = failures_of(a_failure(), a_failure(error_class="Rejected"), a_failure())
    found = [(each.error_class, each.failures, each.retryable) for each in counts.by_class()]
    assert found == [("Unavailable", 2, 2), ("Rejected", 1, 0)]
    assert (counts.total, counts.retryable) == (3, 2)


def test_a_failure_whose_answer_has_a_record_is_mended() -> None:
    counts = failures_of(a_failure("a"), a_failure("b"), a_failure())
    counts.resolve("a")
    counts.resolve("c")
    assert counts.resolved == 1


def test_an_answer_that_failed_twice_and_then_not_is_mended_twice_and_once_only() -> None:
    counts = failures_of(a_failure("a"), a_failure("a"))
    counts.resolve("a")
    counts.resolve("a")
    assert (counts.total, counts.resolved) == (2, 2)


def test_alerts_are_counted_by_kind_and_severity() -> None:
    counts = AlertCounts()
    counts.add(AlertLine(kind="answer", severity="warning"))
    counts.add(AlertLine(kind="rate", severity="critical", rate=RateState(signal="low_grounded")))
    assert counts.total == 2
    assert dict(counts.by_severity) == {"warning": 1, "critical": 1}
    assert [alert.kind for alert in counts.rates] == ["rate"]


def test_the_latest_rate_alerts_are_kept() -> None:
    counts = AlertCounts()
    for number in range(100):
        counts.add(AlertLine(kind="rate", rate=RateState(answers=number)))
    kept = [alert.rate.answers for alert in counts.rates if alert.rate]
    assert kept == list(range(88, 100))


def test_names_beyond_a_thousand_count_as_others() -> None:
    counts = NameCounts()
    for number in range(1_010):
        counts.add(f"reason {number}")
    counts.add("reason 1")
    assert dict(counts.most_common(2_000))[OTHERS] == 10
    assert counts.most_common(2) == [(OTHERS, 10), ("reason 1", 2)]
