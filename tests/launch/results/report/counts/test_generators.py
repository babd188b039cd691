"""How the scores and citations of generators compare with those of the check."""

import pytest

from groundwatch.launch.results.report.counts import tally as tally_module
from groundwatch.launch.results.report.counts.generators import GeneratorComparison, Mean
from groundwatch.launch.results.report.counts.tally import OTHERS, Tally
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.builders import an_enriched
from tests.support.reports import row_of


def tally_of(*answers: EnrichedAnswer) -> Tally:
    tally = Tally(Thresholds())
    for answer in answers:
        tally.add_answer(row_of(answer))
    return tally


def test_means_ignore_missing_values() -> None:
    [found] = tally_of(
        an_enriched(score_drift=0.5, citation_precision=1.0, citation_recall=0.5),
        an_enriched(score_drift=-0.25, citation_precision=0.5, tags=("CITATION_MISMATCH",)),
        an_enriched(score_drift=None, tags=()),
    ).generators()
    assert (found.drift.value, found.drift.count) == (0.125, 2)
    assert (found.precision.value, found.recall.value) == (0.75, 0.5)
    assert (found.drifting, found.miscited, found.compared) == (1, 1, 2)


def test_engines_with_the_most_to_compare_come_first() -> None:
    tally = tally_of(
        an_enriched(engine="a"),
        an_enriched(engine="b"),
        an_enriched(engine="b"),
        an_enriched(engine="c", score_drift=None),
        an_enriched(engine=None, score_drift=None, citation_recall=0.0),
    )
    assert [found.engine for found in tally.generators()] == ["b", None, "a"]


def test_further_engines_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally_module, "_MAX_ENGINES", 2)
    tally = tally_of(*(an_enriched(engine=name) for name in "abcab"))
    counts = {found.engine: found.drift.count for found in tally.generators()}
    assert counts == {"a": 2, "b": 2, OTHERS: 1}


def test_the_mean_of_an_empty_sequence_is_unknown() -> None:
    mean = Mean()
    mean.add(None)
    assert mean.value is None
    assert GeneratorComparison("a").compared == 0


@pytest.mark.parametrize("numbers", [[0.0], [0.5, 1.0, -0.75]])
def test_a_mean_is_the_sum_by_the_count(numbers: list[float]) -> None:
    mean = Mean()
    for number in numbers:
        mean.add(number)
    assert mean.value == sum(numbers) / len(numbers)
