"""Alerts about rates and missing answers over the life of a worker, and over its restarts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwatch.launch.watch.alerts.monitor import Monitor
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.quantities import MINUTE_US
from groundwatch.transforms.rules.checker_outages import OutageRule
from groundwatch.transforms.rules.no_data import NoDataRule
from groundwatch.transforms.rules.rate_counts import BUCKET_US, RateCounts, bucket_start
from groundwatch.transforms.rules.rate_incidents import RateRule
from tests.support.builders import NOON_US
from tests.support.clocks import ManualClock
from tests.support.journals import commit_batch, open_journal

MINUTE_S = 60
HOUR_S = 3600

Raised = tuple[str, str | None, str]
"""The kind of an alert, its engine, and whether it opens or closes."""


class Watch:
    """A worker as its monitor sees it: batches come, time passes, it dies and is started again."""

    def __init__(self, path: Path) -> None:
        self.clock = ManualClock(NOON_US / 1e6 + 1)
        self.is_behind = False
        self._path = path
        self.start()

    def start(self) -> None:
        self.journal = open_journal(self._path)
        self.monitor = Monitor(self.journal, RateRule(), NoDataRule(), OutageRule(), self.now_us)
        self.monitor.record_backlog(self.now_us)

    @property
    def now_us(self) -> int:
        return round(self.clock() * 1e6)

    def restart(self) -> None:
        self.journal.close()
        self.start()

    def batch(
        self, answers: int, bad: int = 0, engine: str | None = "shop", age_s: int = 0
    ) -> None:
        """Answers come, some of them bad, given so long ago."""
        start_us = bucket_start(self.now_us - age_s * 1_000_000)
        counts = RateCounts(start_us=start_us, answers=answers, low_grounded=bad)
        number = self.journal.next_number()
        commit_batch(self.journal, number, rates=((engine, counts),))
        self.monitor.record_arrivals(answers, {engine: answers}, self.now_us)
        self.monitor.record_rates([(engine, counts)])

    def evaluate(self) -> list[Raised]:
        """What is raised now."""
        before = {identity for identity, _ in self.journal.outbox.rows(Alert, 1_000)}
        if self.is_behind:
            self.monitor.record_backlog(self.now_us)
        self.monitor.evaluate(self.now_us)
        raised = []
        for identity, alert in self.journal.outbox.rows(Alert, 1_000):
            episode = alert.rate or alert.no_data
            if identity not in before and episode:
                raised.append((alert.kind.value, alert.engine, episode.state))
        return raised

    def minutes(self, many: int, answers: int = 4, bad: int = 0) -> list[Raised]:
        """So many minutes go by, each five with answers, unless there are none."""
        raised = []
        for _ in range(0, many, 5):
            if answers:
                self.batch(answers, bad)
            raised += self.evaluate()
            raised += self.wait(5 * MINUTE_S)
        return raised

    def wait(self, seconds: int) -> list[Raised]:
        """Evaluate again and again, as a worker does, while time passes."""
        raised = []
        for _ in range(0, seconds, 20):
            self.clock.advance(20)
            raised += self.evaluate()
        return raised


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    watch = Watch(tmp_path)
    yield watch
    watch.journal.close()


OPENED, CLOSED = ("rate", "shop", "open"), ("rate", "shop", "closed")
CLOSED_UNKNOWN = ("rate", "shop", "closed_unknown")


def test_a_restarted_worker_raises_no_alert_twice(watch: Watch) -> None:
    raised = []
    for _ in range(6):
        raised += watch.minutes(5, answers=10, bad=9)
        watch.restart()
    assert raised == [OPENED]
    for _ in range(24):
        raised += watch.minutes(5, answers=10)
        watch.restart()
    assert raised == [OPENED, CLOSED]


def test_an_engine_and_the_subscription_fall_silent_and_come_back(watch: Watch) -> None:
    assert watch.minutes(60) == []
    assert watch.minutes(40, answers=0) == [("no_data", "shop", "open"), ("no_data", None, "open")]
    assert watch.monitor.open_incident_counts["no_data"] == 2
    watch.restart()
    assert watch.minutes(40, answers=0) == []
    back = [("no_data", "shop", "closed"), ("no_data", None, "closed")]
    assert watch.minutes(5) == back
    assert watch.monitor.open_incident_counts["no_data"] == 0


def test_answers_without_an_engine_count_for_the_subscription_alone(watch: Watch) -> None:
    for _ in range(12):
        watch.batch(4, engine=None)
        watch.clock.advance(5 * MINUTE_S)
    assert watch.minutes(40, answers=0) == [("no_data", None, "open")]


def test_nobody_is_silent_while_the_worker_is_behind_or_has_just_begun(watch: Watch) -> None:
    watch.minutes(60)
    watch.is_behind = True
    assert watch.minutes(60, answers=0) == []
    watch.is_behind = False
    watch.restart()
    assert watch.minutes(25, answers=0) == []
    assert len(watch.minutes(10, answers=0)) == 2


def test_a_backlog_is_evaluated_by_event_time(watch: Watch) -> None:
    watch.is_behind = True
    raised = []
    # Three hours, the first of them bad, come within three minutes.
    for age_min in range(180, 0, -5):
        watch.batch(10, bad=9 if age_min > 120 else 0, age_s=age_min * MINUTE_S)
        raised += watch.evaluate()
        watch.clock.advance(5)
    assert raised == [OPENED, CLOSED]
    (opened, closed) = (alert for _, alert in watch.journal.outbox.rows(Alert, 10))
    assert opened.event_time_us == NOON_US - 3 * HOUR_S * 1_000_000 + BUCKET_US
    assert closed.event_time_us is not None
    assert closed.event_time_us < NOON_US


def test_an_open_incident_is_evaluated_after_the_backlog(watch: Watch) -> None:
    watch.minutes(30, answers=10, bad=9)
    watch.clock.advance(7 * HOUR_S)
    watch.restart()
    assert watch.evaluate() == []
    watch.is_behind = True
    watch.batch(10, bad=9, age_s=6 * HOUR_S)
    watch.clock.advance(MINUTE_S)
    assert watch.evaluate() == []


def test_late_answers_do_not_repeat_an_alert(watch: Watch) -> None:
    assert watch.minutes(30, answers=10, bad=9) == [OPENED]
    assert watch.monitor.open_incident_counts["rate"] == 1
    assert watch.minutes(120, answers=10) == [CLOSED]
    assert watch.monitor.open_incident_counts["rate"] == 0
    watch.minutes(9 * 60, answers=0)
    watch.journal.outbox.delete(identity for identity, _ in watch.journal.outbox.rows(Alert, 1_000))
    for age_h in (9, 10, 11):
        watch.batch(1, age_s=age_h * HOUR_S)
        watch.clock.advance(MINUTE_S)
        assert "rate" not in [kind for kind, _, _ in watch.evaluate()]


def test_counts_from_before_a_crash_are_evaluated_after_it(watch: Watch) -> None:
    watch.is_behind = True
    for age_min in range(60, 0, -5):
        watch.batch(10, bad=9, age_s=age_min * MINUTE_S)
    watch.restart()
    assert watch.evaluate() == [OPENED]


def test_rates_are_evaluated_every_five_seconds_and_after_a_clock_was_set_back(
    watch: Watch,
) -> None:
    watch.clock.advance(MINUTE_S)
    watch.batch(10, bad=10)
    assert watch.evaluate() == [OPENED]
    watch.clock.advance(7 * HOUR_S)
    assert watch.evaluate() == [CLOSED_UNKNOWN]
    watch.batch(10, bad=10)
    watch.clock.advance(4.9)
    assert watch.evaluate() == []
    watch.clock.advance(0.1)
    assert watch.evaluate() == [OPENED]
    watch.clock.advance(-8 * HOUR_S)
    assert watch.evaluate() == [CLOSED_UNKNOWN]
    watch.batch(10, bad=10)
    watch.clock.advance(5)
    assert watch.evaluate() == [OPENED]


def test_what_could_not_be_written_is_concluded_again(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError

    watch.clock.advance(MINUTE_S)
    watch.batch(10, bad=10)
    with monkeypatch.context() as broken:
        broken.setattr(watch.journal, "raise_alerts", refuse)
        with pytest.raises(OSError):  # noqa: PT011 - it has no words
            watch.evaluate()
    watch.clock.advance(5)
    assert watch.evaluate() == [OPENED]


@pytest.mark.parametrize("minutes", [-90, 1, 5], ids=["set back", "stopped", "set ahead"])
def test_time_in_which_the_worker_did_not_run_is_no_silence(watch: Watch, minutes: int) -> None:
    """Whether the process was stopped or its clock was set."""
    watch.monitor = Monitor(
        watch.journal, RateRule(), NoDataRule(after_us=MINUTE_US), OutageRule(), watch.now_us
    )
    for _ in range(60):
        watch.batch(10)
        watch.clock.advance(MINUTE_S)
    watch.clock.advance(-MINUTE_S)
    assert watch.evaluate() == []
    watch.clock.advance(minutes * MINUTE_S + 10)
    assert watch.evaluate() == []
    assert watch.wait(20) == []
    watch.batch(10)
    assert {state for _, _, state in watch.wait(120)} == {"open"}


def test_counts_that_are_needed_no_more_are_forgotten(watch: Watch) -> None:
    for _ in range(5):
        watch.clock.advance(24 * HOUR_S)
        watch.batch(10)
    watch.clock.advance(5 * MINUTE_S)
    watch.evaluate()
    kept = [counts.start_us for counts in watch.journal.rates(0)["shop"]]
    assert kept == [NOON_US + day * 24 * HOUR_S * 1_000_000 for day in (4, 5)]
