"""A set of keys that may be larger than memory."""

import sqlite3
from typing import Self

_TABLE = """
PRAGMA journal_mode = OFF;
PRAGMA cache_size = -32768;
CREATE TABLE keys (key BLOB PRIMARY KEY) WITHOUT ROWID;
BEGIN;
"""
"""32 MB stay in memory; the rest goes to a file."""


class DistinctKeys:
    """Tell which keys are new.

    SQLite deletes the unnamed file of a temporary database with the process
    (https://www.sqlite.org/inmemorydb.html, "Temporary Databases").
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(_TABLE)

    def add(self, key: bytes) -> bool:
        """Add a key; return whether it is new.

        Raises:
          OSError: the disk is full.
        """
        try:
            added = self._database.execute("INSERT OR IGNORE INTO keys VALUES (?)", (key,))
        except sqlite3.Error as error:
            raise OSError(f"cannot store the keys of the input: {error}") from None
        return added.rowcount == 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
