"""Whether the worker is well."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from launch.pubsub.subscription import Standing
from launch.watch.health import Health, HealthRule, Vitals, ailments_of, disk_problem
from launch.watch.heartbeat import Heartbeat
from tests.support.clocks import ManualClock
from tests.support.standings import a_standing

RULE = HealthRule(stalled_after_s=300.0)


def vitals(**members: Any) -> Vitals:
    well = {"since_round_s": 1.0, "since_progress_s": 1.0, "held": 10, "pubsub_answers": True}
    return Vitals(**well | members)


AILMENTS = {
    "well": ({}, []),
    "just not too long": ({"since_round_s": 300.0, "since_progress_s": 300.0}, []),
    "stuck": (
        {"since_round_s": 312.4},
        [("not_pulling", "no message was asked for since 312 s")],
    ),
    "nothing gets done": (
        {"since_progress_s": 301.0},
        [("no_progress", "10 messages are held, and none came to its end since 301 s")],
    ),
    "nothing to do": ({"since_progress_s": 301.0, "held": 0}, []),
    "no disk": (
        {"disk_problem": "work cannot be written: No space left on device"},
        [("disk_not_writable", "work cannot be written: No space left on device")],
    ),
    "no Pub/Sub": (
        {"pubsub_answers": False},
        [("pubsub_does_not_answer", "Pub/Sub does not answer; it is tried again")],
    ),
}


@pytest.mark.parametrize(("members", "expected"), AILMENTS.values(), ids=AILMENTS)
def test_each_ailment_has_a_name_and_a_sentence(
    members: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    found = [(ailment.reason, ailment.message) for ailment in ailments_of(vitals(**members), RULE)]
    assert found == expected


def test_several_ailments_are_all_told() -> None:
    ill = vitals(since_round_s=999, since_progress_s=999, pubsub_answers=False, disk_problem="full")
    assert [ailment.reason for ailment in ailments_of(ill, RULE)] == [
        "not_pulling",
        "no_progress",
        "disk_not_writable",
        "pubsub_does_not_answer",
    ]


class Worker:
    """A worker as its health sees it, with a clock to be set."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock()
        self.heartbeat = Heartbeat(self.clock)
        self.standing = a_standing()
        self.asked = 0
        self.health = Health(self.heartbeat, self._ask, [str(folder)], RULE, self.clock)

    def _ask(self) -> Standing:
        self.asked += 1
        return self.standing

    def ailments(self) -> list[str]:
        self.clock.advance(1.0)
        return [ailment.reason for ailment in self.health.ailments()]


def test_a_worker_without_messages_is_well_while_it_goes_on_asking(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    for _ in range(10):
        worker.clock.advance(200)
        worker.heartbeat.came_round(waiting=0)
        assert worker.ailments() == []


def test_a_worker_that_asks_no_more_is_unwell_until_it_does_again(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.clock.advance(300)
    assert worker.ailments() == ["not_pulling"]
    worker.heartbeat.came_round(waiting=0)
    assert worker.ailments() == []


def test_a_worker_that_gets_nothing_done_is_unwell_until_it_does(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.standing = a_standing(in_work=3, waiting=4, settled=100)
    for _ in range(4):
        worker.clock.advance(100)
        worker.heartbeat.came_round(waiting=3)
    (ailment,) = worker.health.ailments()
    assert ailment.message.startswith("7 messages are held")
    worker.heartbeat.progressed()
    assert worker.ailments() == []


def test_messages_that_came_a_moment_ago_have_waited_for_a_moment(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.clock.advance(3_600)
    worker.heartbeat.came_round(waiting=0)
    worker.standing = a_standing(waiting=1)
    assert worker.ailments() == []


def test_however_many_ask_the_worker_is_looked_at_once_a_second(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    assert [worker.health.ailments() for _ in range(1_000)] == [()] * 1_000
    assert worker.asked == 1
    worker.clock.advance(1.0)
    worker.health.ailments()
    assert worker.asked == 2


def test_the_page_of_one_who_is_well_says_ok(tmp_path: Path) -> None:
    page = Worker(tmp_path).health.page()
    assert (page.status, page.body) == (200, b"ok\n")


def test_the_page_of_one_who_is_unwell_says_why(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.standing = a_standing(answers=False)
    page = worker.health.page()
    assert (page.status, page.content_type) == (503, "application/json")
    assert json.loads(page.body) == {
        "status": "unwell",
        "reasons": [
            {
                "reason": "pubsub_does_not_answer",
                "message": "Pub/Sub does not answer; it is tried again",
            }
        ],
    }


def test_a_folder_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    assert disk_problem(str(tmp_path)) is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_gone_cannot_be_written(tmp_path: Path) -> None:
    worker = Worker(tmp_path / "gone")
    assert worker.ailments() == ["disk_not_writable"]
    assert str(disk_problem(str(tmp_path / "gone"))).endswith(
        "gone cannot be written: No such file or directory"
    )


def test_a_disk_that_takes_no_more_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    problem = disk_problem(str(tmp_path))
    assert problem == f"{tmp_path} cannot be written: No space left on device"


@pytest.mark.parametrize("reason", [told[0] for _, found in AILMENTS.values() for told in found])
def test_every_ailment_is_explained(reason: str) -> None:
    page = Path(__file__).parents[3] / "docs" / "monitoring.md"
    assert f"| `{reason}` |" in page.read_text(encoding="utf-8")
