"""Rows to a target: each is sent, refused or skipped, and one bad row keeps no other back."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.launch.targets.target import TargetUnavailable, deliver
from tests.support.results import ATarget, a_result


@given(st.lists(st.sampled_from(["good", "bad", "traceless"]), max_size=40))
def test_each_row_is_sent_refused_or_skipped(kinds: list[str]) -> None:
    rows = [
        a_result(record_id=f"{kind}{number}", trace_id=None if kind == "traceless" else "t1")
        for number, kind in enumerate(kinds)
    ]
    target = ATarget({row.record_id for row in rows if row.record_id.startswith("bad")})
    assert deliver(target, rows) == Delivered(
        sent=kinds.count("good"), refused=kinds.count("bad"), skipped=kinds.count("traceless")
    )
    assert target.sent == [row.record_id for row in rows if row.record_id.startswith("good")]


def test_a_refused_record_is_named_with_the_reason(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    deliver(ATarget({"r2"}), [a_result(record_id=f"r{number}") for number in range(9)])
    assert caplog.messages == ["tool refuses the record r2: HTTP 400"]


def test_a_target_that_refuses_all_does_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    rows = [a_result(record_id=f"r{number}") for number in range(100)]
    deliver(ATarget({row.record_id for row in rows}), rows)
    assert len(caplog.messages) == 6
    assert caplog.messages[-1] == "tool refuses 95 more records"


def test_an_outage_is_the_callers_affair() -> None:
    target = ATarget()
    target.error = TargetUnavailable("away")
    with pytest.raises(TargetUnavailable):
        deliver(target, [a_result()])


@given(st.lists(st.sampled_from(["good", "bad", "traceless"]), min_size=1), st.integers(0, 20))
def test_an_outage_while_a_request_is_divided_sends_nothing_twice(
    kinds: list[str], calls: int
) -> None:
    rows = [
        a_result(record_id=f"{kind}{number}", trace_id=None if kind == "traceless" else "t1")
        for number, kind in enumerate(kinds)
    ]
    target = ATarget({row.record_id for row in rows if row.record_id.startswith("bad")})
    target.calls_until_away = calls
    done, delivered = 0, Delivered()
    try:
        delivered, done = deliver(target, rows), len(rows)
    except TargetUnavailable as error:
        delivered, done = error.delivered, error.stored
    assert delivered == Delivered(
        sent=sum(kind == "good" for kind in kinds[:done]),
        refused=sum(kind == "bad" for kind in kinds[:done]),
        skipped=sum(kind == "traceless" for kind in kinds[:done]),
    )
    assert target.sent == [it.record_id for it in rows[:done] if it.record_id.startswith("good")]
    target.calls_until_away = None
    assert delivered + deliver(target, rows[done:]) == Delivered(
        kinds.count("good"), kinds.count("bad"), kinds.count("traceless")
    )
