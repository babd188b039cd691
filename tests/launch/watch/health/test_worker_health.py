"""When the worker is unhealthy, and why."""

import errno
import json
import os
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from types import SimpleNamespace
from typing import cast

import pytest

from groundwatch.launch.engine.pubsub.outstanding import SubscriptionStats
from groundwatch.launch.watch.file_publisher import FilePublisher
from groundwatch.launch.watch.health.worker_health import Health, disk_problem
from tests.support.clocks import ManualClock
from tests.support.repository import ROOT


class Worker:
    """A worker as its health sees it, with a clock to be set."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock()
        self.stats_now = SubscriptionStats()
        self.asked = 0
        self.error: Exception | None = None
        self.publisher = FilePublisher(self._publish, lambda: False, 300.0, self.clock)
        self.topic = SimpleNamespace(kind="alert", problem=None)
        self.health = Health(self._ask, str(folder), self.publisher, [self.topic], self.clock)

    def _publish(self, _: Callable[[], None], *, everything: bool) -> int:
        assert everything
        if self.error:
            raise self.error
        return 1

    def publish(self) -> None:
        self.clock.advance(300)
        self.health.record_pull(outstanding=0)
        with suppress(OSError):
            self.publisher.publish_due()
            wait([cast("Future[int]", self.publisher._running)])
            self.publisher.publish_due()

    def _ask(self) -> SubscriptionStats:
        self.asked += 1
        return self.stats_now

    def messages(self) -> dict[str, str]:
        """The reasons by name, each with its sentence."""
        self.clock.advance(1.0)
        return self.health.reasons()

    def reasons(self) -> list[str]:
        return list(self.messages())


def test_several_reasons_are_all_given(tmp_path: Path) -> None:
    worker = Worker(tmp_path / "gone")
    worker.health.record_pull(outstanding=10)
    worker.stats_now = SubscriptionStats(processing=10, is_available=False)
    worker.clock.advance(998)
    assert worker.messages() == {
        "not_pulling": "no pull for 999 s",
        "no_progress": "10 messages are outstanding, and none was finished for 999 s",
        "disk_not_writable": f"{tmp_path}/gone cannot be written: No such file or directory",
        "pubsub_does_not_answer": "Pub/Sub does not answer; it is retried",
    }


def test_a_worker_without_messages_is_healthy_while_it_pulls(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    for _ in range(10):
        worker.clock.advance(200)
        worker.health.record_pull(outstanding=0)
        assert worker.reasons() == []


def test_a_worker_that_does_not_pull_is_unhealthy_until_it_does(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.clock.advance(299)
    assert worker.reasons() == []
    assert worker.messages() == {"not_pulling": "no pull for 301 s"}
    worker.health.record_pull(outstanding=0)
    assert worker.reasons() == []


def test_a_worker_that_finishes_nothing_is_unhealthy_until_it_does(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.stats_now = SubscriptionStats(processing=3, waiting=4, settled=100)
    for _ in range(4):
        worker.clock.advance(100)
        worker.health.record_pull(outstanding=3)
    assert worker.messages() == {
        "no_progress": "7 messages are outstanding, and none was finished for 401 s"
    }
    worker.health.record_progress()
    assert worker.reasons() == []


def test_a_worker_that_cannot_publish_is_unhealthy_until_it_can(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.error = OSError("no space left on device")
    worker.publish()
    assert worker.reasons() == []
    worker.publish()
    assert worker.messages() == {
        "cannot_publish": "no file could be published for 302 s: no space left on device"
    }
    assert worker.publisher.failed == 2
    worker.error = None
    worker.publish()
    assert worker.reasons() == []


def test_a_worker_whose_output_does_not_answer_is_unhealthy_until_it_does(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    answers = Event()
    running: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def publish(placed: Callable[[], None], *, everything: bool) -> int:
        running.put(placed)
        assert answers.wait(60)
        return int(everything)

    worker.publisher = FilePublisher(publish, lambda: False, 300.0, worker.clock)
    worker.health = Health(
        worker._ask, str(tmp_path), worker.publisher, [worker.topic], worker.clock
    )
    worker.publisher.publish_due()
    placed = running.get(timeout=60)
    worker.clock.advance(59)
    placed()
    worker.clock.advance(59)
    assert worker.reasons() == []
    assert worker.messages() == {
        "cannot_publish": "a file has been written for 61 s, and the output does not answer"
    }
    answers.set()
    wait([cast("Future[int]", worker.publisher._running)])
    # Although the worker is busy, and does not look.
    assert worker.reasons() == []


def test_a_destination_that_refuses_is_named_until_it_does_not(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.topic.problem = "cannot publish to t: it does not exist"
    assert worker.messages() == {"cannot_deliver": "alert: cannot publish to t: it does not exist"}
    assert worker.health.live_page().status == 200
    worker.topic.problem = None
    assert worker.reasons() == []


def test_messages_that_came_a_moment_ago_have_waited_for_a_moment(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.clock.advance(3_600)
    worker.health.record_pull(outstanding=0)
    worker.stats_now = SubscriptionStats(waiting=1)
    assert worker.reasons() == []


def test_however_many_ask_the_worker_is_looked_at_once_a_second(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    assert [worker.health.reasons() for _ in range(1_000)] == [{}] * 1_000
    assert worker.asked == 1
    worker.clock.advance(1.0)
    worker.health.reasons()
    assert worker.asked == 2


def test_the_page_of_a_healthy_worker_is_ok(tmp_path: Path) -> None:
    page = Worker(tmp_path).health.page()
    assert (page.status, page.body) == (200, b"ok\n")


def test_the_page_of_an_unhealthy_worker_lists_the_reasons(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.stats_now = SubscriptionStats(is_available=False)
    page = worker.health.page()
    assert (page.status, page.content_type) == (503, "application/json")
    assert json.loads(page.body) == {
        "status": "unhealthy",
        "reasons": [
            {
                "reason": "pubsub_does_not_answer",
                "message": "Pub/Sub does not answer; it is retried",
            }
        ],
    }


def test_a_worker_is_dead_only_for_a_reason_that_a_restart_resolves(tmp_path: Path) -> None:
    worker = Worker(tmp_path / "gone")
    worker.error = OSError("no space left on device")
    worker.stats_now = SubscriptionStats(processing=10, is_available=False)
    worker.publish()
    worker.publish()
    worker.clock.advance(301)
    worker.health.record_pull(outstanding=10)
    outage = {"no_progress", "disk_not_writable", "cannot_publish", "pubsub_does_not_answer"}
    assert set(worker.reasons()) == outage
    assert worker.health.live_page()[:3] == (200, "text/plain; charset=utf-8", b"ok\n")
    worker.clock.advance(301)
    page = worker.health.live_page()
    assert page.status == 503
    assert [each["reason"] for each in json.loads(page.body)["reasons"]] == ["not_pulling"]


def test_a_folder_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    assert disk_problem(str(tmp_path)) is None
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    problem = disk_problem(str(tmp_path))
    assert problem == f"{tmp_path} cannot be written: No space left on device"


@pytest.mark.parametrize(
    "reason",
    [
        *("not_pulling", "no_progress", "disk_not_writable"),
        *("cannot_publish", "cannot_deliver", "pubsub_does_not_answer"),
    ],
)
def test_every_reason_is_explained(reason: str) -> None:
    page = ROOT / "docs" / "monitoring.md"
    assert f"| `{reason}` |" in page.read_text(encoding="utf-8")
