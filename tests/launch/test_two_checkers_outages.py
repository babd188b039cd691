"""A second checker that is away, slow or wrong holds the answers for it, and no others."""

import time
from collections import Counter
from pathlib import Path

import pytest

from groundwatch import EscalationRule
from groundwatch.launch.cli.main import main
from groundwatch.pipeline.settings.config import Config
from groundwatch.transforms.grounding.settings import CheckSettings, OutagePolicy, Screening
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, always, at_random
from tests.support.outputs import Json, distinct_ids_in, failures_in, records_in, summary_in
from tests.support.runs import an_archive, backfill
from tests.support.watched import Watched, total, work
from tests.support.wire_faults import BAD_REPLIES, HANGING, PASSING, UNAVAILABLE, Exchange, good

_UNSURE, _SURE = 20, 30
_LINES = [
    *(an_envelope(number, answer=f"Kettle {number} votes.") for number in range(_UNSURE)),
    *(an_envelope(100 + number, query=None) for number in range(_SURE)),
]
_FAULTS = {
    "503": UNAVAILABLE["503"],
    "hang": HANGING["hang"],
    "bad offsets": BAD_REPLIES["bad offsets"],
}


class Outage:
    """A checker that is away until a moment."""

    def __init__(self) -> None:
        self.back_at_s = float("inf")

    async def __call__(self, exchange: Exchange) -> bool:
        is_back = time.monotonic() >= self.back_at_s
        return await (good if is_back else UNAVAILABLE["503"])(exchange)


def decided_by(records: list[Json]) -> dict[str, int]:
    """Count the records by the checker that decided; a server counts as `second`."""
    names = (record["check"]["checker"] for record in records)
    return Counter("local" if name.startswith("local") else "second" for name in names)


def pair_of(watched: Watched, server: FaultServer) -> Config:
    first = CheckSettings(outage=OutagePolicy.HOLD)
    screen = Screening(first=first, rule=EscalationRule(share=0.0))
    return watched.config(checker=server.address, endpoint=server.address, screen=screen)


@pytest.mark.parametrize("fault", _FAULTS)
def test_what_a_backfill_cannot_have_checked_is_replayed_and_the_rest_is_there(
    tmp_path: Path, fault: str
) -> None:
    archive, output = an_archive(tmp_path, *_LINES), tmp_path / "out"
    with FaultServer(always(_FAULTS[fault])) as server:
        flags = "--escalate", server.address, "--escalate_share", "0"
        brief = "--max_attempts", "2", "--timeout_s", "0.5"
        assert backfill(archive, output, *flags, *brief) == 3
        assert server.requests == 2 * _UNSURE
    assert decided_by(records_in(output)) == {"local": _SURE}
    assert {failure["retryable"] for failure in failures_in(output)} == {True}
    assert len(failures_in(output)) == _UNSURE
    assert main(["verify", str(output)]) == 0
    with FaultServer() as server:
        flags = "--escalate", server.address, "--escalate_share", "0"
        failures = f"{output}/failures/*.jsonl"
        assert main(["replay", "--failures", failures, "--output", str(output), *flags]) == 0
        assert server.requests == _UNSURE
    assert decided_by(records_in(output)) == {"local": _SURE, "second": _UNSURE}
    assert len(distinct_ids_in(output)) == _SURE + _UNSURE
    assert main(["verify", str(output)]) == 0


def test_a_backfill_outlives_faults_of_the_second_checker(tmp_path: Path) -> None:
    archive, output = an_archive(tmp_path, *_LINES), tmp_path / "out"
    with FaultServer(at_random(7, 0.3, PASSING)) as server:
        flags = "--escalate", server.address, "--escalate_share", "0", "--timeout_s", "1"
        assert backfill(archive, output, *flags) == 0
        summary = summary_in(output)
        assert summary["calls"] == server.requests == _UNSURE + summary["retries"]
        assert summary["retries"] > 0
    assert decided_by(records_in(output)) == {"local": _SURE, "second": _UNSURE}


def test_a_worker_publishes_what_does_not_wait_for_the_second_checker(watched: Watched) -> None:
    outage = Outage()
    watched.publish(*_LINES)
    with (
        FaultServer(always(outage)) as server,
        watched.worker(pair_of(watched, server), file_age_s=0.1) as worker,
    ):
        work(worker, lambda: worker.waiting == _UNSURE)
        work(worker, lambda: watched.outstanding == _UNSURE)
        work(worker, lambda: len(records_in(watched.output)) == _SURE)
        assert decided_by(records_in(watched.output)) == {"local": _SURE}
        outage.back_at_s = 0.0
        work(worker, lambda: not watched.outstanding)
        worker.finish()
    assert decided_by(records_in(watched.output)) == {"local": _SURE, "second": _UNSURE}
    assert total(watched.ledger())["duplicates"] == 0
    assert failures_in(watched.output) == []


def test_the_next_worker_goes_on_where_one_died_during_an_outage(watched: Watched) -> None:
    outage = Outage()
    watched.publish(*_LINES)
    with FaultServer(always(outage)) as server:
        config = pair_of(watched, server)
        with watched.worker(config) as worker:
            work(worker, lambda: worker.waiting == _UNSURE)
        outage.back_at_s = 0.0
        watched.drain(config)
    assert decided_by(records_in(watched.output)) == {"local": _SURE, "second": _UNSURE}
    assert len(watched.distinct_ids()) == _SURE + _UNSURE
    assert main(["verify", str(watched.output), "--work_folder", watched.work_folder]) == 0
