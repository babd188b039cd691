"""When a failing checker opens an incident, and when the incident closes."""

import pytest
from msgspec.structs import replace

from groundwatch.schemas.alert import CheckerIncident, OutageCause, Severity
from groundwatch.transforms.rules.checker_outages import CheckerStatus, OutageRule, detect_outages
from tests.support.builders import NOON_US, an_outage

RULE = OutageRule()
SINCE_US = NOON_US - RULE.after_us
UNKNOWN = CheckerStatus(checker="discoveryengine")
WORKS = replace(UNKNOWN, has_succeeded=True)
FAILS = replace(UNKNOWN, failing_since_us=SINCE_US, cause=OutageCause.QUOTA)
OPEN = an_outage(first_failed_at_us=SINCE_US)


@pytest.mark.parametrize(
    ("before", "statuses", "raised", "after"),
    [
        pytest.param([], [UNKNOWN], [], 0, id="nothing is known"),
        pytest.param([], [WORKS], [], 0, id="it works"),
        pytest.param([], [FAILS], ["open"], 1, id="it has failed for long"),
        pytest.param(
            [], [replace(FAILS, failing_since_us=SINCE_US + 1)], [], 0, id="not for long enough"
        ),
        pytest.param(
            [],
            [replace(FAILS, failing_since_us=NOON_US, is_refused=True)],
            ["open"],
            1,
            id="a refusal of all ends the worker: nobody looks again",
        ),
        pytest.param([OPEN], [FAILS], [], 1, id="it goes on failing"),
        pytest.param([OPEN], [UNKNOWN], [], 1, id="after a restart nothing is known"),
        pytest.param(
            [OPEN],
            [replace(FAILS, failing_since_us=NOON_US)],
            [],
            1,
            id="after a restart it fails, too",
        ),
        pytest.param([OPEN], [WORKS], ["closed"], 0, id="it replies again"),
        pytest.param([OPEN], [], ["closed_unknown"], 0, id="words alone are used now"),
        pytest.param(
            [OPEN], [replace(WORKS, checker="x")], ["closed_unknown"], 0, id="another one is used"
        ),
        pytest.param(
            [OPEN], [WORKS, replace(FAILS, checker="x")], ["closed", "open"], 1, id="one of two"
        ),
        pytest.param(
            [], [replace(FAILS, failing_since_us=NOON_US + 9)], [], 0, id="the clock was set back"
        ),
    ],
)
def test_one_alert_opens_an_incident_and_one_closes_it(
    before: list[CheckerIncident], statuses: list[CheckerStatus], raised: list[str], after: int
) -> None:
    alerts, incidents = detect_outages(before, statuses, RULE, waiting=7, now_us=NOON_US)
    assert [alert.checker and alert.checker.state for alert in alerts] == raised
    assert len(incidents) == after
    assert detect_outages(incidents, statuses, RULE, waiting=7, now_us=NOON_US)[0] == []


def test_an_outage_that_holds_up_nothing_opens_no_incident() -> None:
    assert detect_outages([], [FAILS], RULE, waiting=0, now_us=NOON_US) == ([], ())


def test_an_alert_says_which_checker_why_since_when_and_how_many_wait() -> None:
    [opened], [incident] = detect_outages([], [FAILS], RULE, waiting=3, now_us=NOON_US)
    assert (opened.severity, opened.checker) == (Severity.CRITICAL, OPEN)
    [closed], _ = detect_outages([incident], [WORKS], RULE, waiting=0, now_us=NOON_US + 5)
    assert (closed.severity, closed.event_time_us) == (Severity.INFO, NOON_US + 5)
    assert closed.checker == replace(OPEN, state="closed", waiting=0)
