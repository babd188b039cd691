"""Samples of sweeps: of the points at which a job is killed, and of damages to its files.

`python -m tests.support.crash_points` and `python -m tests.support.damage_points` have all. The
jobs run in forked processes, which a process with gRPC's threads must not fork.
"""

import json

import pytest

from tests.support.commands import run
from tests.support.crash_points import JOBS
from tests.support.damage_points import DAMAGED_JOBS
from tests.support.system_calls import NOT_TRACED


@pytest.mark.parametrize("job", JOBS)
def test_a_kill_at_any_point_loses_and_doubles_nothing(job: str) -> None:
    status, printed, complained = run("-m", "tests.support.crash_points", job, "--step", "37")
    skip_unless_traced(status, complained)
    *crashes, sums = map(json.loads, printed.splitlines())
    assert [crash for crash in crashes if crash["problems"]] == []
    assert sums["killed"] > 5, complained
    assert status == 0


def skip_unless_traced(status: int, complained: str) -> None:
    if status == NOT_TRACED:
        pytest.skip(complained)


@pytest.mark.parametrize("job", DAMAGED_JOBS)
def test_a_damaged_work_folder_is_refused_or_does_no_harm(job: str) -> None:
    sample = "--flips", "4", "--step", "23"
    status, printed, complained = run("-m", "tests.support.damage_points", job, *sample)
    skip_unless_traced(status, complained)
    *problems, sums = map(json.loads, printed.splitlines())
    assert problems == []
    assert min(sums["refused"], sums["right"]) > 2, complained
    assert status == 0


@pytest.mark.parametrize("job", ["backfill", "replay"])
def test_a_job_whose_work_folder_was_removed_at_any_point_starts_again(job: str) -> None:
    status, printed, complained = run(
        *("-m", "tests.support.damage_points", job, "--removed", "--step", "40")
    )
    skip_unless_traced(status, complained)
    *problems, sums = map(json.loads, printed.splitlines())
    assert problems == []
    assert sums["right"] > 2, complained
    assert status == 0
