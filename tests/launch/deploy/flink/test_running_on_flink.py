"""A backfill on a real Flink, whose processes are killed in the middle of it."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.archives import an_envelope
from tests.support.commands import GROUNDWATCH, ChildProcess, start
from tests.support.fault_server import FaultServer, always
from tests.support.flink.cluster import Cluster, Workers, children_of, flink_class_path
from tests.support.outputs import Json, alerts_in, failures_in, records_in, summary_in
from tests.support.runs import an_archive, backfill
from tests.support.wire_faults import Exchange, good

_ANSWERS = 400
_BEFORE_THE_KILL = 100
_TIMEOUT_S = 300.0
_OF_THE_CLOCK = ("latency_ms", "checked_at", "first_failed_at", "last_failed_at")


class HeldChecker(FaultServer):
    """Answers some checks at once, and all others after `release`."""

    def __init__(self) -> None:
        super().__init__(always(self._answer))
        self._answered = 0
        self._released = asyncio.Event()

    def release(self) -> None:
        self._loop.call_soon_threadsafe(self._released.set)

    async def _answer(self, exchange: Exchange) -> bool:
        self._answered += 1
        if self._answered > _BEFORE_THE_KILL:
            await self._released.wait()
        return await good(exchange)


def answers_in(folder: Path) -> Path:
    """Two archives with what an archive may hold; returns a pattern for both."""
    for part in range(2):
        lines = [
            an_envelope(number, query="", answer=f"Lamp {number} glows red.", facts=_facts(number))
            for number in range(part, _ANSWERS, 2)
        ]
        a_double = an_envelope(part, answer="Lamps hum.")
        an_archive(folder, *lines, a_double, b"no answer", name=f"answers-{part}.jsonl")
    return folder / "answers-*.jsonl"


def _facts(number: int) -> list[str]:
    """Support half of the answers by their own words, the others by none of them."""
    return [f"Lamp {number} glows red." if number % 2 else "Kettles vote in Senegal."]


def start_on(flink: Cluster, archive: Path, output: Path, *flags: str) -> ChildProcess:
    places = "--input", str(archive), "--output", str(output), "--run_id", "run"
    return start(*GROUNDWATCH, "backfill", *places, *flags, *flink.flags)


def wait_until(is_so: Callable[[], object], process: ChildProcess) -> None:
    deadline = time.monotonic() + _TIMEOUT_S
    while not is_so():
        assert process.poll() is None, process.communicate(timeout=_TIMEOUT_S)
        assert time.monotonic() < deadline
        time.sleep(0.05)


def content_of(output: Path) -> list[str]:
    """Every record, failure and alert, without what a clock says, in one order."""
    rows = (*records_in(output), *failures_in(output), *alerts_in(output))
    return sorted(json.dumps(_timeless(row), sort_keys=True, default=str) for row in rows)


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _timeless(v) for k, v in value.items() if k not in _OF_THE_CLOCK}
    return value


def counts_of(summary: Json) -> Json:
    names = "read", "enriched", "failures", "duplicates", "verdicts", "alerts", "calls", "closes"
    return {name: summary[name] for name in (*names, "escalations")}


@pytest.mark.timeout(800)
@pytest.mark.parametrize(
    ("task_managers", "workers", "victim", "calls"),
    [
        (2, Workers.PROCESS, "task manager", ["--checker"]),
        (0, Workers.EXTERNAL, "worker", ["--escalate_share", ".3", "--escalate"]),
    ],
    ids=["a task manager of two", "a Python worker of two checkers, job server alone"],
)
def test_what_is_killed_in_the_middle_is_done_again_and_nothing_is_lost_or_doubled(
    tmp_path: Path, task_managers: int, workers: Workers, victim: str, calls: list[str]
) -> None:
    class_path = flink_class_path()
    archive, output, usual = answers_in(tmp_path), tmp_path / "out", tmp_path / "usual"
    (folder := tmp_path / "flink").mkdir()
    with HeldChecker() as checker:
        with (
            Cluster(class_path, folder, task_managers, workers) as flink,
            start_on(flink, archive, output, *calls, checker.address) as process,
        ):
            wait_until(lambda: checker.requests > _BEFORE_THE_KILL, process)
            kill(flink, victim, process)
            checker.release()
            screen = process.communicate(timeout=_TIMEOUT_S)
        assert process.returncode == 0, screen
        assert backfill(archive, usual, "--run_id", "run", *calls, checker.address) == 0
    assert content_of(output) == content_of(usual)
    counts = counts_of(summary_in(output))
    assert counts == counts_of(summary_in(usual))
    if "--escalate" in calls:
        escalated, audited = (counts["escalations"][tag] for tag in ("ESCALATED", "AUDITED"))
        assert counts["calls"] == escalated + audited
        assert escalated == _ANSWERS / 2
        assert 30 < audited < 90
    assert list(output.glob(".groundwatch-*")) == []


def kill(flink: Cluster, victim: str, process: ChildProcess) -> None:
    if victim == "task manager":
        os.kill(flink.task_managers[0].id, signal.SIGKILL)
    else:
        assert flink.worker_pool is not None
        pool = flink.worker_pool.id
        wait_until(lambda: children_of(pool), process)
        # The oldest one: Beam waits for ever for one that ends before it has connected.
        os.kill(min(children_of(pool)), signal.SIGKILL)
