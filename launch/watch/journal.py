"""What a worker must not forget: batches that are not public yet, the ledger, the counts."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from launch.watch.account import Account, merged
from pipeline.part import Part
from schemas.alert import Alert
from schemas.counts import Counts, total
from schemas.failure import Failure
from schemas.record import Record
from schemas.units import MEGABYTE
from transforms.database import Database
from transforms.measure_rates import Keyed
from transforms.rules.rate_counts import RateCounts, added

_TABLES = """
CREATE TABLE IF NOT EXISTS batches (
  number INTEGER PRIMARY KEY, parts BLOB NOT NULL);
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
_PUBLICATION, _RUN = "publication", "run"
_ANY = b""
_NEWEST = 2**62
_MOST_OUTBOX_BYTES = 32 * MEGABYTE
"""A failure holds its message, of up to 10 MB."""

Noted = TypeVar("Noted")


class BatchDone(Record, frozen=True, kw_only=True):
    """What came of one batch.

    Attributes:
      number: of the batch, above all before it.
      parts: the files it wrote, not public yet.
      counts: what was counted.
      account: where its messages ended.
      rates: what was counted of each engine's answers.
      alerts, failures: to be announced.
    """

    number: int
    parts: tuple[Part, ...]
    counts: Counts
    account: Account
    rates: tuple[Keyed, ...] = ()
    alerts: tuple[Alert, ...] = ()
    failures: tuple[Failure, ...] = ()


class Publication(Record, frozen=True, kw_only=True):
    """What is about to become public, so that whoever finishes it makes the very same files.

    Attributes:
      last_batch: all batches up to this one.
      last_in_outbox: all rows of the outbox up to this id, of the kinds that go into files.
      file_bytes: how large a file may become before another is begun.
    """

    last_batch: int
    last_in_outbox: int
    file_bytes: int


class Journal:
    """A database in the worker's folder; what a method has written survives the machine.

    Args:
      path: its file, made where there is none.

    Raises:
      OSError: it cannot be opened, now; or read or written, later.
    """

    def __init__(self, path: str) -> None:
        self._database = Database(path, _TABLES, survives_the_machine=True)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def belong_to(self, run: str) -> None:
        """Keep what other runs have begun out of this one's files.

        Raises:
          OSError: it is another run's journal.
        """
        owner = self.note(_RUN, str)
        if owner not in {None, run}:
            raise OSError(
                f"{self._database.path} belongs to the run {owner!r}, and this is {run!r}; give"
                f" --run_id {owner} to go on with it, or another --work_folder"
            )
        with self._database.transaction():
            self._keep_note(_RUN, run)

    def next_number(self) -> int:
        """The number of the batch that comes next; one of the same number may have been begun."""
        return (self.note(_LAST_NUMBER, int) or 0) + 1

    def commit(self, done: BatchDone) -> None:
        """Make a batch's outcome durable, all of it or nothing."""
        with self._database.transaction():
            self._keep_note(_LAST_NUMBER, done.number)
            self._keep_note(_TOTALS, total([self.totals(), done.counts]))
            self._keep_note(_ALERTS, self.alerts_raised() + len(done.alerts))
            parts = msgspec.json.encode(done.parts)
            self._database.write("INSERT INTO batches VALUES (?, ?)", done.number, parts)
            self._add_to_ledger(done.account)
            for engine, counts in done.rates:
                self._add_rate(engine, counts)
            self._send("alert", done.alerts)
            self._send("failure", done.failures)

    def raise_alerts(self, alerts: Sequence[Alert], notes: dict[str, Record] | None = None) -> None:
        """Let alerts that no single answer raises be announced, and note what was concluded.

        Args:
          alerts: what is to be announced.
          notes: by name; those of the same name are replaced.
        """
        with self._database.transaction():
            for name, noted in (notes or {}).items():
                self._keep_note(name, noted)
            self._keep_note(_ALERTS, self.alerts_raised() + len(alerts))
            self._send("alert", alerts)

    def waiting_batches(self, up_to: int | None = None) -> list[tuple[int, tuple[Part, ...]]]:
        """The batches whose files are not public, the oldest first: each number and its files.

        Args:
          up_to: a number, above which none is listed.
        """
        rows = self._database.read(
            "SELECT number, parts FROM batches WHERE number <= ? ORDER BY number",
            _NEWEST if up_to is None else up_to,
        )
        parts = msgspec.json.Decoder(tuple[Part, ...])
        return [(number, parts.decode(content)) for number, content in rows]

    def publication(self) -> Publication | None:
        """The publication that was begun and not finished, None if there is none."""
        return self.note(_PUBLICATION, Publication)

    def begin_publication(self, file_bytes: int) -> Publication | None:
        """Decide that all that waits is to become public; None if nothing waits."""
        newest = "SELECT (SELECT MAX(number) FROM batches), (SELECT MAX(id) FROM outbox)"
        batch, row = next(self._database.read(newest))
        if batch is None and row is None:
            return None
        publication = Publication(
            last_batch=batch or 0, last_in_outbox=row or 0, file_bytes=file_bytes
        )
        with self._database.transaction():
            self._keep_note(_PUBLICATION, publication)
        return publication

    def end_publication(self, publication: Publication) -> None:
        """Forget batches whose files are public."""
        with self._database.transaction():
            self._database.write("DELETE FROM batches WHERE number <= ?", publication.last_batch)
            self._database.write("DELETE FROM notes WHERE name = ?", _PUBLICATION)

    def outbox_alerts(self, most: int, up_to: int | None = None) -> list[tuple[int, Alert]]:
        """The alerts that are to be announced, the oldest first, each with its id.

        Args:
          most: how many at most; fewer, but one, where they are large.
          up_to: an id, above which none is listed.
        """
        return self._outbox("alert", Alert, most, up_to)

    def outbox_failures(self, most: int, up_to: int | None = None) -> list[tuple[int, Failure]]:
        """The failures that are to be announced; as `outbox_alerts`."""
        return self._outbox("failure", Failure, most, up_to)

    def count_outbox(self, kind: str) -> int:
        """Count what is to be announced: of the kind ``alert`` or ``failure``."""
        [(count,)] = self._database.read("SELECT count(*) FROM outbox WHERE kind = ?", kind)
        return int(count)

    def announced(self, ids: Iterable[int]) -> None:
        """Forget what has been announced."""
        with self._database.transaction():
            for identity in ids:
                self._database.write("DELETE FROM outbox WHERE id = ?", identity)

    def ledger(self) -> list[Account]:
        """The accounts of all hours, the oldest first."""
        rows = self._database.read("SELECT account FROM ledger ORDER BY hour_us")
        return [msgspec.json.decode(content, type=Account) for (content,) in rows]

    def totals(self) -> Counts:
        """What was counted since the journal began."""
        return self.note(_TOTALS, Counts) or Counts()

    def alerts_raised(self) -> int:
        """How many alerts there were since the journal began."""
        return self.note(_ALERTS, int) or 0

    def rates(self, since_us: int) -> dict[str | None, list[RateCounts]]:
        """Each engine's counts, for the buckets from a moment on, in the order of time."""
        rows = self._database.read(
            "SELECT engine, counts FROM rates WHERE start_us >= ? ORDER BY start_us", since_us
        )
        by_engine: dict[str | None, list[RateCounts]] = {}
        for engine, content in rows:
            counts = msgspec.json.decode(content, type=RateCounts)
            by_engine.setdefault(_engine(engine), []).append(counts)
        return by_engine

    def forget_rates(self, engine: str | None, before_us: int) -> None:
        """Forget an engine's buckets before a moment."""
        with self._database.transaction():
            self._database.write(
                "DELETE FROM rates WHERE engine = ? AND start_us < ?",
                _engine_key(engine),
                before_us,
            )

    def note(self, name: str, kind: type[Noted]) -> Noted | None:
        """Read a note, None if there is none of this name."""
        row = next(self._database.read("SELECT content FROM notes WHERE name = ?", name), None)
        return msgspec.json.decode(row[0], type=kind) if row else None

    def _keep_note(self, name: str, noted: object) -> None:
        content = msgspec.json.encode(noted)
        self._database.write("INSERT OR REPLACE INTO notes VALUES (?, ?)", name, content)

    def _send(self, kind: str, rows: Iterable[Alert | Failure]) -> None:
        for row in rows:
            content = msgspec.json.encode(row)
            self._database.write("INSERT INTO outbox (kind, content) VALUES (?, ?)", kind, content)

    def _outbox(
        self, kind: str, record: type[Noted], most: int, up_to: int | None
    ) -> list[tuple[int, Noted]]:
        query = "SELECT id, content FROM outbox WHERE kind = ? AND id <= ? ORDER BY id LIMIT ?"
        rows = self._database.read(query, kind, _NEWEST if up_to is None else up_to, most)
        decoder, size_bytes = msgspec.json.Decoder(record), 0
        taken: list[tuple[int, Noted]] = []
        for identity, content in rows:
            size_bytes += len(content)
            if taken and size_bytes > _MOST_OUTBOX_BYTES:
                break
            taken.append((identity, decoder.decode(content)))
        return taken

    def _add_to_ledger(self, account: Account) -> None:
        query = "SELECT account FROM ledger WHERE hour_us = ?"
        row = next(self._database.read(query, account.hour_us), None)
        earlier = msgspec.json.decode(row[0], type=Account) if row else None
        content = msgspec.json.encode(merged(earlier, account) if earlier else account)
        self._database.write(
            "INSERT OR REPLACE INTO ledger VALUES (?, ?)", account.hour_us, content
        )

    def _add_rate(self, engine: str | None, counts: RateCounts) -> None:
        key = _engine_key(engine)
        query = "SELECT counts FROM rates WHERE engine = ? AND start_us = ?"
        row = next(self._database.read(query, key, counts.start_us), None)
        earlier = msgspec.json.decode(row[0], type=RateCounts) if row else None
        content = msgspec.json.encode(added(earlier, counts) if earlier else counts)
        self._database.write(
            "INSERT OR REPLACE INTO rates VALUES (?, ?, ?)", key, counts.start_us, content
        )


def _engine_key(engine: str | None) -> bytes:
    """No engine is another than one whose name is empty."""
    return _ANY if engine is None else b"=" + engine.encode()


def _engine(key: bytes) -> str | None:
    return key[1:].decode() if key else None
