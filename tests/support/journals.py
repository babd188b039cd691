"""Outcomes of batches, for tests of what a run or worker remembers."""

import sqlite3
from collections.abc import Collection
from contextlib import closing
from typing import Any

from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.launch.engine.journal import Journal, LedgerHour
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.folder_writer import Chunk, encode_chunks
from groundwatch.pipeline.sinks.outcomes import Outcome
from groundwatch.schemas.alert import Alert, AlertKind, Severity
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.quantities import HOUR_US
from groundwatch.schemas.summary import RunCounts
from tests.support.builders import NOON_US, RECORD_ID, an_enriched

HOUR_OF_NOON_US = NOON_US // HOUR_US * HOUR_US


def open_journal(
    folder: object, topics: Collection[type] = (Alert, Failure), **fields: Any
) -> Journal:
    """Open the journal of a run, by default with topics for alerts and failures."""
    config = Config(**{"inputs": (), "output": f"{folder}/out", "run": "r1"} | fields)
    return Journal(EngineDatabase.owned(str(folder)), config, topics)


def read_journal(folder: object) -> Journal:
    """Open the journal of another process, which is not changed."""
    config = Config(output="out", run="r1")
    return Journal(EngineDatabase(str(folder), is_read_only=True), config)


def chunks_of(journal: Journal, *rows: EnrichedAnswer) -> tuple[Chunk, ...]:
    """Encode enriched records."""
    return tuple(encode_chunks(journal.formats.enriched, rows))


def an_account(**fields: Any) -> LedgerHour:
    """An hour that closes: two messages, two records."""
    given = {"hour_us": HOUR_OF_NOON_US, "first_batch": 1, "read": 2, "enriched": 2}
    return LedgerHour(**given | fields)


def commit_batch(journal: Journal, number: int = 1, *rows: EnrichedAnswer, **fields: Any) -> None:
    """Commit a batch of these records, by default of two, and whatever is to be counted."""
    counts = fields.pop("counts", {})
    given = {name: fields.pop(name) for name in ("advance", "messages") if name in fields}
    chunks = chunks_of(journal, *(rows or (an_enriched(), an_enriched())))
    outcome = Outcome(**{"chunks": chunks, **fields})
    ended = outcome.enriched + len(outcome.failures) + sum(counts.values())
    journal.commit(number, outcome, RunCounts(**{"read": ended} | counts), **given)


def damage_rows(database: str, statement: str) -> None:
    """Execute a statement as if bits had flipped: the rows get no right checksum."""
    with closing(sqlite3.connect(database)) as connection:
        connection.create_function("row_checksum", -1, lambda *_: 0, deterministic=True)
        connection.execute(statement)
        connection.commit()


def an_alert(**fields: Any) -> Alert:
    """What a low-grounded answer raises."""
    given = {"kind": AlertKind.ANSWER, "record_id": RECORD_ID, "severity": Severity.WARNING}
    return Alert(**given | fields)
