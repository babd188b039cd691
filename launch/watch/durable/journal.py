"""Store the worker's state: unpublished batches, the outbox, the ledger, the counts."""

import secrets
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from launch.watch.durable.ledger import LedgerHour, duplicate_failure, duplicate_records
from launch.watch.durable.outbox_rows import OUTBOX_TABLES, OutboxRows
from pipeline.sinks.batch_results import BatchResults
from pipeline.sinks.part_files import Part
from schemas import Record
from schemas.alert import Alert
from schemas.failure import Failure
from schemas.file_entry import FileEntry
from schemas.quantities import HOUR_US
from schemas.summary import RunCounts, total_counts
from transforms.persistence.database import Database
from transforms.rules.rate_counts import RateCounts, add_counts

_TABLES = """
CREATE TABLE IF NOT EXISTS batches (
  number INTEGER PRIMARY KEY, parts BLOB NOT NULL, committed_at_us INTEGER);
CREATE TABLE IF NOT EXISTS ledger (hour_us INTEGER PRIMARY KEY, account BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS rates (
  engine BLOB NOT NULL, start_us INTEGER NOT NULL, counts BLOB NOT NULL,
  PRIMARY KEY (engine, start_us)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
"""
_COUNT_UNPUBLISHED = """
SELECT count(*), min(nullif(committed_at_us, 0)),
  (SELECT total(json_extract(value, '$.rows')) FROM batches, json_each(CAST(parts AS TEXT))
   WHERE json_extract(value, '$.kind') = 'enriched')
FROM batches
"""
_FAILED_IN = """
SELECT account FROM ledger
WHERE hour_us {when} ? AND json_extract(CAST(account AS TEXT), '$.failures') > 0
ORDER BY hour_us {order} LIMIT 1
"""
_FAILED_LATER = _FAILED_IN.format(when=">", order="ASC")
_FAILED_BEFORE = _FAILED_IN.format(when="<=", order="DESC")
_LAST_NUMBER, _TOTALS, _ALERTS = "last_number", "totals", "alerts"
_PUBLICATION, _RUN, _IDENTITY = "publication", "run", "identity"
_SET_ASIDE, _IDENTITY_BYTES = "parts set aside", 4
_NEWEST = 2**62
MAX_ENGINES = 1_000
OTHER_ENGINES = "(other engines)"  # counts the rates of all further engines
_Content = TypeVar("_Content")


class PlannedFile(Record, frozen=True, kw_only=True):
    """A file whose content is decided, and how many duplicates it lacks, by batch and verdict."""

    entry: FileEntry
    checksum: str
    duplicates: dict[int, dict[str, int]] = {}
    is_done: bool = False


class Publication(Record, frozen=True, kw_only=True):
    """An unfinished publication: resumed after a crash, it writes the same files."""

    last_batch: int
    last_in_outbox: int
    file_bytes: int
    with_payload: bool = True
    files: dict[str, PlannedFile] = {}


class UnpublishedRows(NamedTuple):
    """The batches in no final file yet, their enriched records, and the first one's time."""

    batches: int
    rows: int
    oldest_committed_at_us: int | None


class Journal:
    """Store a worker's state in a database; what a method has written survives a power failure.

    The random identity is in the names of the journal's files, so that two journals never write
    the same name. Every method may raise OSError.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._database = Database(path, _TABLES + OUTBOX_TABLES, durable=True)
        self.outbox = OutboxRows(self._database)
        self.close = self._database.close
        columns = [name for _, name, *_ in self._database.read("PRAGMA table_info(batches)")]
        if "committed_at_us" not in columns:  # in a journal of version 1
            self._database.write("ALTER TABLE batches ADD COLUMN committed_at_us INTEGER")
        if not self.note(_IDENTITY, str):
            new = msgspec.json.encode(secrets.token_hex(_IDENTITY_BYTES))
            # Another process may create one meanwhile.
            self._database.write("INSERT OR IGNORE INTO notes VALUES (?, ?)", _IDENTITY, new)
        self.identity = self.note(_IDENTITY, str) or ""
        self._engines = {
            _engine(key) for (key,) in self._database.read("SELECT DISTINCT engine FROM rates")
        }

    def reopen(self) -> "Journal":
        """Open the journal on another connection, for another thread."""
        journal = Journal(self.path)
        journal.outbox.add_destinations_of(self.outbox)
        return journal

    @property
    def run(self) -> str | None:
        """The run that the journal belongs to, None before `assign_run`."""
        return self.note(_RUN, str)

    def assign_run(self, run: str) -> None:
        """Let the journal belong to a run; raise OSError if it belongs to another."""
        owner = self.run
        if owner not in {None, run}:
            raise OSError(
                f"{self.path} belongs to the run {owner!r}, and this is {run!r}; give"
                f" --run_id {owner} to resume it, or another --work_folder"
            )
        self._keep_note(_RUN, run)

    def next_number(self) -> int:
        """Return the number of the next batch; an interrupted one may have had it, too."""
        return (self.note(_LAST_NUMBER, int) or 0) + 1

    def commit(
        self, hour: LedgerHour, batch: BatchResults, counts: RunCounts, committed_at_us: int
    ) -> None:
        """Make a batch's outcome durable, all of it or nothing; `hour` has the batch's number."""
        parts = msgspec.json.encode(batch.parts)
        with self._database.transaction():
            self._keep_note(_LAST_NUMBER, hour.first_batch)
            self._database.write(
                "INSERT INTO batches VALUES (?, ?, ?)", hour.first_batch, parts, committed_at_us
            )
            self._count(hour, counts)
            for engine, rates in batch.rates:
                self._add_rate(engine, rates)
            self._raise(batch.alerts)
            self.outbox.add(batch.failures)
            self.outbox.add(batch.results)
            self.outbox.add(batch.messages)

    def raise_alerts(self, alerts: Sequence[Alert], notes: dict[str, Record] | None = None) -> None:
        """Put alerts into the outbox, and replace notes by name, in one transaction."""
        with self._database.transaction():
            for name, content in (notes or {}).items():
                self._keep_note(name, content)
            self._raise(alerts)

    def waiting_batches(self, up_to: int = _NEWEST) -> list[tuple[int, tuple[Part, ...]]]:
        """List the numbers and parts of the unpublished batches, up to a number."""
        query = "SELECT number, parts FROM batches WHERE number <= ? ORDER BY number"
        parts = msgspec.json.Decoder(tuple[Part, ...])
        return [(number, parts.decode(row)) for number, row in self._database.read(query, up_to)]

    def unpublished(self) -> UnpublishedRows:
        """Count the unpublished batches and their records."""
        [(batches, oldest_us, rows)] = self._database.read(_COUNT_UNPUBLISHED)
        return UnpublishedRows(batches, int(rows), oldest_us)

    def set_part_aside(self, number: int, part: Part, path: str) -> None:
        """Take a damaged part out of a batch, since it was moved to a path; its rows are lost."""
        query = "SELECT parts FROM batches WHERE number = ?"
        [(content,)] = self._database.read(query, number)
        parts = msgspec.json.decode(content, type=tuple[Part, ...])
        kept = msgspec.json.encode([each for each in parts if each != part])
        with self._database.transaction():
            self._database.write("UPDATE batches SET parts = ? WHERE number = ?", kept, number)
            self._keep_note(_SET_ASIDE, [*self.parts_set_aside(), replace(part, path=path)])

    def parts_set_aside(self) -> list[Part]:
        """List the damaged parts, whose rows are in no final file."""
        return self.note(_SET_ASIDE, list[Part]) or []

    def publication(self) -> Publication | None:
        """Return the unfinished publication, None if there is none."""
        return self.note(_PUBLICATION, Publication)

    def begin_publication(self, file_bytes: int, *, with_payload: bool) -> Publication | None:
        """Begin to publish everything; return None if there is nothing."""
        [(batch,)] = self._database.read("SELECT MAX(number) FROM batches")
        row = self.outbox.newest()
        if batch is None and row is None:
            return None
        publication = Publication(
            last_batch=batch or 0,
            last_in_outbox=row or 0,
            file_bytes=file_bytes,
            with_payload=with_payload,
        )
        self._keep_note(_PUBLICATION, publication)
        return publication

    def plan_file(self, planned: PlannedFile) -> None:
        """Decide the content of a file of the unfinished publication before it is published."""
        if publication := self.publication():
            files = publication.files | {planned.entry.path: planned}
            self._keep_note(_PUBLICATION, replace(publication, files=files))

    def end_file(self, planned: PlannedFile) -> None:
        """Record that a file is published, and count the records it does not contain."""
        if planned.is_done:
            return
        with self._database.transaction():
            for batch, verdicts in planned.duplicates.items():
                query = "SELECT committed_at_us FROM batches WHERE number = ?"
                [(committed_at_us,)] = self._database.read(query, batch)
                self._count(*duplicate_records(batch, committed_at_us or 0, verdicts))
            self.plan_file(replace(planned, is_done=True))

    def end_publication(self, publication: Publication) -> None:
        """Delete the batches that are published."""
        with self._database.transaction():
            self._database.write("DELETE FROM batches WHERE number <= ?", publication.last_batch)
            self._database.write("DELETE FROM notes WHERE name = ?", _PUBLICATION)

    def delete_from_outbox(self, ids: Iterable[int], duplicates: Sequence[Failure] = ()) -> None:
        """Delete rows that are published, or that are duplicates of another worker's."""
        with self._database.transaction():
            for failure in duplicates:
                self._count(*duplicate_failure(self._hour_of(failure), failure))
            self.outbox.delete(ids)

    def ledger(self) -> list[LedgerHour]:
        """List all hours, the oldest first."""
        rows = self._database.read("SELECT account FROM ledger ORDER BY hour_us")
        return [msgspec.json.decode(content, type=LedgerHour) for (content,) in rows]

    def totals(self) -> RunCounts:
        """Return all counts since the journal was created."""
        return self.note(_TOTALS, RunCounts) or RunCounts()

    def alerts_raised(self) -> int:
        """Return how many alerts there were since the journal was created."""
        return self.note(_ALERTS, int) or 0

    def rates(self, since_us: int) -> dict[str | None, list[RateCounts]]:
        """List each engine's counts by time, for the buckets from a moment on."""
        query = "SELECT engine, counts FROM rates WHERE start_us >= ? ORDER BY start_us"
        by_engine: dict[str | None, list[RateCounts]] = {}
        for engine, content in self._database.read(query, since_us):
            counts = msgspec.json.decode(content, type=RateCounts)
            by_engine.setdefault(_engine(engine), []).append(counts)
        return by_engine

    def delete_rates(self, engine: str | None, before_us: int) -> None:
        """Delete an engine's buckets before a moment."""
        key = _engine_key(engine)
        self._database.write("DELETE FROM rates WHERE engine = ? AND start_us < ?", key, before_us)
        if not list(self._database.read("SELECT 1 FROM rates WHERE engine = ? LIMIT 1", key)):
            self._engines.discard(engine)

    def note(self, name: str, content_type: type[_Content]) -> _Content | None:
        """Read a note, None if there is none of this name."""
        return self._read("SELECT content FROM notes WHERE name = ?", (name,), content_type)

    def _read(
        self, query: str, keys: Sequence[str | bytes | int], content_type: type[_Content]
    ) -> _Content | None:
        row = next(self._database.read(query, *keys), None)
        return msgspec.json.decode(row[0], type=content_type) if row else None

    def _keep_note(self, name: str, noted: object) -> None:
        content = msgspec.json.encode(noted)
        self._database.write("INSERT OR REPLACE INTO notes VALUES (?, ?)", name, content)

    def _raise(self, alerts: Sequence[Alert]) -> None:
        self._keep_note(_ALERTS, self.alerts_raised() + len(alerts))
        self.outbox.add(alerts)

    def _hour_of(self, failure: Failure) -> LedgerHour:
        """Find the hour that counts a failure: its batch ended after it failed for the last time.

        Only a clock that was set back counts it before; then the latest hour is taken.
        """
        since_us = failure.last_failed_at_us - HOUR_US
        later = self._read(_FAILED_LATER, (since_us,), LedgerHour)
        hour = later or self._read(_FAILED_BEFORE, (since_us,), LedgerHour)
        if hour is None:
            raise OSError(f"{self.path} counts no failure, and its outbox has one")
        return hour

    def _count(self, hour: LedgerHour, counts: RunCounts) -> None:
        query = "SELECT account FROM ledger WHERE hour_us = ?"
        earlier = self._read(query, (hour.hour_us,), LedgerHour)
        content = msgspec.json.encode(earlier + hour if earlier else hour)
        self._database.write("INSERT OR REPLACE INTO ledger VALUES (?, ?)", hour.hour_us, content)
        self._keep_note(_TOTALS, total_counts([self.totals(), counts]))

    def _add_rate(self, engine: str | None, counts: RateCounts) -> None:
        # A producer with a new engine name for each answer must not fill the disk.
        if engine not in self._engines and len(self._engines) >= MAX_ENGINES:
            engine = OTHER_ENGINES
        self._engines.add(engine)
        key = _engine_key(engine), counts.start_us
        query = "SELECT counts FROM rates WHERE engine = ? AND start_us = ?"
        earlier = self._read(query, key, RateCounts)
        content = msgspec.json.encode(add_counts(earlier, counts) if earlier else counts)
        self._database.write("INSERT OR REPLACE INTO rates VALUES (?, ?, ?)", *key, content)


def _engine_key(engine: str | None) -> bytes:
    """Distinguish no engine from an engine with an empty name."""
    return b"" if engine is None else b"=" + engine.encode()


def _engine(key: bytes) -> str | None:
    return key[1:].decode() if key else None
