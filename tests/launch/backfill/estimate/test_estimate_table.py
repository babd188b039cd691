"""An estimate on a terminal."""

from typing import Any

import pytest

from groundwatch.launch.backfill.estimate.estimate_backfill import show_estimate
from tests.support.builders import an_estimate

SHOWN: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "all of it": (
        {},
        [
            "10 messages, no call made failures 1 that cannot be read duplicates 1",
            "decided without a call 2 2 UNSCORABLE to be checked 6",
            "calls 7 of 8: identical ones are paid once",
            "characters 7,000",
            "cost 0.70 at 0.1 for 1,000 characters",
            "minutes 0.2 at 30 requests a minute",
            "minutes without quota 0.1 500 ms a call (assumed), 128 in flight",
        ],
        ["sampled out"],
    ),
    "no price": ({"cost": None, "price_per_1k_chars": None}, ["characters 7,000"], ["cost"]),
    "nothing identical": ({"planned_calls": 7}, ["calls 7"], ["identical"]),
    "no quota": ({"minutes_at_quota": None}, ["minutes without"], ["requests a minute"]),
    "a sample of answers": ({"sampled_out": 3}, ["sampled out 3"], []),
    "no time at all": ({"minutes_without_quota": 0.001}, ["without quota under 0.1"], []),
    "a long time": ({"minutes_without_quota": 1234.5}, ["without quota 1,234 500 ms"], []),
    "two checkers": (
        {"checkers": "local, then http://judge", "escalated": 3, "audited": 1, "screen_calls": 6},
        [
            "10 messages, no paid call made",
            "to be checked 6 local, then http://judge",
            "failures 1 that cannot be read, or checked by the first checker",
            "by the second checker 4 3 escalated, 1 audited",
            "calls of the first 6 which are not paid",
            "calls of the second 7 of 8: identical ones are paid once",
        ],
        ["no call made"],
    ),
    "one message": ({"read": 1}, ["1 message, no call made"], []),
    "several processes": ({"workers": 2}, ["256 in flight"], []),
}


@pytest.mark.parametrize(("fields", "there", "not_there"), SHOWN.values(), ids=SHOWN)
def test_an_estimate_is_printed_as_a_table(
    fields: dict[str, Any],
    there: list[str],
    not_there: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    show_estimate(an_estimate(**fields))
    printed = " ".join(capsys.readouterr().out.split())
    assert [text for text in there if text not in printed] == []
    assert [text for text in not_there if text in printed] == []
