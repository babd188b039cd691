"""Replies on disk, so that a run that was killed pays for none of them again."""

import sqlite3
from pathlib import Path

_KEEP_UP = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, reply BLOB NOT NULL) WITHOUT ROWID;
"""
"""What is written survives the process at once, and a crash of the machine but for the last."""


class ReplyStore:
    """Keeps encoded replies by the content of their request.

    Args:
      path: the database's file, made where there is none.

    Raises:
      OSError: it cannot be opened.
    """

    def __init__(self, path: str) -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        try:
            self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._database.executescript(_KEEP_UP)
        except sqlite3.Error as error:
            raise OSError(f"cannot open {path}: {error}") from None

    def get(self, key: bytes) -> bytes | None:
        """Return a reply, None if it was never paid for."""
        row = self._database.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def put(self, key: bytes, reply: bytes) -> None:
        """Keep a reply.

        Raises:
          OSError: it cannot be written.
        """
        try:
            self._database.execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", (key, reply))
        except sqlite3.Error as error:
            raise OSError(f"cannot keep the checker's replies: {error}") from None

    def close(self) -> None:
        """Close the file."""
        self._database.close()
