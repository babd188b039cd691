"""Record ids that a run has seen, on disk: they outlive a process, and several can share them."""

from collections.abc import Iterable

from transforms.database import Database

_TABLE = """
CREATE TABLE IF NOT EXISTS seen (id BLOB PRIMARY KEY, owner INTEGER NOT NULL) WITHOUT ROWID;
"""
SEEN_FOR_S = 3600
"""How long a stream on many machines remembers an id: longer than a publisher tries again, and
short enough for the state that 10,000 answers a second leave."""

_KEY_BYTES = 16
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
        self._database = Database(path, _TABLE, survives_the_machine=False)

    def begin(self, owner: int, *, again: bool) -> None:
        """Claim for a part of the run from now on.

        Args:
          owner: the part's number.
          again: whether it was begun before and not finished, so that its claims are void.
        """
        self._owner = owner
        if again:
            self._database.write("DELETE FROM seen WHERE owner = ?", owner)

    def claim(self, record_id: str) -> bool:
        """Tell whether nobody has claimed an id before, and claim it.

        Args:
          record_id: hexadecimal digits.
        """
        key = _key(record_id)
        return (
            self._database.write("INSERT OR IGNORE INTO seen VALUES (?, ?)", key, self._owner) == 1
        )

    def give_back(self, record_ids: Iterable[str]) -> None:
        """Take back claims: what they were made for has not been done."""
        for record_id in record_ids:
            self._database.write("DELETE FROM seen WHERE id = ?", _key(record_id))

    def forget(self, before_owner: int) -> None:
        """Forget what the parts before this one have claimed."""
        self._database.write("DELETE FROM seen WHERE owner < ?", before_owner)

    def settle(self) -> None:
        """Have the disk keep the claims, whatever becomes of the machine."""
        self._database.write("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _key(record_id: str) -> bytes:
    return bytes.fromhex(record_id)[:_KEY_BYTES]
