"""Counts by engine, session and document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.evaluate.shares import (
    difference_interval,
    share_interval,
    wilson_lower_bound,
)
from groundwatch.launch.results.report.counts import groups as groups_module
from groundwatch.launch.results.report.counts import tally as tally_module
from groundwatch.launch.results.report.counts.groups import GeneratorComparison, Group, Groups, Mean
from groundwatch.launch.results.report.counts.tally import OTHERS, Tally
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.builders import an_enriched
from tests.support.reports import row_of

LOW, GROUNDED = Verdict.LOW_GROUNDED, Verdict.GROUNDED


def groups_of(*added: tuple[str | None, Verdict]) -> Groups:
    groups = Groups()
    for key, verdict in added:
        groups.add(key, verdict)
    return groups


def test_only_grounded_and_low_grounded_count_as_assessed() -> None:
    groups = groups_of(*(("shop", verdict) for verdict in Verdict))
    assert groups.ranked(1) == [
        Group("shop", answers=len(Verdict), assessed=2, low_grounded=1, policy_skipped=1)
    ]


def test_the_share_is_of_assessed_answers() -> None:
    [group] = groups_of(("a", LOW), ("a", GROUNDED), ("a", Verdict.UNSCORABLE)).ranked(1)
    assert group.low_share == 0.5


def test_a_group_without_an_assessed_answer_has_no_share() -> None:
    [group] = groups_of(("a", Verdict.INCOMPLETE)).ranked(1)
    assert group.low_share is None


def test_many_low_answers_outrank_a_single_one() -> None:
    groups = groups_of(("one", LOW), *[("many", LOW)] * 9, ("many", GROUNDED))
    assert [group.key for group in groups.ranked(2)] == ["many", "one"]


def test_answers_without_a_key_are_a_group() -> None:
    assert groups_of((None, LOW)).ranked(1)[0].key is None


def test_the_first_title_is_kept() -> None:
    groups = Groups()
    groups.add("a", LOW, "Lamps")
    groups.add("a", LOW, "Kettles")
    assert groups.ranked(1)[0].title == "Lamps"


def test_the_number_of_keys_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "_MAX_KEYS", 10)
    groups = groups_of(*((str(number), GROUNDED) for number in range(1_000)))
    assert len(groups) <= 10
    assert groups.dropped >= 990


def test_keys_with_low_grounded_answers_are_not_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "_MAX_KEYS", 10)
    good = ((str(number), GROUNDED) for number in range(1_000))
    groups = groups_of(*[("bad", LOW)] * 3, *good)
    [first] = groups.ranked(1)
    assert (first.key, first.low_grounded) == ("bad", 3)


@pytest.mark.parametrize("max_keys", [2, 3, 50])
def test_counts_are_never_too_high(max_keys: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "_MAX_KEYS", max_keys)
    groups = groups_of(*((str(number % 7), LOW) for number in range(70)))
    assert all(group.answers <= 10 for group in groups.ranked(50))


@pytest.mark.parametrize(
    ("hits", "of", "least"),
    [(0, 0, 0.0), (0, 9, 0.0), (1, 1, 0.055), (6, 10, 0.274), (90, 100, 0.820), (81, 263, 0.2535)],
)
def test_the_lower_end_of_the_interval(hits: int, of: int, least: float) -> None:
    # 81 of 263 is Newcombe's own example; his table says 0.2535.
    assert wilson_lower_bound(hits, of) == pytest.approx(least, abs=5e-4)


def test_the_difference_of_independent_shares() -> None:
    # Newcombe's example (a), by his method 11: 56 of 70 and 48 of 80.
    first, second = share_interval(48, 80), share_interval(56, 70)
    assert first is not None
    assert second is not None
    found = difference_interval(first, second)
    assert found == pytest.approx((0.2, 0.0428, 0.3422), abs=5e-4)


@given(st.integers(1, 500), st.data())
def test_an_interval_holds_its_share(total: int, data: st.DataObject) -> None:
    found = share_interval(data.draw(st.integers(0, total)), total)
    assert found is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert share_interval(0, 0) is None


def test_ninety_of_a_hundred_outrank_one_of_one() -> None:
    assert wilson_lower_bound(90, 100) > wilson_lower_bound(1, 1)


@given(st.integers(1, 10_000), st.data())
def test_the_lower_bound_is_between_zero_and_the_share(of: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, of))
    assert 0.0 <= wilson_lower_bound(hits, of) <= hits / of


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
