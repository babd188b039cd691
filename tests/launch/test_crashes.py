"""Runs that are killed, interrupted or out of room, and the same command again."""

import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from launch.local.local_run import SEGMENT_MESSAGES

from tests.support.commands import GROUNDWATCH, ChildProcess, run, start
from tests.support.limits import LIMITED
from tests.support.outputs import record_ids_in, summary_in, visible_files
from tests.support.runs import a_long_archive, backfill

_ANSWERS = 2000
_START_TIMEOUT_S = 120.0
# A shell makes jobs in the background deaf to SIGINT.
_HEED_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL)"
_LIMIT_FILES = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
"""


def begin(
    archive: Path, output: Path, *flags: str, segment_messages: int = SEGMENT_MESSAGES
) -> ChildProcess:
    """Start a backfill and wait until it writes a file of its own."""
    left_over = parts_in(output)
    places = "--input", str(archive), "--output", str(output)
    limits = *LIMITED, f"segment_messages={segment_messages}", "--"
    process = start(*limits, "backfill", *places, *flags, prepare=_HEED_INTERRUPTS)
    deadline = time.monotonic() + _START_TIMEOUT_S
    while not parts_in(output) - left_over:
        assert process.poll() is None
        assert time.monotonic() < deadline
        wait(process, 0.01)
    return process


def parts_in(output: Path) -> set[Path]:
    """The part files of enriched records, which are not published yet."""
    try:
        return set(output.glob(".groundwatch-*/segment-*/enriched-*"))
    except FileNotFoundError:
        return set()


def wait(process: ChildProcess, seconds: float) -> None:
    """Let a process work on for a while."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def test_a_run_that_is_killed_at_any_moment_and_run_again_loses_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    archive, output = a_long_archive(tmp_path, _ANSWERS), tmp_path / "out"
    chance = random.Random(8)  # noqa: S311 - the same moments in every run
    killed = 0
    for number in range(4):
        workers = str(1 + number % 2)
        with begin(archive, output, "--workers", workers, segment_messages=200) as process:
            wait(process, chance.uniform(0, 0.25))
            process.kill()
        killed += process.returncode == -signal.SIGKILL
        # Whatever is visible by now is whole and holds each answer once at most.
        assert len(set(record_ids_in(output))) == len(record_ids_in(output))
    assert killed >= 3
    assert backfill(archive, output) == 0
    assert summary_in(output)["closes"] is True
    assert len(set(record_ids_in(output))) == len(record_ids_in(output)) == _ANSWERS
    assert list(output.glob(".groundwatch-*")) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_soon_and_shows_no_result(
    tmp_path: Path, number: signal.Signals
) -> None:
    with begin(a_long_archive(tmp_path, 10 * _ANSWERS), tmp_path / "out") as process:
        process.send_signal(number)
        _, screen = process.communicate(timeout=60)
    assert process.returncode != 0
    assert visible_files(tmp_path / "out") == []
    if number is signal.SIGINT:
        assert process.returncode == 1
        assert screen == (
            "groundwatch: the run failed: interrupted; give the same command again to finish it\n"
        )


@pytest.mark.parametrize("room_bytes", [100, 50_000], ids=["at the start", "midway"])
def test_a_disk_that_is_full_ends_the_run_with_a_sentence(tmp_path: Path, room_bytes: int) -> None:
    archive, output = a_long_archive(tmp_path, 2 * _ANSWERS), tmp_path / "out"
    given = ["--input", str(archive), "--output", str(output)]
    limit = _LIMIT_FILES.format(room_bytes)
    status, screen, complained = run(*GROUNDWATCH, "backfill", *given, prepare=limit)
    assert (status, screen) == (1, "")
    assert complained.startswith(f"groundwatch: the run failed: cannot write {output}/")
    assert complained.count("\n") == 1
    assert visible_files(output) == []
