"""How far a run has come, on a terminal and elsewhere."""

import io
import re
import sys
import threading
from pathlib import Path

import pytest

from launch import progress
from launch.progress import Progress
from schemas.verdict import Verdict
from transforms import counters


class _Screen(io.StringIO):
    """A standard error that tells when something was written."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self.written = threading.Event()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    def write(self, text: str) -> int:
        written = super().write(text)
        if "a second" in text:
            self.written.set()
        return written


def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, size: int, is_terminal: bool) -> str:
    """What stands on standard error after 3 messages and 500 bytes."""
    archive = tmp_path / "answers[1].jsonl"
    archive.write_bytes(b"x" * size)
    screen = _Screen(is_terminal=is_terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "_LINE_INTERVAL_S", 0.01)
    monkeypatch.setattr(progress, "_BAR_INTERVAL_S", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    with Progress([str(archive)]):
        counters.MESSAGES_READ.inc(3)
        counters.ARCHIVE_BYTES_READ.inc(min(size, 500))
        counters.VERDICTS[Verdict.GROUNDED].inc(2)
        counters.CHECKS_FAILED.inc()
        screen.written.clear()
        assert screen.written.wait(10)
    return screen.getvalue()


def test_without_a_terminal_a_plain_line_comes_every_some_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = shown(tmp_path, monkeypatch, size=2000, is_terminal=False)
    last = told.splitlines()[-1]
    assert re.fullmatch(r"groundwatch:  25%, 3 of 3 read, [\d,]+ a second", last)
    assert "\x1b" not in told


def test_on_a_terminal_a_bar_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = shown(tmp_path, monkeypatch, size=2000, is_terminal=True)
    assert "3 of 3 read" in told
    assert "25%" in told


def test_archives_that_hold_nothing_are_no_division_by_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "0%" in shown(tmp_path, monkeypatch, size=0, is_terminal=False)


def test_what_is_read_but_not_checked_yet_is_not_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "answers.jsonl"
    archive.write_bytes(b"x" * 1000)
    monkeypatch.setattr(progress, "_LINE_INTERVAL_S", 60)
    with Progress([str(archive)]) as shown_progress:
        counters.MESSAGES_READ.inc(10)
        counters.ARCHIVE_BYTES_READ.inc(1000)
        counters.VERDICTS[Verdict.GROUNDED].inc(1)
        assert shown_progress._share_done(progress._now()) == pytest.approx(0.1)
