"""A sample of the points at which a job is killed; `python -m tests.support.crash_points` has all.

The jobs run in forked processes, which a process with gRPC's threads must not fork.
"""

import json

import pytest

from tests.support.commands import run
from tests.support.crash_points import JOBS

_STEP = 41


@pytest.mark.parametrize("job", JOBS)
def test_a_kill_at_any_point_loses_and_doubles_nothing(job: str) -> None:
    status, printed, complained = run("-m", "tests.support.crash_points", job, "--step", str(_STEP))
    crashes = [json.loads(line) for line in printed.splitlines()]
    assert [crash for crash in crashes if crash["problems"]] == []
    assert sum(crash["killed"] for crash in crashes) > 2, complained
    assert status == 0
