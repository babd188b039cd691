"""How far a run has come, on a terminal and elsewhere."""

import io
import json
import re
import sys
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from groundwatch.launch.cli.terminal import progress
from groundwatch.launch.cli.terminal.progress import Gauges, Progress

VERDICTS = {"GROUNDED": 40}


class _Screen(io.StringIO):
    """A standard error that signals when a state was written."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self.written = threading.Event()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    def write(self, text: str) -> int:
        written = super().write(text)
        if "/s, 250 of" in text or "calls_in_flight" in text:
            self.written.set()
        return written


@dataclass
class _Work:
    """Gauges that a test sets."""

    now: Gauges = field(default_factory=lambda: Gauges(done=1000, retries=5))

    def read(self) -> Gauges:
        return self.now


def shown(monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool, columns: int = 200) -> str:
    """Return standard error after 50 more messages, 200 of 1,000 done before."""
    screen = _Screen(is_terminal=is_terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "_LINE_INTERVAL_S", 0.01)
    monkeypatch.setattr(progress, "_BAR_INTERVAL_S", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    work = _Work()
    with Progress(1000, 200, work.read):
        work.now = Gauges(done=1050, retries=7, calls_in_flight=3, **VERDICTS)
        screen.written.clear()
        assert screen.written.wait(10)
    return screen.getvalue()


def last_state(printed: str) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return state


def test_without_a_terminal_lines_of_json_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = shown(monkeypatch, is_terminal=False)
    state = last_state(printed)
    assert state["per_s"] > 0
    assert state["left_s"] >= 0
    assert {name: state[name] for name in ("done", "total", "calls_in_flight", "retries")} == {
        "done": 250,
        "total": 1000,
        "calls_in_flight": 3,
        "retries": 2,
    }
    assert state["verdicts"] == {"GROUNDED": 40}
    assert "\x1b" not in printed


def test_on_a_terminal_a_bar_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = shown(monkeypatch, is_terminal=True)
    assert "250 of 1,000" in printed
    assert "25%" in printed
    assert "grounded 40, in flight 3, retries 2" in printed


@pytest.mark.parametrize("columns", [80, 60])
def test_a_narrow_terminal_cuts_the_end_of_the_line(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    printed = re.sub(r"\x1b\[[0-9;?]*\w", "", shown(monkeypatch, is_terminal=True, columns=columns))
    line = next(line for line in re.split(r"[\r\n]", printed) if "250" in line)
    assert re.match(r"[━╸╺]{20} +25% [-\d]+:[-\d]+:[-\d]+ [\d,]+/s, 250 of.*…$", line)
    assert len(line) == columns


def test_further_answers_of_messages_count_in_the_total() -> None:
    work = _Work(now=Gauges(done=10, further_answers=5))
    shown_progress = Progress(1000, 200, work.read)
    work.now = Gauges(done=60, further_answers=45)
    state = shown_progress._state()
    assert (state["done"], state["total"]) == (250, 1040)


def test_the_rate_is_unknown_before_the_first_answer() -> None:
    shown_progress = Progress(0, 0, Gauges)
    assert shown_progress._state()["left_s"] is None


def test_the_gauges_of_processes_add_up() -> None:
    one = Gauges(done=1, further_answers=7, calls_in_flight=2, retries=3, **VERDICTS)
    doubled = {verdict: 2 * count for verdict, count in VERDICTS.items()}
    assert one + one == Gauges(done=2, further_answers=14, calls_in_flight=4, retries=6, **doubled)
