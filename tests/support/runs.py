"""Backfills in this process, over archives that tests make."""

from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.backfill import processes
from groundwatch.launch.cli.main import main
from groundwatch.launch.engine.journal import Journal
from tests.support.archives import an_envelope, lines_of
from tests.support.limits import limited


def an_archive(folder: Path, *lines: bytes, name: str = "answers.jsonl") -> Path:
    """A file of lines."""
    path = folder / name
    path.write_bytes(lines_of(*lines))
    return path


def a_long_archive(folder: Path, answers: int) -> Path:
    """A file of so many answers over three days, every tenth without support."""
    return an_archive(folder, *(_one_of_many(number) for number in range(answers)))


def _one_of_many(number: int) -> bytes:
    answer = "Lamps glow red at night." if number % 10 else "Kettles vote in Senegal."
    return an_envelope(number, answer=answer, time=f"2026-03-0{2 + number % 3}T08:00:00Z")


def backfill(archive: Path, output: Path, *flags: str) -> int:
    """Run a backfill; returns its exit status."""
    return main(["backfill", "--input", str(archive), "--output", str(output), *flags])


class Crash(Exception):
    """The process ends here."""


def crash_in(monkeypatch: pytest.MonkeyPatch, *numbers: int) -> None:
    """Let the process end before it commits one of these batches; none overlaps with another."""
    commit = Journal.commit

    def committing(journal: Journal, number: int, *others: Any, **named: Any) -> None:
        if number in numbers:
            raise Crash
        commit(journal, number, *others, **named)

    monkeypatch.setattr(processes, "_THREADS", 1)
    monkeypatch.setattr(Journal, "commit", committing)


def in_batches(archive: Path, output: Path, *flags: str) -> int:
    """Run a backfill in batches of seven messages; returns its exit status."""
    with limited(segment_messages=7):
        return backfill(archive, output, *flags)
