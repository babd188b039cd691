"""Runs that are killed, interrupted or out of room, and the same command again."""

import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from groundwatch.launch.backfill.begin_run import SEGMENT_MESSAGES
from tests.support.commands import HEED_INTERRUPTS, ChildProcess, run, start
from tests.support.limits import LIMITED
from tests.support.outputs import distinct_ids_in, records_in, summary_in
from tests.support.runs import a_long_archive, backfill, batches_done

_ANSWERS = 1_000
_MANY_ANSWERS = 4_000
_START_TIMEOUT_S = 120.0
_LIMIT_FILES = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
"""


def begin(
    archive: Path, output: Path, *flags: str, segment_messages: int = SEGMENT_MESSAGES
) -> ChildProcess:
    """Start a backfill and wait until it has committed a batch."""
    left_over = batches_done(output)
    places = "--input", str(archive), "--output", str(output)
    limits = *LIMITED, f"segment_messages={segment_messages}", "--"
    process = start(*limits, "backfill", *places, *flags, prepare=HEED_INTERRUPTS)
    deadline = time.monotonic() + _START_TIMEOUT_S
    while batches_done(output) <= left_over:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        wait(process, 0.01)
    return process


def wait(process: ChildProcess, seconds: float) -> None:
    """Let a process work on for a while."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def test_a_run_of_two_processes_that_is_killed_and_run_again_loses_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    archive, output = a_long_archive(tmp_path, _ANSWERS), tmp_path / "out"
    chance = random.Random(8)  # noqa: S311 - the same moments in every run
    killed = 0
    for _ in range(2):
        with begin(archive, output, "--workers", "2", segment_messages=100) as process:
            wait(process, chance.uniform(0, 0.25))
            process.kill()
        killed += process.returncode == -signal.SIGKILL
        # Whatever is visible by now is whole and holds each answer once at most.
        distinct_ids_in(output)
    assert killed
    assert backfill(archive, output) == 0
    assert summary_in(output)["closes"] is True
    assert len(distinct_ids_in(output)) == _ANSWERS
    assert list(output.glob(".groundwatch-*")) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_soon_and_publishes_nothing_more(
    tmp_path: Path, number: signal.Signals
) -> None:
    archive, output = a_long_archive(tmp_path, _MANY_ANSWERS), tmp_path / "out"
    with begin(archive, output, segment_messages=200) as process:
        process.send_signal(number)
        _, screen = process.communicate(timeout=60)
    assert process.returncode != 0
    assert records_in(output) == []
    assert summary_in(output)["unfinished"] is True
    if number is signal.SIGINT:
        assert process.returncode == 1
        told = re.fullmatch(
            r"groundwatch: ending when the calls in flight have ended; interrupt again to end now\n"
            r"groundwatch: the run failed: interrupted: ([\d,]+) of 4,000 messages are done;"
            r" give the same command again to finish it\n",
            screen,
        )
        assert told
        assert 0 < int(told[1].replace(",", "")) < _MANY_ANSWERS


@pytest.mark.parametrize("room_bytes", [100, 150_000], ids=["at the start", "midway"])
def test_a_disk_that_is_full_ends_the_run_with_a_sentence_and_is_gone_on_with(
    tmp_path: Path, room_bytes: int
) -> None:
    archive, output = a_long_archive(tmp_path, _ANSWERS), tmp_path / "out"
    given = ["--input", str(archive), "--output", str(output)]
    limit = _LIMIT_FILES.format(room_bytes)
    status, screen, complained = run(
        *LIMITED, "segment_messages=250", "--", "backfill", *given, prepare=limit
    )
    assert (status, screen) == (1, "")
    assert re.match(
        rf"groundwatch: the run failed: cannot (open|write) {re.escape(str(output))}/", complained
    )
    assert complained.count("\n") == 1
    assert records_in(output) == []
    assert backfill(archive, output) == 0
    assert len(distinct_ids_in(output)) == _ANSWERS
