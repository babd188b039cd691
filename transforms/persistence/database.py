"""Open a SQLite database whose errors are OSErrors."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from transforms.persistence.private_files import create_file, make_folder

_LOCK_TIMEOUT_S = 120.0
_RETRY_S = 0.01

Value = str | bytes | int | None


class Database:
    """A SQLite file that several processes may use.

    Args:
      path: the file; created if it does not exist.
      tables: statements that create the tables if they do not exist.
      durable: whether a commit survives a crash of the machine; otherwise only of the process.

    Raises:
      OSError: it cannot be opened, now; or read or written, later.
    """

    def __init__(self, path: str, tables: str, *, durable: bool) -> None:
        make_folder(Path(path).parent)
        # SQLite gives its own files next to this one the same mode. An existing file must not be
        # opened here: closing it would release the locks of other connections of this process.
        with suppress(FileExistsError):
            create_file(path, "xb").close()
        self.path = path
        try:
            self._connection = sqlite3.connect(
                path, timeout=_LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            self._prepare(tables, "FULL" if durable else "NORMAL")
        except sqlite3.Error as error:
            raise OSError(f"cannot open {path}: {error}") from None

    def _prepare(self, tables: str, synchronous: str) -> None:
        give_up = time.monotonic() + _LOCK_TIMEOUT_S
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute(f"PRAGMA synchronous = {synchronous}")
                self._connection.executescript(tables)
            except sqlite3.OperationalError as error:
                # SQLite does not wait where two connections prepare a new file at once.
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or (
                    time.monotonic() > give_up
                ):
                    raise
                time.sleep(_RETRY_S)
            else:
                return

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all writes of a `with` block together, or none if it raises."""
        self.write("BEGIN IMMEDIATE")
        try:
            yield
            self.write("COMMIT")
        except BaseException:
            # A commit that fails on a full disk leaves the transaction open.
            with suppress(sqlite3.Error):
                self._connection.rollback()
            raise

    def write(self, statement: str, *values: Value) -> int:
        """Execute a statement; return how many rows it changed."""
        try:
            return self._connection.execute(statement, values).rowcount
        except sqlite3.Error as error:
            raise OSError(f"cannot write {self.path}: {error}") from None

    def write_returning(self, statement: str, *values: Value) -> list[tuple[Any, ...]]:
        """Execute a statement with a RETURNING clause; return its rows."""
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise OSError(f"cannot write {self.path}: {error}") from None

    def read(self, query: str, *values: Value) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, one at a time."""
        try:
            yield from self._connection.execute(query, values)
        except sqlite3.Error as error:
            raise OSError(f"cannot read {self.path}: {error}") from None
