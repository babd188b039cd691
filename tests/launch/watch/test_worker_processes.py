"""A worker that checks by words in several processes."""

from multiprocessing import active_children

import pytest

from groundwatch.launch.watch.worker import WorkerLimits
from tests.support.archives import an_envelope
from tests.support.outputs import summary_in
from tests.support.watched import Watched, work


@pytest.mark.parametrize("are_killed", [False, True])
def test_each_answer_is_there_once_also_when_processes_are_killed(
    watched: Watched, are_killed: bool
) -> None:
    config = watched.config(processes=2)
    with watched.worker(config, limits=WorkerLimits(batch_messages=40)) as worker:
        begun: set[int | None] = set()
        for first in range(0, 200, 50):
            watched.publish(*map(an_envelope, range(first, first + 50)))
            work(worker, lambda first=first: watched.outstanding < 50 + first // 4)
            begun |= {each.pid for each in active_children()}
            for each in active_children() if are_killed else ():
                each.kill()
        work(worker, lambda: not watched.outstanding)
        worker.finish()
    assert not active_children()
    assert len(begun) > 2 if are_killed else len(begun) == 2
    assert len(watched.distinct_ids()) == 200
    summary = summary_in(watched.output)
    assert (summary["enriched"], summary["failures"], summary["closes"]) == (200, 0, True)
