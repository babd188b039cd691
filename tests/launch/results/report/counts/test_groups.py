"""Counts by engine, session and document."""

import pytest

from groundwatch.launch.results.report.counts import groups as groups_module
from groundwatch.launch.results.report.counts.groups import Group, Groups
from groundwatch.schemas.verdict import Verdict

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
