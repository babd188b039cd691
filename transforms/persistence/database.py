"""Open a SQLite database whose rows have checksums, and whose errors are OSErrors."""

import logging
import secrets
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from .durable_files import move_in
from .private_files import create_file, make_folder

UNFINISHED = ".unfinished"
"""How the name of a file ends that becomes a database, or is left by a process that was killed."""

_LOCK_TIMEOUT_S = 120.0
# SQLite waits for so long in one call, during which Python handles no signal.
_LOCK_POLL_S = 0.1
# Its own words would quote the row; a row's checksum is not computed of such text, either.
_NOT_TEXT = ("Could not decode to UTF-8", "user-defined function raised exception")

_SYNCHRONIZE = "PRAGMA synchronous = {}"
"""Choose whether a commit survives a crash of the machine, FULL, or of the process, NORMAL."""

_PREPARE = """
PRAGMA journal_mode = WAL;
PRAGMA wal_autocheckpoint = 0;
PRAGMA secure_delete = ON;
"""
"""Let only `checkpoint` write to the file itself, and deleted texts leave it.

Whatever happens to the log, the file is as it was after one of the commits.
"""

_BEGIN_WRITING = "BEGIN IMMEDIATE"
"""Begin a transaction, for which other writers wait."""

_BEGIN_READING = "BEGIN"
"""Begin a transaction whose reads all see the same commits."""

_COMMIT = "COMMIT"
"""End a transaction; its writes stay."""

_EMPTY_LOG = "PRAGMA wal_checkpoint(TRUNCATE)"
"""Write all commits to the file itself; its first column is 1 if another connection prevents it."""

_CHECK_PAGES = "PRAGMA integrity_check(1)"
"""Find the first damage of a page or an index; 'ok' if there is none."""

_LIST_OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL"
"""List tables and indices with the text that created them."""

_LIST_COLUMNS = """
SELECT name FROM pragma_table_info(?1)
WHERE EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = 'checksum')
"""
"""List the columns of a table that has a checksum, without this generated one."""

_FIND_WRONG_ROW = "SELECT 1 FROM {} WHERE checksum IS NOT {} LIMIT 1"
"""Find a row of a table that is not what was written."""

# A message of SQLite may quote a damaged schema, which Python cannot decode.
_SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
_WRONG_TABLES = "its tables are not what was written"
_encode_row = msgspec.msgpack.Encoder().encode
# Of the header: whether a log or a journal is used (sqlite.org/fileformat2.html, 1.3.3).
_JOURNAL_MODE, _WAL = slice(18, 20), b"\2\2"
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
# What the machine or another process causes, and may end (sqlite.org/rescode.html).
_PASSING = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL),
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOLFS),
}
_NEEDS_LOCAL_DISK = {
    *(sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_IOERR_LOCK, sqlite3.SQLITE_IOERR_SHMLOCK),
    *(sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE),
}
# SQLite allows 999 or more: a statement with one for each value of its input fails in every test.
_MAX_VARIABLES = 20

_CHECKPOINT_TRIES = 5
# Of databases, by path: while another connection reads one, each further try would only wait.
_KEPT_LOGS: set[str] = set()
_log = logging.getLogger(__name__)

SqlValue = str | bytes | float | None
_Result = TypeVar("_Result")
_Content = TypeVar("_Content")


class DamagedDatabase(OSError):
    """A database is not what was written; it is left as it is."""


class StatementFailed(OSError):
    """SQLite cannot execute a statement with these values, however often it is tried."""


def checksum_column(*columns: str) -> str:
    """Declare the checksum of the other columns of a table, which SQLite keeps up to date."""
    return f"checksum INTEGER AS ({row_checksum(columns)}) STORED"


def row_checksum(columns: Iterable[str]) -> str:
    """Return the SQL expression of a row's checksum; it is stored in the column `checksum`."""
    return f"row_checksum({', '.join(columns)})"


class Database:
    """A SQLite file that several processes may use, and several threads, in turn.

    Args:
      path: the file; created if it does not exist.
      tables: statements that create the tables if they do not exist; none for a database that is
        only read, and never created.
      durable: whether a commit survives a crash of the machine; otherwise only of the process.

    Raises:
      DamagedDatabase: it is damaged, now or later.
      StatementFailed: a statement fails for another reason than the disk or another process, later.
      OSError: it cannot be opened, now; or read or written, later.
    """

    def __init__(self, path: str, tables: str | None, *, durable: bool) -> None:
        self.path = path
        # A transaction is the connection's: another thread's writes must not become part of it.
        self._turn = threading.RLock()
        # An existing file must not be opened here: closing it would release the locks of other
        # connections of this process.
        if tables is not None and not Path(path).exists():
            _make(path, tables)
        try:
            self._connection = sqlite3.connect(
                Path(path).absolute().as_uri() + ("?mode=ro" if tables is None else ""),
                timeout=_LOCK_POLL_S,
                isolation_level=None,
                check_same_thread=False,
                uri=True,
            )
            _add_checksum(self._connection)
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, _MAX_VARIABLES)
            if tables is not None:
                # SQLite itself does not wait where two connections prepare a new file at once.
                self._connection.execute(_SYNCHRONIZE.format("FULL" if durable else "NORMAL"))
                self._waiting("open", lambda: self._connection.executescript(_PREPARE + tables))
        except _SQLITE_ERRORS as error:
            raise self._described("open", error) from None

    def close(self) -> None:
        """Close the file after the call of another thread, whose next one raises an OSError."""
        # SQLite's objects are freed under a call that is being made, which ends the process.
        with self._turn:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all writes of a `with` block together, or none if it raises."""
        with self._turn:
            self.write(_BEGIN_WRITING)
            try:
                yield
                self.write(_COMMIT)
            except BaseException:
                # A commit that fails on a full disk leaves the transaction open.
                with suppress(*_SQLITE_ERRORS):
                    self._connection.rollback()
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads of a `with` block see the same commits, which others may add to."""
        with self._turn:
            self.write(_BEGIN_READING)
            try:
                yield
            finally:
                with suppress(*_SQLITE_ERRORS):
                    self._connection.rollback()

    def write(self, statement: str, *values: SqlValue) -> int:
        """Execute a statement; return how many rows it changed."""
        return self._waiting("write", lambda: self._connection.execute(statement, values)).rowcount

    def write_many(self, statement: str, rows: Iterable[Sequence[SqlValue]]) -> None:
        """Execute a statement for each row of values; inside a transaction."""
        try:
            with self._turn:
                self._connection.executemany(statement, rows)
        except _SQLITE_ERRORS as error:
            raise self._described("write", error) from None

    def write_returning(self, statement: str, *values: SqlValue) -> list[tuple[Any, ...]]:
        """Execute a statement that writes, such as with RETURNING; return its rows."""
        return self._waiting(
            "write", lambda: self._connection.execute(statement, values).fetchall()
        )

    def read(self, query: str, *values: SqlValue) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, one at a time."""
        try:
            rows = self._waiting("read", lambda: self._connection.execute(query, values))
            while (row := self._next(rows)) is not None:
                yield row
        except _SQLITE_ERRORS as error:
            raise self._described("read", error) from None

    def read_content(
        self, content_type: type[_Content], query: str, *values: SqlValue
    ) -> _Content | None:
        """Decode the JSON in the one column of a query's first row; None if there is no row."""
        row = next(self.read(query, *values), None)
        return msgspec.json.decode(row[0], type=content_type) if row else None

    def checkpoint(self) -> None:
        """Write all commits to the file itself, fsync it, and empty the log.

        A commit is in the write-ahead log alone until then, which a person may take for a
        temporary file. While another connection reads, or the disk is full, the log has to do:
        it survives a power failure as well, so only damage is raised.
        """
        was_kept = self.path in _KEPT_LOGS
        for _ in range(1 if was_kept else _CHECKPOINT_TRIES):
            if (problem := self._try_checkpoint()) is None:
                _KEPT_LOGS.discard(self.path)
                return
        _KEPT_LOGS.add(self.path)
        if not was_kept:
            _log.warning("%s: commits stay in its log meanwhile, and are safe there", problem)

    def _try_checkpoint(self) -> str | None:
        """Return why the log cannot be emptied now, None if it was."""
        try:
            [(is_busy, _, _)] = self.write_returning(_EMPTY_LOG)
        except DamagedDatabase:
            raise
        except OSError as error:
            return str(error)
        return f"{self.path} is being read" if is_busy else None

    def verify(self, tables: str) -> None:
        """Raise DamagedDatabase if a row, an index or a table is not what was written."""
        for (found,) in self.read(_CHECK_PAGES):
            if found != "ok":
                raise DamagedDatabase(damage(self.path, found.splitlines()[-1]))
        with closing(sqlite3.connect(":memory:")) as memory:
            _add_checksum(memory)
            memory.executescript(tables)
            known = set(memory.execute(_LIST_OBJECTS))
        objects = list(self.read(_LIST_OBJECTS))
        if not known.issuperset(objects):
            raise DamagedDatabase(damage(self.path, _WRONG_TABLES))
        for name in sorted(name for kind, name, _, _ in objects if kind == "table"):
            columns = [column for (column,) in self.read(_LIST_COLUMNS, name)]
            wrong = _FIND_WRONG_ROW.format(name, row_checksum(columns))
            if columns and list(self.read(wrong)):
                raise DamagedDatabase(damage(self.path, f"a row of {name} is not what was written"))

    def _waiting(self, verb: str, execute: Callable[[], _Result]) -> _Result:
        """Wait for the locks of other connections; signals are handled meanwhile."""
        give_up = time.monotonic() + _LOCK_TIMEOUT_S
        while True:
            try:
                with self._turn:
                    return execute()
            except _SQLITE_ERRORS as error:
                is_busy = _code_of(error) == sqlite3.SQLITE_BUSY
                if not is_busy or time.monotonic() > give_up:
                    raise self._described(verb, error) from None

    def _next(self, rows: sqlite3.Cursor) -> tuple[Any, ...] | None:
        with self._turn:
            row: tuple[Any, ...] | None = rows.fetchone()
            return row

    def _described(self, verb: str, error: sqlite3.Error | UnicodeDecodeError) -> OSError:
        if isinstance(error, UnicodeDecodeError):
            return DamagedDatabase(damage(self.path, _WRONG_TABLES))
        if _code_of(error) in _DAMAGED:
            return DamagedDatabase(damage(self.path, str(error)))
        if str(error).startswith(_NOT_TEXT):
            return DamagedDatabase(damage(self.path, "a row is not what was written"))
        if getattr(error, "sqlite_errorcode", 0) in _NEEDS_LOCAL_DISK:
            return OSError(
                f"cannot {verb} {self.path}: its file system lacks locks or shared memory, which"
                " SQLite needs: choose a folder on a local disk"
            )
        error_type = OSError if _code_of(error) in _PASSING else StatementFailed
        return error_type(f"cannot {verb} {self.path}: {error}")


def _code_of(error: Exception) -> int:
    """Return SQLite's code of an error, 0 for an error of Python's module itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _make(path: str, tables: str) -> None:
    """Create a database with its tables, unless another process is faster.

    SQLite would make it in steps, and a process that is killed between two of them would leave a
    file that has no tables. It gives its own files next to this one the same mode.
    """
    with closing(sqlite3.connect(":memory:")) as memory:
        _add_checksum(memory)
        memory.executescript(tables)
        content = bytearray(memory.serialize())
    content[_JOURNAL_MODE] = _WAL
    unfinished = Path(f"{path}.{secrets.token_hex(4)}{UNFINISHED}")
    try:
        make_folder(unfinished.parent)
        with create_file(unfinished, "xb") as stream:
            stream.write(content)
        move_in(str(unfinished), path, must_be_new=True)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        if not isinstance(error, FileExistsError):
            raise OSError(f"cannot write {path}: {error.strerror or error}") from None


def _add_checksum(connection: sqlite3.Connection) -> None:
    # A checksum of what the values are, not of SQLite's pages: it is the same after a VACUUM.
    crc = lambda *values: zlib.crc32(_encode_row(values))  # noqa: E731
    connection.create_function("row_checksum", -1, crc, deterministic=True)


def damage(path: str, reason: str) -> str:
    """Say that a database is damaged, and what to do."""
    return (
        f"{path} is damaged ({reason}), and was left as it is: restore it from a copy, or move its"
        " folder away and start again. What Pub/Sub still holds is delivered again, and a backfill"
        " starts over; what the database alone held is lost"
    )
