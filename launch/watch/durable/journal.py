"""Store the worker's state: unpublished batches, the outbox, the ledger, the counts."""

import secrets
from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from launch.watch.durable.ledger import LedgerHour
from pipeline.sinks.part_files import Part
from schemas import Record
from schemas.alert import Alert
from schemas.failure import Failure
from schemas.file_entry import FileEntry
from schemas.quantities import HOUR_US, MEGABYTE
from schemas.summary import RunCounts, total_counts
from transforms.measure_rates import EngineCounts
from transforms.persistence.database import Database
from transforms.rules.rate_counts import RateCounts, add_counts

_TABLES = """
CREATE TABLE IF NOT EXISTS batches (
  number INTEGER PRIMARY KEY, parts BLOB NOT NULL, committed_at_us INTEGER);
CREATE TABLE IF NOT EXISTS outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, content BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS outbox_kinds ON outbox (kind);
CREATE TABLE IF NOT EXISTS ledger (hour_us INTEGER PRIMARY KEY, account BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS rates (
  engine BLOB NOT NULL, start_us INTEGER NOT NULL, counts BLOB NOT NULL,
  PRIMARY KEY (engine, start_us)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
"""
_LAST_NUMBER, _TOTALS, _ALERTS = "last_number", "totals", "alerts"
_PUBLICATION, _RUN, _IDENTITY = "publication", "run", "identity"
_SET_ASIDE, _PLANNED_FILES = "parts set aside", "planned files"
_IDENTITY_BYTES = 4
_ENRICHED = "enriched"
_ANY = b""
_NEWEST = 2**62
MAX_ENGINES = 1_000
OTHER_ENGINES = "(other engines)"
"""Counts the rates of all further engines."""

_MAX_OUTBOX_BYTES = 32 * MEGABYTE
"""A failure holds its message, of up to 10 MB."""

Note = TypeVar("Note")


class BatchDone(Record, frozen=True, kw_only=True):
    """The outcome of one batch.

    Attributes:
      number: of the batch, above all before it.
      parts: the part files it wrote.
      counts: what was counted.
      account: where its messages ended.
      rates: the counts of each engine's answers.
      alerts, failures: to be published.
      committed_at_us: by the wall clock, microseconds since 1970 UTC.
    """

    number: int
    parts: tuple[Part, ...]
    counts: RunCounts
    account: LedgerHour
    committed_at_us: int = 0
    rates: tuple[EngineCounts, ...] = ()
    alerts: tuple[Alert, ...] = ()
    failures: tuple[Failure, ...] = ()


class Publication(Record, frozen=True, kw_only=True):
    """An unfinished publication, with everything that its files depend on.

    If it is resumed after a crash, it writes the same files.

    Attributes:
      last_batch: all batches up to this one.
      last_in_outbox: all rows of the outbox up to this id, of the kinds that go into files.
      file_bytes: the target size of a file.
      with_payload: whether failures hold the original bytes.
    """

    last_batch: int
    last_in_outbox: int
    file_bytes: int
    with_payload: bool = True


class DroppedRows(Record, frozen=True, kw_only=True):
    """Records of a batch that are duplicates, because another worker has published them.

    Attributes:
      batch: its number.
      verdicts: how many records by verdict.
    """

    batch: int
    verdicts: dict[str, int]


class PlannedFile(Record, frozen=True, kw_only=True):
    """A file whose content is decided, before or after it is published.

    Attributes:
      entry: its line in the manifest.
      checksum: of its content.
      dropped: records that it does not contain.
      is_done: whether it is published.
    """

    entry: FileEntry
    checksum: str
    dropped: tuple[DroppedRows, ...] = ()
    is_done: bool = False


class Unpublished(Record, frozen=True, kw_only=True):
    """Count what is durable and in no final file yet.

    Attributes:
      batches: how many.
      rows: enriched records in them.
      oldest_committed_at_us: when the first batch was committed, microseconds since 1970 UTC; None
        for none.
    """

    batches: int
    rows: int
    oldest_committed_at_us: int | None


class Journal:
    """Store a worker's state in a database; what a method has written survives a power failure.

    Args:
      path: its file, created if it does not exist.

    Attributes:
      path: as given.
      identity: random hex digits, created with the journal. They are in the names of its files,
        so that two journals never write the same name.

    Raises:
      OSError: it cannot be opened, now; or read or written, later.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._database = Database(path, _TABLES, durable=True)
        self._add_missing_columns()
        self.identity = self._find_identity()
        self._engines = {
            _engine(key) for (key,) in self._database.read("SELECT DISTINCT engine FROM rates")
        }

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @property
    def run(self) -> str | None:
        """The run that the journal belongs to, None before `assign_run`."""
        return self.note(_RUN, str)

    def assign_run(self, run: str) -> None:
        """Let the journal belong to a run.

        Raises:
          OSError: it belongs to another run.
        """
        owner = self.run
        if owner not in {None, run}:
            raise OSError(
                f"{self._database.path} belongs to the run {owner!r}, and this is {run!r}; give"
                f" --run_id {owner} to resume it, or another --work_folder"
            )
        with self._database.transaction():
            self._keep_note(_RUN, run)

    def next_number(self) -> int:
        """Return the number of the next batch; an interrupted one may have had it, too."""
        return (self.note(_LAST_NUMBER, int) or 0) + 1

    def commit(self, done: BatchDone) -> None:
        """Make a batch's outcome durable, all of it or nothing."""
        with self._database.transaction():
            self._keep_note(_LAST_NUMBER, done.number)
            self._keep_note(_TOTALS, total_counts([self.totals(), done.counts]))
            self._keep_note(_ALERTS, self.alerts_raised() + len(done.alerts))
            parts = msgspec.json.encode(done.parts)
            self._database.write(
                "INSERT INTO batches VALUES (?, ?, ?)", done.number, parts, done.committed_at_us
            )
            self._add_to_ledger(done.account)
            for engine, counts in done.rates:
                self._add_rate(engine, counts)
            self._send("alert", done.alerts)
            self._send("failure", done.failures)

    def raise_alerts(self, alerts: Sequence[Alert], notes: dict[str, Record] | None = None) -> None:
        """Put alerts into the outbox, and replace notes, in one transaction.

        Args:
          alerts: those that no single answer raises.
          notes: by name.
        """
        with self._database.transaction():
            for name, noted in (notes or {}).items():
                self._keep_note(name, noted)
            self._keep_note(_ALERTS, self.alerts_raised() + len(alerts))
            self._send("alert", alerts)

    def waiting_batches(self, up_to: int | None = None) -> list[tuple[int, tuple[Part, ...]]]:
        """List the unpublished batches, the oldest first: the number and parts of each.

        Args:
          up_to: the last number to list.
        """
        rows = self._database.read(
            "SELECT number, parts FROM batches WHERE number <= ? ORDER BY number",
            _NEWEST if up_to is None else up_to,
        )
        parts = msgspec.json.Decoder(tuple[Part, ...])
        return [(number, parts.decode(content)) for number, content in rows]

    def unpublished(self) -> Unpublished:
        """Count the unpublished batches and their records."""
        query = "SELECT parts, committed_at_us FROM batches ORDER BY number"
        found = list(self._database.read(query))
        decoder = msgspec.json.Decoder(tuple[Part, ...])
        rows = sum(
            part.rows
            for content, _ in found
            for part in decoder.decode(content)
            if part.kind == _ENRICHED
        )
        times_us = (committed_at_us for _, committed_at_us in found if committed_at_us)
        return Unpublished(
            batches=len(found), rows=rows, oldest_committed_at_us=min(times_us, default=None)
        )

    def set_part_aside(self, number: int, part: Part, path: str) -> None:
        """Take a damaged part out of a batch, so that the other parts can be published.

        Args:
          number: the batch.
          part: as `waiting_batches` listed it; its rows are counted as lost.
          path: where it was moved to.
        """
        query = "SELECT parts FROM batches WHERE number = ?"
        [(content,)] = self._database.read(query, number)
        parts = msgspec.json.decode(content, type=tuple[Part, ...])
        kept = msgspec.json.encode([each for each in parts if each != part])
        with self._database.transaction():
            self._database.write("UPDATE batches SET parts = ? WHERE number = ?", kept, number)
            moved = replace(part, path=path)
            self._keep_note(_SET_ASIDE, [*self.parts_set_aside(), moved])

    def parts_set_aside(self) -> list[Part]:
        """List the damaged parts, whose rows are in no final file."""
        return self.note(_SET_ASIDE, list[Part]) or []

    def publication(self) -> Publication | None:
        """Return the unfinished publication, None if there is none."""
        return self.note(_PUBLICATION, Publication)

    def begin_publication(self, file_bytes: int, *, with_payload: bool) -> Publication | None:
        """Begin to publish everything; return None if there is nothing."""
        newest = "SELECT (SELECT MAX(number) FROM batches), (SELECT MAX(id) FROM outbox)"
        batch, row = next(self._database.read(newest))
        if batch is None and row is None:
            return None
        publication = Publication(
            last_batch=batch or 0,
            last_in_outbox=row or 0,
            file_bytes=file_bytes,
            with_payload=with_payload,
        )
        with self._database.transaction():
            self._keep_note(_PUBLICATION, publication)
        return publication

    def planned_file(self, path: str) -> PlannedFile | None:
        """Find a file of the unfinished publication, None if its content is not decided.

        Args:
          path: relative to the output folder.
        """
        return self._planned_files().get(path)

    def plan_file(self, planned: PlannedFile) -> None:
        """Decide the content of a file before it is published."""
        with self._database.transaction():
            self._keep_planned(planned)

    def end_file(self, planned: PlannedFile) -> None:
        """Record that a file is published, and count its dropped records as duplicates."""
        with self._database.transaction():
            if not planned.is_done:
                for dropped in planned.dropped:
                    self._count_as_duplicates(dropped)
                self._keep_planned(replace(planned, is_done=True))

    def end_publication(self, publication: Publication) -> None:
        """Delete the batches that are published."""
        with self._database.transaction():
            self._database.write("DELETE FROM batches WHERE number <= ?", publication.last_batch)
            for note in (_PUBLICATION, _PLANNED_FILES):
                self._database.write("DELETE FROM notes WHERE name = ?", note)

    def outbox_alerts(self, most: int, up_to: int | None = None) -> list[tuple[int, Alert]]:
        """List the alerts of the outbox, the oldest first, each with its id.

        Args:
          most: how many at most; fewer, but at least one, if they are large.
          up_to: the last id to list.
        """
        return self._outbox("alert", Alert, most, up_to)

    def outbox_failures(self, most: int, up_to: int | None = None) -> list[tuple[int, Failure]]:
        """List the failures of the outbox; as `outbox_alerts`."""
        return self._outbox("failure", Failure, most, up_to)

    def count_outbox(self, kind: str) -> int:
        """Count the rows of the outbox of the kind ``alert`` or ``failure``."""
        [(count,)] = self._database.read("SELECT count(*) FROM outbox WHERE kind = ?", kind)
        return int(count)

    def delete_from_outbox(self, ids: Iterable[int], duplicates: Sequence[Failure] = ()) -> None:
        """Delete rows that are published.

        Args:
          ids: of alerts or failures in the outbox.
          duplicates: failures among them that another worker has published; they are counted as
            duplicates.
        """
        with self._database.transaction():
            for failure in duplicates:
                self._count_failure_as_duplicate(failure)
            for identity in ids:
                self._database.write("DELETE FROM outbox WHERE id = ?", identity)

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
        rows = self._database.read(
            "SELECT engine, counts FROM rates WHERE start_us >= ? ORDER BY start_us", since_us
        )
        by_engine: dict[str | None, list[RateCounts]] = {}
        for engine, content in rows:
            counts = msgspec.json.decode(content, type=RateCounts)
            by_engine.setdefault(_engine(engine), []).append(counts)
        return by_engine

    def delete_rates(self, engine: str | None, before_us: int) -> None:
        """Delete an engine's buckets before a moment."""
        key = _engine_key(engine)
        with self._database.transaction():
            self._database.write(
                "DELETE FROM rates WHERE engine = ? AND start_us < ?", key, before_us
            )
        if not list(self._database.read("SELECT 1 FROM rates WHERE engine = ? LIMIT 1", key)):
            self._engines.discard(engine)

    def note(self, name: str, kind: type[Note]) -> Note | None:
        """Read a note, None if there is none of this name."""
        row = next(self._database.read("SELECT content FROM notes WHERE name = ?", name), None)
        return msgspec.json.decode(row[0], type=kind) if row else None

    def _planned_files(self) -> dict[str, PlannedFile]:
        return self.note(_PLANNED_FILES, dict[str, PlannedFile]) or {}

    def _keep_planned(self, planned: PlannedFile) -> None:
        self._keep_note(_PLANNED_FILES, self._planned_files() | {planned.entry.path: planned})

    def _count_as_duplicates(self, dropped: DroppedRows) -> None:
        query = "SELECT committed_at_us FROM batches WHERE number = ?"
        [(committed_at_us,)] = self._database.read(query, dropped.batch)
        count = sum(dropped.verdicts.values())
        moved = LedgerHour(
            hour_us=(committed_at_us or 0) // HOUR_US * HOUR_US,
            first_batch=dropped.batch,
            enriched=-count,
            duplicates=count,
        )
        self._add_to_ledger(moved)
        fewer = {verdict: -rows for verdict, rows in dropped.verdicts.items()}
        counts = RunCounts(duplicates=count, verdicts=fewer)
        self._keep_note(_TOTALS, total_counts([self.totals(), counts]))

    def _count_failure_as_duplicate(self, failure: Failure) -> None:
        hours = [hour for hour in self.ledger() if hour.failures > 0]
        # The hour in which its batch was committed: not before it failed for the last time.
        hour = next(
            (h for h in hours if h.hour_us + HOUR_US > failure.last_failed_at_us), hours[-1]
        )
        moved = LedgerHour(
            hour_us=hour.hour_us, first_batch=hour.first_batch, failures=-1, duplicates=1
        )
        self._add_to_ledger(moved)
        counts = RunCounts(
            duplicates=1,
            failures_by_error={failure.error_class: -1},
            retryable_failures=-int(failure.retryable),
        )
        self._keep_note(_TOTALS, total_counts([self.totals(), counts]))

    def _add_missing_columns(self) -> None:
        """Bring the tables of an earlier version up to date."""
        columns = [name for _, name, *_ in self._database.read("PRAGMA table_info(batches)")]
        if "committed_at_us" not in columns:
            self._database.write("ALTER TABLE batches ADD COLUMN committed_at_us INTEGER")

    def _find_identity(self) -> str:
        """Read the journal's identity, or create one."""
        if identity := self.note(_IDENTITY, str):
            return identity
        with self._database.transaction():
            # Another process may have created one meanwhile.
            identity = self.note(_IDENTITY, str) or secrets.token_hex(_IDENTITY_BYTES)
            self._keep_note(_IDENTITY, identity)
        return identity

    def _keep_note(self, name: str, noted: object) -> None:
        content = msgspec.json.encode(noted)
        self._database.write("INSERT OR REPLACE INTO notes VALUES (?, ?)", name, content)

    def _send(self, kind: str, rows: Iterable[Alert | Failure]) -> None:
        for row in rows:
            content = msgspec.json.encode(row)
            self._database.write("INSERT INTO outbox (kind, content) VALUES (?, ?)", kind, content)

    def _outbox(
        self, kind: str, record: type[Note], most: int, up_to: int | None
    ) -> list[tuple[int, Note]]:
        query = "SELECT id, content FROM outbox WHERE kind = ? AND id <= ? ORDER BY id LIMIT ?"
        rows = self._database.read(query, kind, _NEWEST if up_to is None else up_to, most)
        decoder, size_bytes = msgspec.json.Decoder(record), 0
        taken: list[tuple[int, Note]] = []
        for identity, content in rows:
            size_bytes += len(content)
            if taken and size_bytes > _MAX_OUTBOX_BYTES:
                break
            taken.append((identity, decoder.decode(content)))
        return taken

    def _add_to_ledger(self, account: LedgerHour) -> None:
        query = "SELECT account FROM ledger WHERE hour_us = ?"
        row = next(self._database.read(query, account.hour_us), None)
        earlier = msgspec.json.decode(row[0], type=LedgerHour) if row else None
        content = msgspec.json.encode(earlier + account if earlier else account)
        self._database.write(
            "INSERT OR REPLACE INTO ledger VALUES (?, ?)", account.hour_us, content
        )

    def _add_rate(self, engine: str | None, counts: RateCounts) -> None:
        # A producer with a new engine name for each answer must not fill the disk.
        if engine not in self._engines and len(self._engines) >= MAX_ENGINES:
            engine = OTHER_ENGINES
        self._engines.add(engine)
        key = _engine_key(engine)
        query = "SELECT counts FROM rates WHERE engine = ? AND start_us = ?"
        row = next(self._database.read(query, key, counts.start_us), None)
        earlier = msgspec.json.decode(row[0], type=RateCounts) if row else None
        content = msgspec.json.encode(add_counts(earlier, counts) if earlier else counts)
        self._database.write(
            "INSERT OR REPLACE INTO rates VALUES (?, ?, ?)", key, counts.start_us, content
        )


def _engine_key(engine: str | None) -> bytes:
    """Distinguish no engine from an engine with an empty name."""
    return _ANY if engine is None else b"=" + engine.encode()


def _engine(key: bytes) -> str | None:
    return key[1:].decode() if key else None
