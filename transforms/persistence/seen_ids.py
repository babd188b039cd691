"""Store the record ids that a run has seen, in a file that several processes share."""

from collections.abc import Callable, Iterable, Sequence

from transforms.persistence.database import Database

_TABLES = """
CREATE TABLE IF NOT EXISTS seen (id BLOB PRIMARY KEY, owner INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS imported (id BLOB PRIMARY KEY, owner INTEGER NOT NULL) WITHOUT ROWID;
"""
_CLAIM = """
INSERT OR IGNORE INTO seen SELECT column1, ? FROM (VALUES {keys})
WHERE NOT EXISTS (SELECT 1 FROM imported WHERE id = column1) RETURNING id
"""
SEEN_FOR_S = 3600
"""How long a stream on several machines keeps an id: longer than a publisher retries, and short
enough for the state of 10,000 answers a second."""

KEY_BYTES = 16
"""Half of a SHA-256: two ids of a run collide once in 10^20 runs of 10^9 answers."""


class SeenIds:
    """The record ids of a run. The part of the run that sees an id first claims it.

    Raises:
      OSError: the file cannot be opened, now; or written, later.
    """

    def __init__(self, path: str) -> None:
        self._owner = 0
        self._ended: Callable[[], None] | None = None
        self._database = Database(path, _TABLES, durable=False)

    def begin(self, owner: int, *, again: bool, ended: Callable[[], None] | None = None) -> None:
        """Begin a part of the run; `again` if it was interrupted: its claims are deleted.

        `ended` is called when it has claimed all its ids, so that another part may begin.
        """
        self._owner = owner
        self._ended = ended
        if again:
            self._database.write("DELETE FROM seen WHERE owner = ?", owner)

    def claim(self, record_ids: Sequence[str]) -> list[bool]:
        """Claim record ids in one transaction; return of each whether it was not claimed before."""
        if not record_ids:
            return []
        keys = list(map(record_key, record_ids))
        statement = _CLAIM.format(keys=", ".join(["(?)"] * len(keys)))
        rows = self._database.write_returning(statement, self._owner, *keys)
        new = {key for (key,) in rows}
        are_new = []
        for key in keys:
            are_new.append(key in new)
            # Of equal ids only the first is new.
            new.discard(key)
        return are_new

    def import_keys(self, keys: Iterable[bytes], owner: int) -> None:
        """Add the keys of records that other processes have published.

        They are deleted with the ids of the part `owner`.
        """
        with self._database.transaction():
            for key in keys:
                self._database.write("INSERT OR IGNORE INTO imported VALUES (?, ?)", key, owner)

    def find_imported(self, keys: Iterable[bytes]) -> set[bytes]:
        """Return those of these keys that other processes have published."""
        query = "SELECT 1 FROM imported WHERE id = ?"
        return {key for key in keys if next(self._database.read(query, key), None)}

    def release(self, record_ids: Iterable[str]) -> None:
        """Delete the claims on answers that were not processed after all."""
        with self._database.transaction():
            for record_id in record_ids:
                self._database.write("DELETE FROM seen WHERE id = ?", record_key(record_id))

    def delete_before(self, owner: int) -> None:
        """Delete what the parts before this one have claimed or imported."""
        for table in ("seen", "imported"):
            self._database.write(f"DELETE FROM {table} WHERE owner < ?", owner)  # noqa: S608

    def checkpoint(self) -> None:
        """Write the claims of a part to disk, so that they survive a crash of the machine."""
        self._database.write("PRAGMA wal_checkpoint(PASSIVE)")
        if self._ended:
            self._ended()

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def record_key(record_id: str) -> bytes:
    """Shorten a record id to the 16 bytes by which records are compared."""
    return bytes.fromhex(record_id)[:KEY_BYTES]
