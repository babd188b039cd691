"""The generators' own view beside the check's."""

import pytest

from launch.report.counting.generator_views import GeneratorView, GeneratorViews, Mean
from launch.report.counting.seen import answer_from_row
from schemas.enriched_answer import EnrichedAnswer
from tests.support.builders import a_claim, an_enriched
from tests.support.reports import row_of


def views_of(*answers: EnrichedAnswer, most_engines: int = 10) -> GeneratorViews:
    views = GeneratorViews(most_engines)
    for answer in answers:
        views.add(answer_from_row(row_of(answer)))
    return views


def test_means_are_of_what_is_there() -> None:
    [view] = views_of(
        an_enriched(score_drift=0.5, citation_precision=1.0, citation_recall=0.5),
        an_enriched(score_drift=-0.25, citation_precision=0.5, tags=("CITATION_MISMATCH",)),
        an_enriched(score_drift=None, tags=()),
    ).most_compared(9)
    assert (view.drift.value, view.drift.count) == (0.125, 2)
    assert (view.precision.value, view.recall.value) == (0.75, 0.5)
    assert (view.far_off, view.miscited, view.compared) == (1, 1, 2)
    assert view.claim_drift.value is None


def test_drift_by_claim_is_of_claims_that_both_scored() -> None:
    claims = (
        a_claim(score=0.5, generator_score=0.75),
        a_claim(score=0.5),
        a_claim(generator_score=0.75),
        a_claim(score=0.25, generator_score=0.0),
    )
    [view] = views_of(an_enriched(claims=claims)).most_compared(9)
    assert (view.claim_drift.value, view.claim_drift.count) == (0.0, 2)


def test_engines_with_most_to_compare_stand_first_and_others_not_at_all() -> None:
    views = views_of(
        an_enriched(engine="a"),
        an_enriched(engine="b"),
        an_enriched(engine="b"),
        an_enriched(engine="c", score_drift=None),
        an_enriched(engine=None, score_drift=None, citation_recall=0.0),
    )
    assert [view.engine for view in views.most_compared(9)] == ["b", None, "a"]
    assert [view.engine for view in views.most_compared(1)] == ["b"]
    assert len(views) == 3


def test_engines_beyond_the_most_are_counted_and_not_kept() -> None:
    views = views_of(*(an_enriched(engine=name) for name in "abcab"), most_engines=2)
    assert views.forgotten == 1
    assert [view.drift.count for view in views.most_compared(9)] == [2, 2]


def test_without_numbers_there_is_no_mean() -> None:
    mean = Mean()
    mean.add(None)
    assert mean.value is None
    assert GeneratorView("a").compared == 0


@pytest.mark.parametrize("numbers", [[0.0], [0.5, 1.0, -0.75]])
def test_a_mean_is_the_sum_by_the_count(numbers: list[float]) -> None:
    mean = Mean()
    for number in numbers:
        mean.add(number)
    assert mean.value == sum(numbers) / len(numbers)
