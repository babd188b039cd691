"""Counts by key, in bounded memory."""

import pytest

from launch.report.counting.groups import Group, Groups
from schemas.verdict import Verdict

LOW, GROUNDED = Verdict.LOW_GROUNDED, Verdict.GROUNDED


def groups_of(*added: tuple[str | None, Verdict], most_keys: int = 100) -> Groups:
    groups = Groups(most_keys)
    for key, verdict in added:
        groups.add(key, verdict)
    return groups


def test_only_grounded_and_low_grounded_count_as_judged() -> None:
    groups = groups_of(*(("shop", verdict) for verdict in Verdict))
    assert groups.worst(1) == [
        Group("shop", answers=len(Verdict), judged=2, low_grounded=1, policy_skipped=1)
    ]


def test_the_share_is_of_those_judged() -> None:
    [group] = groups_of(("a", LOW), ("a", GROUNDED), ("a", Verdict.UNSCORABLE)).worst(1)
    assert group.low_share == 0.5


def test_a_group_without_a_judged_answer_has_no_share() -> None:
    [group] = groups_of(("a", Verdict.INCOMPLETE)).worst(1)
    assert group.low_share is None


def test_many_bad_answers_of_many_stand_above_the_only_one() -> None:
    groups = groups_of(("one", LOW), *[("many", LOW)] * 9, ("many", GROUNDED))
    assert [group.key for group in groups.worst(2)] == ["many", "one"]


def test_answers_without_a_key_are_a_group() -> None:
    assert groups_of((None, LOW)).worst(1)[0].key is None


def test_the_first_title_is_kept() -> None:
    groups = Groups()
    groups.add("a", LOW, "Lamps")
    groups.add("a", LOW, "Kettles")
    assert groups.worst(1)[0].title == "Lamps"


def test_no_more_keys_are_remembered_than_allowed() -> None:
    groups = groups_of(*((str(number), GROUNDED) for number in range(1_000)), most_keys=10)
    assert len(groups) <= 10
    assert groups.forgotten >= 990


def test_what_is_bad_is_not_forgotten() -> None:
    good = ((str(number), GROUNDED) for number in range(1_000))
    groups = groups_of(*[("bad", LOW)] * 3, *good, most_keys=10)
    [worst] = groups.worst(1)
    assert (worst.key, worst.low_grounded) == ("bad", 3)


@pytest.mark.parametrize("most_keys", [2, 3, 50])
def test_counts_are_never_too_high(most_keys: int) -> None:
    groups = groups_of(*((str(number % 7), LOW) for number in range(70)), most_keys=most_keys)
    assert all(group.answers <= 10 for group in groups.worst(50))
