"""Alerts in words: titles, details, and the summary of many."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from groundwatch.launch.watch.alerts.alert_notices import (
    TEST_SIGNAL,
    AlertPlace,
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


def a_ledger() -> Alert:
    return Alert(kind=AlertKind.LEDGER, severity=Severity.CRITICAL)


def test_several_revisions_of_the_checker_are_named() -> None:
    alert = a_rate()
    assert alert.rate
    rate = replace(alert.rate, revisions=("judge m-1", "judge m-2"))
    details = describe_alert(replace(alert, rate=rate)).details
    assert details.endswith("; checked by several revisions: judge m-1, judge m-2")


def test_an_answer_is_described_by_verdict_engine_scores_and_claim() -> None:
    claim = WorstClaim(start=0, end=9, score=0.05, text="It floats.")
    scores = {"support_score": 0.123, "worst_claim": claim}
    alert = an_alert(tags=("SCORE_DRIFT",), event_time_us=NOON_US, **scores)
    notice = describe_alert(alert)
    assert notice.title == "LOW_GROUNDED, shop"
    assert notice.details == (
        "warning, 2026-03-03 12:00 UTC, support score 0.12, worst claim 0.05, SCORE_DRIFT"
    )
    assert (notice.quote, notice.record_id) == ("It floats.", "a" * 64)


@pytest.mark.parametrize(
    ("alert", "title", "details"),
    [
        (a_rate(), "Open: low_grounded rate of shop", "45.0% of 1,200 answers, 4.5 times"),
        (a_rate("closed"), "Closed: low_grounded rate of shop", "since 2026"),
        (a_rate(engine=None), "Open: low_grounded rate of the whole subscription", ""),
        (
            a_silence(),
            "Open: no answers from the whole subscription",
            "40 answers in the hour before; look whether the chatbot publishes its answers",
        ),
        (a_silence("closed", "shop"), "Closed: no answers from shop", "last answer at 2026"),
        (
            an_outage_alert(waiting=1_200),
            "Open: the checker http://h:1 is away",
            (
                "no call has succeeded since 2026-03-03T12:00:00.000000Z; 1,200 messages wait: they"
                " are checked when it replies"
            ),
        ),
        (
            an_outage_alert(cause=OutageCause.QUOTA),
            "Open: the checker http://h:1 refuses for the quota",
            "raise the quota",
        ),
        (
            an_outage_alert(cause=OutageCause.CREDENTIALS),
            "Open: the checker http://h:1 refuses the credentials",
            "renew the credentials, and start the worker again",
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
        (a_ledger(), "The counts do not add up", "groundwatch verify"),
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


def test_a_group_shows_the_most_severe_and_counts_the_others_by_verdict_and_engine() -> None:
    shop = [an_alert(support_score=0.1) for _ in range(30)]
    of_help = [an_alert(engine="help", support_score=0.5) for _ in range(2)]
    skipped = [an_alert(engine="help", verdict="POLICY_SKIPPED") for _ in range(8)]
    critical = [an_alert(severity=Severity.CRITICAL, support_score=each) for each in (0.9, 0.8)]
    group = describe_group([*shop, *of_help, *skipped, *critical])
    assert group.title == "groundwatch: 42 alerts: LOW_GROUNDED 34, POLICY_SKIPPED 8"
    assert [notice.details for notice in group.notices] == [
        "critical, support score 0.80",
        "critical, support score 0.90",
        *["warning, support score 0.10"] * 3,
    ]
    assert group.others == (
        "and 37 more: LOW_GROUNDED 29 (shop 27, help 2), POLICY_SKIPPED 8 (help 8)"
    )


@pytest.mark.parametrize(
    ("alerts", "title"),
    [
        pytest.param([an_alert()], "LOW_GROUNDED", id="an answer"),
        pytest.param([a_rate()], "rate incident opened", id="an incident"),
        pytest.param([a_rate("closed")], "rate incident closed", id="its end"),
        pytest.param([a_ledger()], "ledger incident", id="a ledger"),
        pytest.param(
            [a_silence(), an_alert(), an_alert()], "3 alerts: LOW_GROUNDED 2, no_data", id="several"
        ),
    ],
)
def test_a_title_says_who_sends_it_and_what_it_is(alerts: list[Alert], title: str) -> None:
    group = describe_group(alerts)
    assert group.title.startswith(f"groundwatch: {title}")
    assert group.others is None


def test_a_test_is_called_a_test() -> None:
    alert = a_rate(engine=None)
    assert alert.rate
    tested = replace(alert, rate=replace(alert.rate, signal=TEST_SIGNAL))
    group = describe_group([tested], AlertPlace("/out"))
    assert group.title == "groundwatch: test incident opened"
    [notice] = group.notices
    assert (notice.title, notice.details) == ("Open: a test incident", "nothing is wrong")
    assert notice.command is None


def test_an_open_rate_and_alerts_that_are_not_shown_have_the_command_of_the_report() -> None:
    place = AlertPlace("/out", "/elsewhere")
    assert describe_alert(a_rate(), place).command == "groundwatch report /out"
    assert describe_alert(a_rate("closed"), place).command is None
    assert describe_group([an_alert()] * 6, place).command == "groundwatch report /out"
    assert describe_group([an_alert()] * 5, place).command is None


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
