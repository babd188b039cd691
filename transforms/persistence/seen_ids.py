"""Store the record ids that a run has seen, in a file that several processes share."""

from collections.abc import Callable, Sequence

from groundwatch.transforms.persistence.database import Database, checksum_column

SEEN_TABLES = f"""
CREATE TABLE IF NOT EXISTS seen (
  id BLOB PRIMARY KEY, owner INTEGER NOT NULL, {checksum_column("id", "owner")}) WITHOUT ROWID;
"""
"""Keep each id with the batch that has claimed it."""

SEEN_FOR_S = 3600
"""How long a stream on several machines keeps an id: longer than a publisher retries, and short
enough for the state of 10,000 answers a second."""

BEFORE_THE_RUN = 0
"""The owner of ids that are claimed before the first part of a run begins; parts count from 1."""

KEY_BYTES = 16
"""Half of a SHA-256: two ids of a run collide once in 10^20 runs of 10^9 answers."""

_CLAIM_IDS = f"""
WITH RECURSIVE starts(byte) AS (
  SELECT 1 UNION ALL SELECT byte + {KEY_BYTES} FROM starts WHERE byte + {KEY_BYTES} < length(?1))
INSERT OR IGNORE INTO seen SELECT substr(?1, byte, {KEY_BYTES}), ?2 FROM starts RETURNING id
"""  # noqa: S608 - a number
"""Claim ids, and return the new ones; all are one value, since SQLite limits their number."""

RELEASE_IDS = "DELETE FROM seen WHERE owner = ?"
"""Release all that a batch has claimed."""


class SeenIds:
    """The record ids of a run. The part of the run that sees an id first claims it.

    Raises:
      OSError: the file cannot be opened, now; or written, later.
    """

    def __init__(self, path: str) -> None:
        self._owner = 0
        self._ended: Callable[[], None] | None = None
        self._database = Database(path, SEEN_TABLES, durable=False)

    def begin(self, owner: int, *, again: bool, ended: Callable[[], None] | None = None) -> None:
        """Begin a part of the run; `again` if it was interrupted: its claims are deleted.

        `ended` is called when it has claimed all its ids, so that another part may begin.
        """
        self._owner = owner
        self._ended = ended
        if again:
            self._database.write(RELEASE_IDS, owner)

    def claim(self, record_ids: Sequence[str], owner: int | None = None) -> list[bool]:
        """Claim record ids in one transaction; return of each whether it was not claimed before.

        The `owner` is the part that claims, by default the one that has begun last.
        """
        if not record_ids:
            return []
        owner = self._owner if owner is None else owner
        keys = list(map(record_key, record_ids))
        rows = self._database.write_returning(_CLAIM_IDS, b"".join(keys), owner)
        new = {key for (key,) in rows}
        are_new = []
        for key in keys:
            are_new.append(key in new)
            # Of equal ids only the first is new.
            new.discard(key)
        return are_new

    def end(self) -> None:
        """Let the next part begin: this one has claimed all ids that it reads."""
        if self._ended:
            self._ended()

    def close(self) -> None:
        self._database.close()


def record_key(record_id: str) -> bytes:
    """Shorten a record id to the 16 bytes by which records are compared."""
    return bytes.fromhex(record_id)[:KEY_BYTES]
