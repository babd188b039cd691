"""A database in one file, whose faults are OSErrors."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from transforms.private_files import create_file, make_folder

_LOCK_TIMEOUT_S = 120.0

Value = str | bytes | int


class Database:
    """A file of tables, which several processes may use.

    Args:
      path: the file, made where there is none.
      tables: statements that make its tables where there are none.
      survives_the_machine: whether what a transaction has written does; else it survives the
        process, and a crash of the machine but for the last.

    Raises:
      OSError: it cannot be opened, now; or read or written, later.
    """

    def __init__(self, path: str, tables: str, *, survives_the_machine: bool) -> None:
        make_folder(Path(path).parent)
        # SQLite gives the files that it puts beside it the mode of this one. One that is there must
        # not be opened: to close it would release the locks of other connections of this process.
        with suppress(FileExistsError):
            create_file(path, "xb").close()
        self.path = path
        try:
            self._connection = sqlite3.connect(
                path, timeout=_LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            synchronous = "FULL" if survives_the_machine else "NORMAL"
            self._connection.execute(f"PRAGMA synchronous = {synchronous}")
            self._connection.executescript(tables)
        except sqlite3.Error as error:
            raise OSError(f"cannot open {path}: {error}") from None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Have all that is written while a `with` block lasts kept, or nothing of it."""
        self.write("BEGIN IMMEDIATE")
        try:
            yield
            self.write("COMMIT")
        except BaseException:
            # Else a commit for which the disk has no room leaves the transaction open for good.
            with suppress(sqlite3.Error):
                self._connection.rollback()
            raise

    def write(self, statement: str, *values: Value) -> int:
        """Run a statement that returns nothing; tells how many rows it changed."""
        try:
            return self._connection.execute(statement, values).rowcount
        except sqlite3.Error as error:
            raise OSError(f"cannot write {self.path}: {error}") from None

    def read(self, query: str, *values: Value) -> Iterator[tuple[Any, ...]]:
        """Read the rows that a query finds, one at a time."""
        try:
            yield from self._connection.execute(query, values)
        except sqlite3.Error as error:
            raise OSError(f"cannot read {self.path}: {error}") from None
