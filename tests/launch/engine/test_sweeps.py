"""Samples of sweeps: of the points at which a job is killed, and of damages to its files.

`python -m tests.support.crash_points` and `python -m tests.support.damage_points` have all. The
jobs run in forked processes, which a process with gRPC's threads must not fork; a sample of all
jobs takes one process, which imports and compiles once what they need.
"""

import json
from typing import NamedTuple

import pytest

from tests.support.commands import run
from tests.support.crash_points import JOBS
from tests.support.damage_points import DAMAGED_JOBS
from tests.support.outputs import Json
from tests.support.system_calls import NOT_TRACED


class Swept(NamedTuple):
    """What a sweep has printed, its sums by job, its exit status, and what it complained of."""

    results: list[Json]
    sums: dict[str, Json]
    status: int
    complained: str


def swept(module: str, *arguments: str) -> Swept:
    status, printed, complained = run("-m", f"tests.support.{module}", *arguments)
    if status == NOT_TRACED:
        pytest.skip(complained)
    lines = [json.loads(line) for line in printed.splitlines()]
    sums = {line["job"]: line for line in lines if "points" in line}
    return Swept([line for line in lines if "points" not in line], sums, status, complained)


def test_a_kill_at_any_point_loses_and_doubles_nothing() -> None:
    crashes = swept("crash_points", *JOBS, "--step", "100")
    assert crashes.results == []
    killed = {job: sums["killed"] for job, sums in crashes.sums.items()}
    assert list(killed) == list(JOBS), crashes.complained
    assert min(killed.values()) > 2, killed
    assert crashes.status == 0


def test_a_damaged_work_folder_is_refused_or_does_no_harm() -> None:
    damages = swept("damage_points", *DAMAGED_JOBS, "--flips", "4", "--step", "101")
    assert damages.results == []
    assert list(damages.sums) == list(DAMAGED_JOBS), damages.complained
    for sums in damages.sums.values():
        assert min(sums["refused"], sums["right"]) > 0, sums
    assert damages.status == 0


def test_a_job_whose_work_folder_was_removed_at_any_point_starts_again() -> None:
    jobs = ["backfill", "replay"]
    removals = swept("damage_points", *jobs, "--removed", "--step", "83")
    assert removals.results == []
    assert list(removals.sums) == jobs, removals.complained
    for sums in removals.sums.values():
        assert sums["right"] > 2, sums
    assert removals.status == 0
