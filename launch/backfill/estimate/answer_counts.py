"""Count answers and the calls of their checks without a call."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing

import msgspec

from groundwatch.launch.cli.terminal.unreadable_input import SHOWN_FAULTS
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.grounding.forecast import Forecast
from .planned_answers import PlannedAnswer

_TABLE = """
PRAGMA journal_mode = OFF;
PRAGMA cache_size = -32768;
CREATE TABLE keys (key BLOB PRIMARY KEY) WITHOUT ROWID;
BEGIN;
"""
"""32 MB stay in memory; the rest goes to a file."""


class EstimateCounts(msgspec.Struct, kw_only=True):
    """Counts as in `Estimate`."""

    read: int = 0
    failures: int = 0
    duplicates: int = 0
    sampled_out: int = 0
    decided: Counter[str] = msgspec.field(default_factory=Counter)
    to_check: int = 0
    escalated: int = 0
    audited: int = 0
    screen_calls: int = 0
    planned_calls: int = 0
    calls: int = 0
    characters: int = 0
    faults: list[str] = msgspec.field(default_factory=list)


def count_outcomes(outcomes: Iterable[PlannedAnswer], *, pays_once: bool) -> EstimateCounts:
    """Count outcomes in the order of the archives; with `pays_once`, identical calls count once."""
    counts = EstimateCounts()
    with closing(DistinctKeys()) as record_ids, closing(DistinctKeys()) as paid:
        is_paid = paid.add if pays_once else lambda _: True
        for outcome in outcomes:
            counts.read += 1
            if outcome.record_id and not record_ids.add(bytes.fromhex(outcome.record_id)):
                counts.duplicates += 1
            elif outcome.fault:
                counts.failures += 1
                if len(counts.faults) < SHOWN_FAULTS:
                    counts.faults.append(outcome.fault)
            elif outcome.is_sampled_out:
                counts.sampled_out += 1
            elif outcome.forecast is None:
                counts.decided[str(outcome.verdict)] += 1
            else:
                counts.to_check += 1
                counts.escalated += outcome.escalation is Tag.ESCALATED
                counts.audited += outcome.escalation is Tag.AUDITED
                counts.screen_calls += outcome.screen_calls
                _count_calls(counts, outcome.forecast, is_paid)
    return counts


def _count_calls(
    counts: EstimateCounts, forecast: Forecast, is_paid: Callable[[bytes], bool]
) -> None:
    counts.planned_calls += len(forecast)
    for call in forecast:
        if is_paid(call.key):
            counts.calls += 1
            counts.characters += call.characters


class DistinctKeys:
    """A set of keys that may be larger than memory, in a temporary file that SQLite deletes."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(_TABLE)
        self.close = self._database.close

    def add(self, key: bytes) -> bool:
        """Add a key; return whether it is new, or raise OSError if the disk is full."""
        try:
            added = self._database.execute("INSERT OR IGNORE INTO keys VALUES (?)", (key,))
        except sqlite3.Error as error:
            raise OSError(f"cannot store the keys of the input: {error}") from None
        return added.rowcount == 1
