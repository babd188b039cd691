"""Outcomes of batches, for tests of what a worker remembers."""

from typing import Any

from launch.watch.durable.journal import Journal
from launch.watch.durable.ledger import LedgerHour
from msgspec.structs import replace
from pipeline.sinks.batch_results import BatchResults

from pipeline.sinks.part_files import Part
from schemas.alert import Alert, AlertKind, Severity
from schemas.quantities import HOUR_US
from schemas.summary import RunCounts
from tests.support.builders import NOON_US, RECORD_ID

HOUR_OF_NOON_US = NOON_US // HOUR_US * HOUR_US


def a_part(**fields: Any) -> Part:
    """A finished file of two enriched records."""
    given = {
        "path": "out/.work/batch-0000000001/enriched-1.avro",
        "kind": "enriched",
        "folder": "enriched/event_date=2026-03-03",
        "rows": 2,
        "size_bytes": 500,
        "first_event_us": NOON_US,
        "last_event_us": NOON_US,
    }
    return Part(**given | fields)


def an_account(**fields: Any) -> LedgerHour:
    """An hour that closes: two messages, two records."""
    given = {"hour_us": HOUR_OF_NOON_US, "first_batch": 1, "read": 2, "enriched": 2}
    return LedgerHour(**given | fields)


def commit_batch(
    journal: Journal, number: int = 1, account: LedgerHour | None = None, **fields: Any
) -> None:
    """Commit a batch of two answers, in one file."""
    batch = BatchResults(**{"parts": (a_part(),), **fields})
    counts = RunCounts(read=2, verdicts={"GROUNDED": 2})
    hour = replace(account or an_account(), first_batch=number)
    journal.commit(hour, batch, counts, 0)


def an_alert(**fields: Any) -> Alert:
    """What a low-grounded answer raises."""
    given = {"kind": AlertKind.ANSWER, "record_id": RECORD_ID, "severity": Severity.WARNING}
    return Alert(**given | fields)
