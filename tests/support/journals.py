"""Databases with outcomes of batches, for tests of what a worker remembers."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from launch.engine.database import EngineDatabase
from launch.engine.journal import Journal
from launch.engine.ledger import LedgerHour
from pipeline.settings.config import Config
from pipeline.sinks.chunks import Chunk
from pipeline.sinks.outcomes import Outcome
from pipeline.sinks.row_formats import RowFormats, row_formats
from schemas.alert import Alert, AlertKind, Severity
from schemas.failure import Failure
from schemas.quantities import HOUR_US
from schemas.summary import RunCounts
from tests.support.builders import NOON_US, RECORD_ID

HOUR_OF_NOON_US = NOON_US // HOUR_US * HOUR_US
TOPICS = (Alert, Failure)


def formats_of(**fields: Any) -> RowFormats:
    """The formats of a run with these settings."""
    return row_formats(Config(**{"output": "", "run": "r1"} | fields))


def open_journal(
    folder: Path | str, topics: Collection[type] = TOPICS, formats: RowFormats | None = None
) -> Journal:
    """Open the database of a work folder; by default alerts and failures have topics."""
    database = EngineDatabase.owned(str(folder))
    return Journal(database, formats or formats_of(), topics)


def a_chunk(**fields: Any) -> Chunk:
    """Encoded rows: two enriched records, as the database counts them."""
    given = {
        "kind": "enriched",
        "folder": "enriched/event_date=2026-03-03",
        "policy": "full",
        "rows": 2,
        "content": b"two records",
        "first_event_us": NOON_US,
        "last_event_us": NOON_US,
    }
    return Chunk(**given | fields)


def an_account(**fields: Any) -> LedgerHour:
    """An hour that closes: two messages, two records."""
    given = {"hour_us": HOUR_OF_NOON_US, "first_batch": 1, "read": 2, "enriched": 2}
    return LedgerHour(**given | fields)


def commit_batch(journal: Journal, number: int = 1, **fields: Any) -> None:
    """Commit a batch of two answers, in one chunk."""
    outcome = Outcome(**{"chunks": (a_chunk(),), **fields})
    failures = len(outcome.failures)
    counts = RunCounts(read=outcome.enriched + failures, verdicts={"GROUNDED": outcome.enriched})
    journal.commit(number, outcome, counts)


def an_alert(**fields: Any) -> Alert:
    """What a low-grounded answer raises."""
    given = {"kind": AlertKind.ANSWER, "record_id": RECORD_ID, "severity": Severity.WARNING}
    return Alert(**given | fields)


def open_ledger(folder: Path | str) -> Journal:
    """Open the database of a work folder to read it, also while a worker writes to it."""
    return Journal(EngineDatabase(str(folder), is_read_only=True), formats_of())
