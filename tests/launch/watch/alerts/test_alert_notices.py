"""Alerts in words: titles, details, and the summary of many."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from groundwatch.launch.watch.alerts.alert_notices import (
    clean,
    describe_alert,
    describe_group,
    is_closed,
)
from groundwatch.schemas.alert import (
    Alert,
    AlertKind,
    NoDataIncident,
    OutageCause,
    RateIncident,
    Severity,
    WorstClaim,
)
from tests.support.builders import NOON_US, an_outage


def an_alert(**fields: Any) -> Alert:
    defaults: dict[str, Any] = {
        "kind": AlertKind.ANSWER,
        "severity": Severity.WARNING,
        "verdict": "LOW_GROUNDED",
        "engine": "shop",
        "record_id": "a" * 64,
    }
    return Alert(**(defaults | fields))


def a_rate(state: str = "open", **fields: Any) -> Alert:
    rate = RateIncident(
        signal="low_grounded",
        state=state,
        share=0.45,
        burn_rate=4.5,
        answers=1_200,
        opened_at_us=NOON_US,
    )
    given = {"severity": Severity.CRITICAL, "engine": "shop"} | fields
    return Alert(kind=AlertKind.RATE, rate=rate, event_time_us=NOON_US, **given)


def a_silence(state: str = "open", engine: str | None = None) -> Alert:
    incident = NoDataIncident(
        state=state, answers_before=40, last_answer_at_us=NOON_US, opened_at_us=NOON_US
    )
    return Alert(
        kind=AlertKind.NO_DATA, engine=engine, severity=Severity.CRITICAL, no_data=incident
    )


def an_outage_alert(**fields: Any) -> Alert:
    incident = an_outage(**{"checker": "http://h:1", "cause": OutageCause.AWAY} | fields)
    return Alert(kind=AlertKind.CHECKER, severity=Severity.CRITICAL, checker=incident)


def test_a_share_that_is_estimated_says_so() -> None:
    alert = a_rate()
    assert alert.rate
    estimated = replace(alert, rate=replace(alert.rate, audited=7))
    assert "accepted rate, since" in describe_alert(alert).details
    assert (
        "accepted rate, estimated from 7 audited ones, since" in describe_alert(estimated).details
    )


def test_several_revisions_of_the_checker_are_named() -> None:
    alert = a_rate()
    assert alert.rate
    rate = replace(alert.rate, revisions=("judge m-1", "judge m-2"))
    details = describe_alert(replace(alert, rate=rate)).details
    assert details.endswith("; checked by several revisions: judge m-1, judge m-2")


def test_an_answer_is_described_by_verdict_engine_scores_and_claim() -> None:
    claim = WorstClaim(start=0, end=9, score=0.05, text="It floats.")
    alert = an_alert(support_score=0.123, worst_claim=claim, tags=("SCORE_DRIFT",))
    notice = describe_alert(alert)
    assert notice.title == "LOW_GROUNDED, shop"
    assert notice.details == "support score 0.12, worst claim 0.05, SCORE_DRIFT"
    assert (notice.quote, notice.record_id) == ("It floats.", "a" * 64)


@pytest.mark.parametrize(
    ("alert", "title", "details"),
    [
        (a_rate(), "Open: low_grounded rate of shop", "45.0% of 1,200 answers, 4.5 times"),
        (a_rate("closed"), "Closed: low_grounded rate of shop", "since 2026"),
        (a_rate(engine=None), "Open: low_grounded rate of the whole subscription", ""),
        (a_silence(), "Open: no answers from the whole subscription", "40 answers in the hour"),
        (a_silence("closed", "shop"), "Closed: no answers from shop", "last answer at 2026"),
        (
            an_outage_alert(waiting=1_200),
            "Open: the checker http://h:1 is away",
            "no call has succeeded since 2026-03-03T12:00:00.000000Z; 1,200 messages wait",
        ),
        (
            an_outage_alert(cause=OutageCause.QUOTA),
            "Open: the checker http://h:1 refuses for the quota",
            "",
        ),
        (
            an_outage_alert(cause=OutageCause.CREDENTIALS),
            "Open: the checker http://h:1 refuses the credentials",
            "",
        ),
        (
            an_outage_alert(state="closed"),
            "Closed: the checker http://h:1 replies again",
            "had succeeded",
        ),
        (
            an_outage_alert(state="closed_unknown"),
            "Closed: the checker http://h:1 is not used any more",
            "had succeeded",
        ),
        (
            Alert(kind=AlertKind.LEDGER, severity=Severity.CRITICAL),
            "The counts do not add up",
            "groundwatch verify",
        ),
    ],
)
def test_an_incident_is_described_by_its_state(alert: Alert, title: str, details: str) -> None:
    notice = describe_alert(alert)
    assert notice.title == title
    assert details in notice.details


@pytest.mark.parametrize(
    ("alert", "closed"),
    [
        (a_rate(), False),
        (a_rate("closed"), True),
        (a_rate("closed_unknown"), True),
        (a_silence("closed"), True),
        (an_outage_alert(waiting=1_200), False),
        (an_outage_alert(state="closed"), True),
        (an_alert(), False),
    ],
)
def test_the_alert_that_closes_an_incident_is_known(alert: Alert, closed: bool) -> None:
    assert is_closed(alert) == closed


def test_a_group_shows_the_worst_and_counts_the_others_by_verdict_and_engine() -> None:
    alerts = [
        *(an_alert(support_score=0.5) for _ in range(30)),
        *(an_alert(engine="help", verdict="POLICY_SKIPPED") for _ in range(8)),
        *(an_alert(severity=Severity.CRITICAL, support_score=n / 10) for n in (2, 1, 0)),
    ]
    group = describe_group(alerts)
    assert group.title == "41 alerts: LOW_GROUNDED 33, POLICY_SKIPPED 8"
    assert [notice.details for notice in group.notices] == [
        "support score 0.00",
        "support score 0.10",
        "support score 0.20",
        "support score 0.50",
        "support score 0.50",
    ]
    assert group.others == "and 36 more: LOW_GROUNDED 28 (shop 28), POLICY_SKIPPED 8 (help 8)"


def test_a_group_of_one_says_nothing_of_others() -> None:
    group = describe_group([an_alert()])
    assert (group.title, group.others) == ("1 alert: LOW_GROUNDED 1", None)


def test_many_engines_are_counted_together() -> None:
    others = describe_group([an_alert(engine=f"e{n}") for n in range(30)]).others
    assert others is not None
    assert others.endswith("20 further engines)")


@given(st.text(), st.integers(1, 99))
def test_an_untrusted_text_becomes_one_short_line(text: str, most: int) -> None:
    line = clean(text, most)
    assert len(line) <= most
    assert line.isprintable()


def test_a_long_address_is_left_out() -> None:
    assert describe_alert(an_alert(record_url="https://v.example/" + "a" * 2_000)).url is None
