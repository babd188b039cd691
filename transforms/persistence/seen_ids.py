"""Store the record ids that a run has seen, in a file that several processes share."""

from collections.abc import Callable, Sequence

from .database import Database, checksum_column

SEEN_TABLES = f"""
CREATE TABLE IF NOT EXISTS seen (
  id BLOB PRIMARY KEY, owner INTEGER NOT NULL, {checksum_column("id", "owner")}) WITHOUT ROWID;
"""
"""Keep each id; its `owner` is the batch that has claimed it."""

SEEN_FOR_S = 3600
"""How long a stream on several machines keeps an id: longer than a publisher retries, and short
enough for the state of 10,000 answers a second."""

BEFORE_THE_RUN = 0
"""The batch of ids that are claimed before the first batch starts; batches count from 1."""

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
    """The record ids of a run. The batch that sees an id first claims it.

    Raises:
      OSError: the file cannot be opened, now; or written, later.
    """

    def __init__(self, path: str) -> None:
        self._batch = 0
        self._on_all_claimed: Callable[[], None] | None = None
        self._database = Database(path, SEEN_TABLES, durable=False)

    def start_batch(
        self, batch: int, *, is_retry: bool, on_all_claimed: Callable[[], None] | None = None
    ) -> None:
        """Start a batch; the claims of an earlier attempt at it, if `is_retry`, are deleted.

        `on_all_claimed` is called when it has claimed all its ids: the next batch may start.
        """
        self._batch = batch
        self._on_all_claimed = on_all_claimed
        if is_retry:
            self._database.write(RELEASE_IDS, batch)

    def claim(self, record_ids: Sequence[str], batch: int | None = None) -> list[bool]:
        """Claim record ids in one transaction; return of each whether it was not claimed before.

        They are claimed for a `batch`, by default the one that was started last.
        """
        if not record_ids:
            return []
        batch = self._batch if batch is None else batch
        keys = list(map(record_key, record_ids))
        new = {key for (key,) in self._database.write_returning(_CLAIM_IDS, b"".join(keys), batch)}
        are_new = []
        for key in keys:
            are_new.append(key in new)
            # Of equal ids only the first is new.
            new.discard(key)
        return are_new

    def finish_claims(self) -> None:
        """Let the next batch start: this one has claimed all ids that it reads."""
        if self._on_all_claimed:
            self._on_all_claimed()

    def close(self) -> None:
        self._database.close()


def record_key(record_id: str) -> bytes:
    """Shorten a record id to the 16 bytes by which records are compared."""
    return bytes.fromhex(record_id)[:KEY_BYTES]
