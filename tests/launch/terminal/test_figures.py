"""Formatted numbers."""

import pytest

from launch.terminal import figures


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (None, "—"),
        (0.0, "0.0%"),
        (0.0001, "<0.1%"),
        (0.194, "19.4%"),
        (0.9999, ">99.9%"),
        (1.0, "100.0%"),
    ],
)
def test_only_exact_shares_are_0_and_100_percent(share: float | None, written: str) -> None:
    assert figures.percent(share) == written


@pytest.mark.parametrize(
    ("number", "written"), [(None, "—"), (0.125, "+0.12"), (-0.5, "-0.50"), (0.0, "+0.00")], ids=str
)
def test_a_difference_of_scores_has_its_sign(number: float | None, written: str) -> None:
    assert figures.drift(number) == written


@pytest.mark.parametrize(
    ("number", "written"), [(None, "—"), (0, "0"), (1234567, "1,234,567")], ids=str
)
def test_whole_numbers_have_thousands_separators(number: int | None, written: str) -> None:
    assert figures.count(number) == written


@pytest.mark.parametrize(("number", "written"), [(0, "0 answers"), (1, "1 answer")])
def test_nouns_agree_with_their_number(number: int, written: str) -> None:
    assert figures.counted(number, "answer") == written


@pytest.mark.parametrize(
    ("latency_ms", "written"), [(None, "—"), (999, "999 ms"), (1_500, "1.5 s")], ids=str
)
def test_latencies_from_a_second_on_are_seconds(latency_ms: int | None, written: str) -> None:
    assert figures.duration(latency_ms) == written


def test_a_missing_score_is_a_dash() -> None:
    assert figures.score(None) == "—"
