"""A run that is killed, and the same command again: only what was in flight is paid for twice."""

import re
import signal
from pathlib import Path

from tests.support.archives import an_envelope
from tests.support.commands import GROUNDWATCH, HEED_INTERRUPTS, start
from tests.support.fault_server import FaultServer, always
from tests.support.limits import LIMITED
from tests.support.outputs import records_in, summary_in
from tests.support.runs import an_archive, backfill
from tests.support.waiting import wait_until
from tests.support.wire_faults import after, hang

_ANSWERS = 300
_IN_FLIGHT = 8
_TIMEOUT_S = 120.0


def test_an_interrupted_run_pays_for_nothing_again(tmp_path: Path) -> None:
    lines = [an_envelope(number, answer=f"Lamp {number} glows.") for number in range(_ANSWERS)]
    archive, output = an_archive(tmp_path, *lines), tmp_path / "out"
    with FaultServer(always(after(0.05))) as server:
        flags = "--checker", server.address, "--max_in_flight", str(_IN_FLIGHT)
        places = "--input", str(archive), "--output", str(output)
        given = *LIMITED, "segment_messages=20", "--", "backfill", *places, *flags
        with start(*given, prepare=HEED_INTERRUPTS) as process:
            wait_until(lambda: server.requests >= _ANSWERS // 3, _TIMEOUT_S)
            process.send_signal(signal.SIGINT)
            _, screen = process.communicate(timeout=_TIMEOUT_S)
        assert process.returncode == 1
        told = re.fullmatch(
            r"groundwatch: ending when the calls in flight have ended; interrupt again to end now\n"
            rf"groundwatch: the run failed: interrupted: (\d+) of {_ANSWERS} messages are done;"
            r" give the same command again to finish it\n",
            screen,
        )
        assert told
        assert 0 < int(told[1]) < _ANSWERS
        assert server.requests < _ANSWERS
        assert records_in(output) == []
        assert summary_in(output)["unfinished"] is True
        assert backfill(archive, output, *flags) == 0
        assert server.requests == summary_in(output)["calls"] == _ANSWERS
    assert [record["check"]["calls"] for record in records_in(output)] == [1] * _ANSWERS


def test_a_second_interrupt_does_not_wait_for_the_calls_in_flight(tmp_path: Path) -> None:
    archive, output = an_archive(tmp_path, an_envelope(1)), tmp_path / "out"
    with FaultServer(always(hang)) as server:
        places = "--input", str(archive), "--output", str(output), "--checker", server.address
        given = *GROUNDWATCH, "backfill", *places, "--timeout_s", "300"
        with start(*given, prepare=HEED_INTERRUPTS) as process:
            wait_until(lambda: server.requests >= 1, _TIMEOUT_S)
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            assert "interrupt again to end now" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            _, screen = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "interrupted; give the same command again to finish it" in screen
    assert backfill(archive, output) == 0
    assert len(records_in(output)) == 1


def test_another_checker_is_paid_only_when_its_results_may_replace_the_others(
    tmp_path: Path,
) -> None:
    archive, output = an_archive(tmp_path, an_envelope(1)), tmp_path / "out"
    with FaultServer() as first, FaultServer() as second:
        assert backfill(archive, output, "--checker", first.address) == 0
        assert backfill(archive, output, "--checker", second.address) == 2
        assert (first.requests, second.requests) == (1, 0)
        assert backfill(archive, output, "--checker", second.address, "--again") == 0
        assert (first.requests, second.requests) == (1, 1)
    assert len(records_in(output)) == 1
