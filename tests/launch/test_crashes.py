"""Runs that are killed or out of room, and the same command again."""

import os
import re
import signal
from contextlib import closing, suppress
from pathlib import Path

import pytest

from groundwatch.pipeline.settings.checker import DATABASE
from groundwatch.transforms.persistence.database import Database
from tests.support.commands import GROUNDWATCH, HEED_INTERRUPTS, run, start
from tests.support.limits import LIMITED
from tests.support.outputs import distinct_ids_in, records_in, summary_in
from tests.support.runs import a_long_archive, backfill
from tests.support.waiting import wait_until

_ANSWERS = 1_000
_TIMEOUT_S = 120.0
_LIMIT_FILES = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
"""


def batches_done(output: Path) -> int:
    """How many batches an unfinished run has committed."""
    for path in output.glob(f".groundwatch-*/{DATABASE}"):
        with suppress(OSError), closing(Database(str(path), None, durable=False)) as database:
            [(count,)] = database.read("SELECT count(*) FROM plan WHERE state = 'done'")
            return int(count)
    return 0


def test_a_run_of_two_processes_that_is_killed_and_run_again_loses_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    archive, output = a_long_archive(tmp_path, _ANSWERS), tmp_path / "out"
    places = "--input", str(archive), "--output", str(output), "--workers", "2"
    with start(*LIMITED, "segment_messages=100", "--", "backfill", *places) as process:
        wait_until(lambda: process.poll() is not None or batches_done(output), _TIMEOUT_S)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    # Whatever is visible by now is whole and holds each answer once at most.
    distinct_ids_in(output)
    assert backfill(archive, output) == 0
    assert summary_in(output)["closes"] is True
    assert len(distinct_ids_in(output)) == _ANSWERS
    assert list(output.glob(".groundwatch-*")) == []


def test_an_interrupt_while_its_processes_begin_ends_a_run_in_a_sentence(tmp_path: Path) -> None:
    archive, output = a_long_archive(tmp_path, _ANSWERS), tmp_path / "out"
    places = "--input", str(archive), "--output", str(output), "--workers", "2"
    on_a_terminal = f"import os; os.setsid(); {HEED_INTERRUPTS}"
    with start(*GROUNDWATCH, "backfill", *places, prepare=on_a_terminal) as process:
        wait_until(lambda: has_workers(process.pid), _TIMEOUT_S)
        os.killpg(process.pid, signal.SIGINT)
        _, complained = process.communicate(timeout=_TIMEOUT_S)
    assert process.returncode == 1
    assert re.fullmatch(
        r"groundwatch: ending when the calls in flight have ended; interrupt again to end now\n"
        r"groundwatch: the run failed: interrupted: \d+ of 1,000 messages are done; .*\n",
        complained,
    )


def has_workers(process: int) -> bool:
    """Whether a run has started its first process."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    children = [child for each in tasks for child in each.read_text().split()]
    commands = (Path(f"/proc/{child}/cmdline").read_bytes() for child in children)
    return any(b"spawn_main" in command for command in commands)


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
    *earlier, sentence = complained.splitlines()
    place = rf"cannot (open|write) {re.escape(str(output))}/"
    assert re.match(f"groundwatch: the run failed: {place}", sentence)
    # The log of commits is emptied in the background, which may meet the limit first.
    log_kept = re.compile(rf"groundwatch: {place}.*: commits stay in its log meanwhile")
    assert all(map(log_kept.match, earlier))
    assert len(earlier) <= 1
    assert records_in(output) == []
    assert backfill(archive, output) == 0
    assert len(distinct_ids_in(output)) == _ANSWERS
