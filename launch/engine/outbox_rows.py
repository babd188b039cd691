"""Store the rows that wait for a destination, each destination's under a kind of its own."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from operator import add
from typing import Any, TypeVar

import msgspec
from msgspec.structs import astuple

from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.transforms.persistence.database import Database, checksum_column

OUTBOX_TABLES = f"""
CREATE TABLE IF NOT EXISTS outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, policy TEXT NOT NULL,
  content BLOB NOT NULL, {checksum_column("id", "kind", "policy", "content")});
CREATE INDEX IF NOT EXISTS outbox_kinds ON outbox (kind);
CREATE TABLE IF NOT EXISTS deliveries (
  kind TEXT PRIMARY KEY, sent INTEGER NOT NULL, refused INTEGER NOT NULL,
  skipped INTEGER NOT NULL, dropped INTEGER NOT NULL,
  {checksum_column("kind", "sent", "refused", "skipped", "dropped")}) WITHOUT ROWID;
"""
_ADD_DELIVERED = """
INSERT INTO deliveries VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind) DO UPDATE SET
  sent = sent + excluded.sent, refused = refused + excluded.refused,
  skipped = skipped + excluded.skipped, dropped = dropped + excluded.dropped
"""
_USED_PAGES = """
SELECT (page_count - freelist_count) * page_size
FROM pragma_page_count, pragma_freelist_count, pragma_page_size
"""
_SIZE = "SELECT total(length(content)) FROM outbox WHERE kind = ?"
_OLDEST = "SELECT id, length(content) FROM outbox WHERE kind = ? ORDER BY id"
_MAX_BYTES = 32 * MEGABYTE  # a failure holds its message, of up to 10 MB
KINDS: Mapping[type, str] = {Alert: "alert", Failure: "failure"}
"""The kind of the rows that go to a topic in place of a file, by their type."""

OutboxRow = TypeVar("OutboxRow", bound=Record)


class Delivered(Record, frozen=True):
    """How many rows were sent, refused by the target, skipped, and dropped because it was away."""

    sent: int = 0
    refused: int = 0
    skipped: int = 0
    dropped: int = 0

    def __add__(self, other: "Delivered") -> "Delivered":
        return Delivered(*map(add, astuple(self), astuple(other)))


class OutboxRows:
    """Keep alerts and failures for their topics, and copies for further destinations.

    What a method has written survives a power failure. Every method may raise OSError. `policy`
    names how much text rows hold now; those of another one are passed through `restrict`.
    """

    def __init__(
        self,
        database: Database,
        topics: Collection[type] = (),
        policy: str = "",
        restrict: Callable[[Any], Any] = lambda row: row,
    ) -> None:
        self._policy = policy
        self._restrict = restrict
        self._database = database
        self.destinations: dict[type, list[tuple[str, Callable[[Any], bool]]]] = defaultdict(list)
        for row_type in topics:
            self.add_destination(KINDS[row_type], row_type)

    def add_destination(
        self,
        kind: str,
        row_type: type[OutboxRow],
        accepts: Callable[[OutboxRow], bool] = lambda _: True,
    ) -> None:
        """Also keep the rows of a type that `add` gets from now on, if accepted, under a kind."""
        self.destinations[row_type].append((kind, accepts))

    def add(self, rows: Iterable[Record]) -> None:
        """Add rows once for each destination of their type; for use in a transaction."""
        for row in rows:
            content = msgspec.json.encode(row)
            for kind, accepts in self.destinations[type(row)]:
                if accepts(row):
                    self._database.write(
                        "INSERT INTO outbox (kind, policy, content) VALUES (?, ?, ?)",
                        *(kind, self._policy, content),
                    )

    def rows(
        self, row_type: type[OutboxRow], most: int, kind: str = ""
    ) -> list[tuple[int, OutboxRow]]:
        """List the oldest rows of a kind, by default of the type's own.

        Fewer, but at least one, of large ones.
        """
        query = "SELECT id, policy, content FROM outbox WHERE kind = ? ORDER BY id LIMIT ?"
        decoder, size_bytes = msgspec.json.Decoder(row_type), 0
        rows: list[tuple[int, OutboxRow]] = []
        found = self._database.read(query, kind or KINDS[row_type], most)
        for identity, policy, content in found:
            size_bytes += len(content)
            if rows and size_bytes > _MAX_BYTES:
                break
            row = decoder.decode(content)
            # The settings in force when a row leaves decide how much text it has.
            rows.append((identity, row if policy == self._policy else self._restrict(row)))
        return rows

    def count(self, kind: str) -> int:
        """Count the rows of a kind, such as ``alert``, ``failure`` or a destination's."""
        [(count,)] = self._database.read("SELECT count(*) FROM outbox WHERE kind = ?", kind)
        return int(count)

    def delete(self, ids: Iterable[int]) -> None:
        listed = msgspec.json.encode(list(ids)).decode()
        query = "DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))"
        self._database.write(query, listed)

    def record_delivered(self, kind: str, ids: Iterable[int], delivered: Delivered) -> None:
        """Delete the rows of a destination that are delivered, and count them."""
        with self._database.transaction():
            self.delete(ids)
            self._database.write(_ADD_DELIVERED, kind, *astuple(delivered))

    def trim(self, kind: str, max_rows: int, max_bytes: int) -> int:
        """Drop and count the oldest rows of a destination beyond the limits."""
        # Found before the transaction, which the batches wait for.
        newest = self._newest_beyond(kind, max_rows, max_bytes)
        if newest is None:
            return 0
        with self._database.transaction():
            query = "DELETE FROM outbox WHERE kind = ? AND id <= ?"
            dropped = self._database.write(query, kind, newest)
            self._database.write(_ADD_DELIVERED, kind, *astuple(Delivered(dropped=dropped)))
        return dropped

    def _newest_beyond(self, kind: str, max_rows: int, max_bytes: int) -> int | None:
        """Find the newest row that does not fit into the limits together with all later ones."""
        excess_rows, excess_bytes = self.count(kind) - max_rows, 0
        [(used_bytes,)] = self._database.read(_USED_PAGES)
        if used_bytes > max_bytes:  # else the sum, which reads each row, cannot be above
            [(size_bytes,)] = self._database.read(_SIZE, kind)
            excess_bytes = int(size_bytes) - max_bytes
        if excess_rows <= 0 and excess_bytes <= 0:
            return None
        for identity, size_bytes in self._database.read(_OLDEST, kind):
            excess_rows, excess_bytes = excess_rows - 1, excess_bytes - size_bytes
            if excess_rows <= 0 and excess_bytes <= 0:
                return int(identity)
        return None

    def pending(self) -> dict[str, int]:
        """Count the rows that wait for each destination, and for the topics of `KINDS`."""
        return dict(self._database.read("SELECT kind, count(*) FROM outbox GROUP BY kind"))

    def delivered(self) -> dict[str, Delivered]:
        """Return what has become of each destination's rows since the journal was created."""
        query = "SELECT kind, sent, refused, skipped, dropped FROM deliveries ORDER BY kind"
        found = self._database.read(query)
        return {kind: Delivered(*counts) for kind, *counts in found}
