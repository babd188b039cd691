"""Record ids that a run has seen, on disk: they outlive a process, and several can share them."""

from collections.abc import Iterable

from transforms.database import Database

_TABLES = """
CREATE TABLE IF NOT EXISTS seen (id BLOB PRIMARY KEY, owner INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS imported (id BLOB PRIMARY KEY, owner INTEGER NOT NULL) WITHOUT ROWID;
"""
_CLAIM = "INSERT OR IGNORE INTO seen VALUES (?, ?)"
_CLAIM_UNLESS_IMPORTED = """
INSERT OR IGNORE INTO seen SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM imported WHERE id = ?1)
"""
SEEN_FOR_S = 3600
"""How long a stream on many machines remembers an id: longer than a publisher tries again, and
short enough for the state that 10,000 answers a second leave."""

KEY_BYTES = 16
"""Half of a SHA-256: two ids of a run alike by accident once in 10^20 runs of 10^9 answers."""


class SeenIds:
    """The record ids of a run, each claimed by the part of the run that saw it first.

    Args:
      path: the database's file, made where there is none.

    Raises:
      OSError: it cannot be opened, now; or written, later.
    """

    def __init__(self, path: str) -> None:
        self._owner = 0
        self._database = Database(path, _TABLES, survives_the_machine=False)
        self._claim = _CLAIM

    def begin(self, owner: int, *, again: bool) -> None:
        """Claim for a part of the run from now on.

        Args:
          owner: the part's number.
          again: whether it was begun before and not finished, so that its claims are void.
        """
        self._owner = owner
        if again:
            self._database.write("DELETE FROM seen WHERE owner = ?", owner)
        has_imported = next(self._database.read("SELECT EXISTS (SELECT 1 FROM imported)"))[0]
        self._claim = _CLAIM_UNLESS_IMPORTED if has_imported else _CLAIM

    def claim(self, record_id: str) -> bool:
        """Claim an id; tells whether nobody has claimed it before, here or in another process.

        Args:
          record_id: hexadecimal digits.
        """
        return self._database.write(self._claim, record_key(record_id), self._owner) == 1

    def import_keys(self, keys: Iterable[bytes], owner: int) -> None:
        """Add the keys of records that other processes have published.

        Args:
          keys: as `record_key` makes them.
          owner: the part of the run with which they are forgotten.
        """
        with self._database.transaction():
            for key in keys:
                self._database.write("INSERT OR IGNORE INTO imported VALUES (?, ?)", key, owner)

    def imported_among(self, keys: Iterable[bytes]) -> set[bytes]:
        """Find the keys of records that other processes have published.

        Args:
          keys: those of records of this process.
        """
        query = "SELECT 1 FROM imported WHERE id = ?"
        return {key for key in keys if next(self._database.read(query, key), None)}

    def give_back(self, record_ids: Iterable[str]) -> None:
        """Take back claims: what they were made for has not been done."""
        for record_id in record_ids:
            self._database.write("DELETE FROM seen WHERE id = ?", record_key(record_id))

    def forget(self, before_owner: int) -> None:
        """Delete what the parts before this one have claimed or imported."""
        for table in ("seen", "imported"):
            self._database.write(f"DELETE FROM {table} WHERE owner < ?", before_owner)  # noqa: S608

    def settle(self) -> None:
        """Have the disk keep the claims, whatever becomes of the machine."""
        self._database.write("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def record_key(record_id: str) -> bytes:
    """Shorten a record id to the 16 bytes by which records are compared."""
    return bytes.fromhex(record_id)[:KEY_BYTES]
