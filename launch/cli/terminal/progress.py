"""How far a run has come: a bar on a terminal, else a line of JSON every few seconds."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Self

import msgspec
import rich.progress
from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Column

from groundwatch.schemas.quantities import to_rfc3339
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.grounding.client import CALLS_IN_FLIGHT
from groundwatch.transforms.runtime import clock, counters

_BAR_INTERVAL_S = 0.2
_LINE_INTERVAL_S = 10.0

Gauges = Counter[str]
"""How many answers are done and have each verdict, calls are in flight, and so on, by name."""

ENDS = (*map(str, Verdict), "failures", "duplicates", "sampled_out")
"""The gauges that add up to the answers that are done."""


def read_gauges() -> Gauges:
    """Read the gauges of this process, since it began."""
    failed = (counters.ARCHIVES_DAMAGED, counters.PARSE_FAILED, counters.CHECKS_FAILED)
    ends = (
        *(counters.VERDICTS[verdict].value for verdict in Verdict),
        sum(counter.value for counter in failed),
        counters.DUPLICATES_SEEN.value,
        counters.SAMPLED_OUT.value,
    )
    return Gauges(
        {
            **dict(zip(ENDS, ends, strict=True)),
            "done": sum(ends),
            "further_answers": counters.FURTHER_ANSWERS.value,
            "calls_in_flight": len(CALLS_IN_FLIGHT),
            "retries": counters.RETRIES.value,
        }
    )


class Progress:
    """Show the progress of a run, of all its processes, while a `with` block lasts."""

    def __init__(self, total: int, done_before: int, read_gauges: Callable[[], Gauges]) -> None:
        self._total = total
        self._done_before = done_before
        self._read_gauges = read_gauges
        self._start = read_gauges()
        self._start_s = time.monotonic()
        self._over = threading.Event()
        self._console = Console(stderr=True)
        show = self._show_bar if self._console.is_terminal else self._write_lines
        self._thread = threading.Thread(target=show, name="progress", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _show_bar(self) -> None:
        # Only the last column shrinks on a narrow terminal.
        last = TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True))
        columns = BarColumn(bar_width=20), TaskProgressColumn(), TimeRemainingColumn(), last
        with rich.progress.Progress(
            *columns, console=self._console, transient=True, expand=True
        ) as bar:
            task = bar.add_task("starting", total=self._total)
            while not self._over.wait(_BAR_INTERVAL_S):
                state = self._state()
                text = _description(state)
                bar.update(task, completed=state["done"], total=state["total"], description=text)

    def _write_lines(self) -> None:
        while not self._over.wait(_LINE_INTERVAL_S):
            sys.stderr.write(f"{msgspec.json.encode(self._state()).decode()}\n")

    def _state(self) -> dict[str, Any]:
        gauges = self._read_gauges()
        since = gauges - self._start
        total = self._total + since["further_answers"]
        done = self._done_before + since["done"]
        per_s = since["done"] / (time.monotonic() - self._start_s)
        return {
            "time": to_rfc3339(clock.now_us()),
            "done": done,
            "total": total,
            "per_s": round(per_s, 1),
            "left_s": round((total - done) / per_s) if per_s else None,
            "calls_in_flight": gauges["calls_in_flight"],
            "retries": since["retries"],
            "verdicts": {verdict: since[verdict] for verdict in Verdict if since[verdict]},
        }


def _description(state: dict[str, Any]) -> str:
    parts = [
        f"{state['per_s']:,.0f}/s",
        f"{state['done']:,} of {state['total']:,}",
        *(f"{verdict.lower()} {count:,}" for verdict, count in state["verdicts"].items()),
        f"in flight {state['calls_in_flight']}",
    ]
    if state["retries"]:
        parts.append(f"retries {state['retries']:,}")
    return ", ".join(parts)
