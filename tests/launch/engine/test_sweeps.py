"""Samples of sweeps: of the points at which a job is killed, and of damages to its files.

`python -m tests.support.crash_points` and `python -m tests.support.damage_points` have all. The
jobs run in forked processes, which a process with gRPC's threads must not fork.
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
    """What a sweep has printed, its exit status, and what it complained of."""

    results: list[Json]
    sums: Json
    status: int
    complained: str


def swept(module: str, *arguments: str) -> Swept:
    status, printed, complained = run("-m", f"tests.support.{module}", *arguments)
    if status == NOT_TRACED:
        pytest.skip(complained)
    *results, sums = map(json.loads, printed.splitlines())
    return Swept(results, sums, status, complained)


@pytest.mark.parametrize("job", JOBS)
def test_a_kill_at_any_point_loses_and_doubles_nothing(job: str) -> None:
    crashes = swept("crash_points", job, "--step", "61")
    assert [crash for crash in crashes.results if crash["problems"]] == []
    assert crashes.sums["killed"] > 3, crashes.complained
    assert crashes.status == 0


@pytest.mark.parametrize("job", DAMAGED_JOBS)
def test_a_damaged_work_folder_is_refused_or_does_no_harm(job: str) -> None:
    damages = swept("damage_points", job, "--flips", "4", "--step", "41")
    assert damages.results == []
    assert min(damages.sums["refused"], damages.sums["right"]) > 0, damages.complained
    assert damages.status == 0


@pytest.mark.parametrize("job", ["backfill", "replay"])
def test_a_job_whose_work_folder_was_removed_at_any_point_starts_again(job: str) -> None:
    removals = swept("damage_points", job, "--removed", "--step", "71")
    assert removals.results == []
    assert removals.sums["right"] > 2, removals.complained
    assert removals.status == 0
