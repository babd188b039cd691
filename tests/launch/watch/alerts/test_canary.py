"""CanaryBaseline answers, checked again and again."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from launch.watch.alerts.canary import Canary, CanaryBaseline, CanaryResult, compare_canaries
from launch.watch.durable.journal import Journal
from pipeline.settings.config import Config
from schemas.alert import Alert, Severity
from schemas.message import ParseOptions
from schemas.verdict import Verdict
from tests.support import wire_faults
from tests.support.archives import an_envelope
from tests.support.builders import NOON_US
from tests.support.fault_server import FaultServer, always
from tests.support.runs import an_archive
from tests.support.watched import Watched
from tests.support.wire_faults import Fault
from transforms.rules.sampling import SamplingRule
from transforms.rules.tagging import Thresholds

HOUR_US = 3600 * 1_000_000
FIRST = {
    f"{number:02}": CanaryResult(verdict="GROUNDED", support_score=0.9) for number in range(40)
}
KNOWN = CanaryBaseline(fingerprint="", results=FIRST)


def with_changes(changed: int, result: CanaryResult) -> dict[str, CanaryResult]:
    return FIRST | dict.fromkeys(list(FIRST)[:changed], result)


LOW = CanaryResult(verdict="LOW_GROUNDED", support_score=0.9)
LOWER = CanaryResult(verdict="GROUNDED", support_score=0.5)
NEAR = CanaryResult(verdict="GROUNDED", support_score=0.8)
NONE = CanaryResult(verdict="GROUNDED", support_score=None)


@pytest.mark.parametrize(
    ("changed", "result", "opens"),
    [(2, LOW, False), (3, LOW, True), (3, LOWER, True), (40, NEAR, False), (3, NONE, True)],
    ids=["five in a hundred", "more", "by score", "within the drift", "no score any more"],
)
def test_an_alert_opens_when_more_than_five_in_a_hundred_have_changed(
    changed: int, result: CanaryResult, *, opens: bool
) -> None:
    alerts, known = compare_canaries(KNOWN, with_changes(changed, result), 0.2, NOON_US)
    assert [alert.rate.state for alert in alerts if alert.rate] == ["open"] * opens
    assert known.opened_at_us == (NOON_US if opens else None)


def test_it_stays_open_in_silence_and_closes_once() -> None:
    burning = replace(KNOWN, opened_at_us=NOON_US)
    assert compare_canaries(burning, with_changes(9, LOW), 0.2, NOON_US + 1) == ([], burning)
    [alert], known = compare_canaries(burning, FIRST, 0.2, NOON_US + HOUR_US)
    assert (alert.severity, known) == (Severity.INFO, KNOWN)
    assert alert.rate
    assert (alert.rate.state, alert.rate.opened_at_us) == ("closed", NOON_US)


def test_other_answers_than_then_are_not_compared() -> None:
    assert compare_canaries(KNOWN, {"new": LOW}, 0.2, NOON_US) == ([], KNOWN)


def raised(journal: Journal) -> list[Alert]:
    rows = journal.outbox.rows(Alert, 100)
    journal.delete_from_outbox(identity for identity, _ in rows)
    return [alert for _, alert in rows]


def test_a_changed_checker_raises_an_alert_outside_the_ledger(
    tmp_path: Path, watched: Watched
) -> None:
    canaries = an_archive(tmp_path, *map(an_envelope, range(4)))
    with FaultServer(third_time_otherwise) as server:
        config = watched.config(checker=server.address, endpoint=server.address)
        with watched.worker(config, canary=str(canaries)) as worker:
            canary, journal = worker.canary, worker.journal
            assert isinstance(canary, Canary)
            stands = []
            for hour in range(4):
                canary.check(NOON_US + hour * HOUR_US)
                canary.check(NOON_US + hour * HOUR_US + 1)
                stands.append(canary.is_open)
            assert stands == [False, False, True, False]
            assert server.requests == 16
            assert journal.ledger() == []
            states = [alert.rate.state for alert in raised(journal) if alert.rate]
    assert states == ["open", "closed"]


def third_time_otherwise(number: int) -> Fault:
    """Answer as ever, but for the third round of four calls."""
    return wire_faults.body(b'{"supportScore": 0.01}') if 8 <= number < 12 else wire_faults.good


def test_a_checker_that_is_away_is_asked_again_soon(tmp_path: Path, watched: Watched) -> None:
    canaries = an_archive(tmp_path, an_envelope(1))
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        config = watched.config(checker=server.address, endpoint=server.address)
        with watched.worker(config, canary=str(canaries)) as worker:
            canary, journal = worker.canary, worker.journal
            assert isinstance(canary, Canary)
            for minute in range(2):
                canary.check(NOON_US + minute * HOUR_US // 60)
            assert server.requests >= 2
            assert raised(journal) == []
            assert journal.note("canary baseline", CanaryBaseline) is None


def test_a_clock_that_was_set_back_puts_no_check_off(tmp_path: Path, watched: Watched) -> None:
    canaries = an_archive(tmp_path, an_envelope(1))
    with FaultServer(always(wire_faults.good)) as server:
        config = watched.config(checker=server.address, endpoint=server.address)
        with watched.worker(config, canary=str(canaries)) as worker:
            assert worker.canary
            for now_us in (NOON_US, NOON_US - 24 * HOUR_US, NOON_US - 24 * HOUR_US + 1):
                worker.canary.check(now_us)
        assert server.requests == 2


def test_an_alert_that_stands_still_stands_for_the_next_worker(
    tmp_path: Path, watched: Watched
) -> None:
    with closing(Journal(f"{watched.work_folder}/journal.sqlite")) as journal:
        journal.raise_alerts([], {"canary baseline": replace(KNOWN, opened_at_us=NOON_US)})
    canaries = an_archive(tmp_path, an_envelope(1))
    with watched.worker(canary=str(canaries)) as worker:
        assert worker.canary
        assert worker.canary.is_open


def test_all_canaries_are_checked_whatever_share_of_the_traffic_is(
    tmp_path: Path, watched: Watched
) -> None:
    canaries = an_archive(tmp_path, *map(an_envelope, range(4)))
    config = replace(watched.config(), sampling=SamplingRule(rate=0.01))
    assert len(baseline_at(watched, config, canaries, NOON_US).results) == 4


def baseline_at(watched: Watched, config: Config, canaries: Path, now_us: int) -> CanaryBaseline:
    with watched.worker(config, canary=str(canaries)) as worker:
        assert isinstance(worker.canary, Canary)
        worker.canary.check(now_us)
        known = worker.journal.note("canary baseline", CanaryBaseline)
    assert known
    return known


@pytest.mark.parametrize(
    "settings",
    [
        {"moved_reasons": {"ABOVE_THRESHOLDS": Verdict.LOW_GROUNDED}},
        {"thresholds": Thresholds(low_grounded=1.0)},
        {"parsing": ParseOptions(facts_from_steps=True)},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_other_settings_take_a_new_baseline_and_close_an_open_incident(
    tmp_path: Path, watched: Watched, settings: dict[str, Any]
) -> None:
    canaries = an_archive(tmp_path, *map(an_envelope, range(4)))
    first = baseline_at(watched, watched.config(), canaries, NOON_US)
    with closing(Journal(f"{watched.work_folder}/journal.sqlite")) as journal:
        journal.raise_alerts([], {"canary baseline": replace(first, opened_at_us=NOON_US)})
    changed = replace(watched.config(), **settings)
    second = baseline_at(watched, changed, canaries, NOON_US + HOUR_US)
    assert second.opened_at_us is None
    assert second.fingerprint != first.fingerprint
    with closing(Journal(f"{watched.work_folder}/journal.sqlite")) as journal:
        assert [alert.rate.state for alert in raised(journal) if alert.rate] == ["closed"]
