"""Open the one database of a run or worker, and refuse what this version cannot continue."""

import fcntl
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TypeVar

import msgspec

from groundwatch.pipeline import storage
from groundwatch.pipeline.errors import LockFailed, RunFailed
from groundwatch.pipeline.settings.checker import DATABASE
from groundwatch.pipeline.sinks.row_formats import EnrichedFiles
from groundwatch.pipeline.storage.local_files import NoLocks, open_locked, refusing_no_locks
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.transforms.grounding.reply_cache import REPLY_TABLES
from groundwatch.transforms.persistence.database import (
    UNFINISHED,
    DamagedDatabase,
    Database,
    damage,
)
from groundwatch.transforms.persistence.private_files import make_folder
from . import statements
from .earlier_schema import can_convert, convert_rows, read_records, schema_hash

_LOGS = ("-shm", "-wal")
_JOURNAL = "-journal"
_HEADER_BYTES = 100  # of a database; a shorter one is empty to SQLite
_OLD_STATE = ("journal.sqlite", "plan.json")
_OLD_TABLES = ("batches", "outbox")
_IDENTITY, _RUN, SCHEMA = "identity", "run", "schema"
_IDENTITY_BYTES = 4
_LOCK_TIMEOUT_S = 10.0
_Content = TypeVar("_Content")


class OtherVersion(RunFailed):
    """The work folder holds unpublished rows of a version that this one cannot continue."""


class EngineDatabase(Database):
    """The database of one run or worker; what a transaction has written survives a power failure.

    The random identity is in the names of its files, so that two databases never write the same
    name.

    Raises:
      OtherVersion: another version has left unpublished rows; nothing is changed.
      OSError: it cannot be opened, or is damaged, now; or cannot be read or written, later.
    """

    def __init__(self, folder: str, *, is_read_only: bool = False) -> None:
        self.folder = folder
        tables = None if is_read_only else statements.CREATE_TABLES
        super().__init__(str(Path(folder, DATABASE)), tables, durable=True)

    @classmethod
    def owned(cls, folder: str) -> "EngineDatabase":
        """Open the database of this run or worker, after a test that it can be continued.

        Its folder must be held (`folder_held`): a file in which no run was begun is replaced.
        """
        path = Path(folder, DATABASE)
        if not holds_run(path):
            storage.remove([f"{path}{suffix}" for suffix in (_JOURNAL, *_LOGS, "")])
        storage.remove([str(left) for left in path.parent.glob(f"{DATABASE}.*{UNFINISHED}")])
        _refuse_other_versions(Path(folder))
        database = cls(folder)
        if not database.note(_IDENTITY, str):
            database.reset()
        with database.transaction():
            convert_rows(database, database.schema)
            database.keep_note(SCHEMA, schema_hash())
        return database

    @property
    def identity(self) -> str:
        return self.note(_IDENTITY, str) or ""

    def reset(self) -> None:
        """Take a new identity, and delete all rows but paid replies and what was spent."""
        with self.transaction():
            for statement in statements.DELETE_ALL_ROWS:
                self.write(statement)
            self.keep_note(_IDENTITY, secrets.token_hex(_IDENTITY_BYTES))

    def assign_run(self, run: str) -> None:
        """Let the database belong to a run; raise OSError if it belongs to another."""
        owner = self.note(_RUN, str)
        if owner not in {None, run}:
            raise OSError(
                f"{self.path} belongs to the run {owner!r}, and this is {run!r}; give"
                f" --run_id {owner} to resume it, or another --work_folder"
            )
        self.keep_note(_RUN, run)

    @property
    def run(self) -> str | None:
        """The run that the database belongs to, None before `assign_run`."""
        return self.note(_RUN, str)

    @property
    def schema(self) -> str:
        """The hash of the schema of the records in it."""
        return self.note(SCHEMA, str) or schema_hash()

    def read_chunk(self, number: int) -> tuple[bytes, str, int, int | None, int | None]:
        """Return the rows of a chunk that waits for a file, their policy, number and times.

        Raises:
          DamagedDatabase: they are not what was written.
        """
        [(content, is_right, *others)] = self.read(statements.READ_CHUNK, number)
        if not is_right:
            raise DamagedDatabase(damage(self.path, "rows are not what was written"))
        return (content, *others)

    def waiting_answers(self) -> Iterator[AnswerRow]:
        """Read the records that wait for a file, also those of an earlier release."""
        for (number,) in list(self.read(statements.LIST_CHUNKS_OF_KIND, EnrichedFiles.kind)):
            content, *_ = self.read_chunk(number)
            yield from read_records(content, self.schema)

    def note(self, name: str, content_type: type[_Content]) -> _Content | None:
        """Read a note, None if there is none of this name."""
        return self.read_content(content_type, statements.READ_NOTE, name)

    def keep_note(self, name: str, noted: object) -> None:
        self.write(statements.PUT_NOTE, name, msgspec.json.encode(noted))

    def remove(self) -> None:
        """Delete the files of a database whose run has ended; the lock of the folder is kept.

        The database goes last: a log without one is taken for damage.
        """
        self.checkpoint()
        self.close()
        storage.remove([f"{self.path}{suffix}" for suffix in (*_LOGS, "")])


@contextmanager
def folder_held(folder: str) -> Iterator[None]:
    """Keep other processes out of a work folder while a `with` block lasts, or raise LockFailed.

    The lock is the system's, on the folder itself: a killed process leaves none.
    """

    def open_folder() -> int:
        make_folder(folder)
        return os.open(folder, os.O_RDONLY)

    with storage.describing_errors(f"cannot write {folder}"):
        try:
            _try_locks(folder)
            descriptor = open_locked(open_folder, folder, _LOCK_TIMEOUT_S)
        except NoLocks as error:
            advice = "give --work_folder a folder on a local disk; only --output may be elsewhere"
            raise OSError(f"{error}: {advice}") from None
    if descriptor is None:
        raise LockFailed(
            f"another run or worker is active, and holds {folder}: wait until it has ended, or give"
            " a further worker a --work_folder of its own"
        )
    try:
        yield
    finally:
        os.close(descriptor)


def _try_locks(folder: str) -> None:
    """Raise NoLocks where files have none; SQLite would wait for two minutes."""
    make_folder(folder)
    try:
        probe = TemporaryFile(dir=folder)  # noqa: SIM115 - only its opening may fail
    except OSError:
        return  # A full disk is reported when the database is written.
    with probe, refusing_no_locks():
        fcntl.lockf(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)


def holds_run(path: Path) -> bool:
    """Return whether a database has its tables; True if it is damaged, or of another version.

    Version 2.0.0 made it in steps, so that a process that was killed meanwhile left a part.
    """
    if (size_bytes := _size_of(path)) < _HEADER_BYTES:
        # An empty log had rows, which are in the database.
        return size_bytes > 0 or _has_log(path)
    if path.with_name(f"{DATABASE}{_JOURNAL}").exists():
        # Only who may write can end what it has begun.
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection:
            connection.execute(statements.ROLL_BACK_INTERRUPTED)
    try:
        with closing(Database(str(path), None, durable=False)) as database:
            [(version,)] = database.read(statements.READ_FORMAT)
            tables = {name for (name,) in database.read(statements.LIST_TABLES)}
            is_part = version in {0, statements.FORMAT} and tables < {*statements.TABLES}
            return not is_part or _has_row(database, tables)
    except OSError:
        return True


def may_hold(folder: str, run: str) -> bool:
    """Return whether a work folder has the database of a run; True if it is damaged."""
    if not holds_run(Path(folder, DATABASE)):
        return False
    try:
        with closing(EngineDatabase(folder, is_read_only=True)) as database:
            return database.run == run
    except OSError:
        return True


def _has_log(path: Path) -> bool:
    return any(path.with_name(f"{DATABASE}{suffix}").exists() for suffix in _LOGS)


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _refuse_other_versions(folder: Path) -> None:
    path = folder / DATABASE
    if _size_of(path) >= _HEADER_BYTES:
        _refuse_other_format(folder)
    elif _has_log(path):
        # SQLite would delete the log, and begin with nothing.
        raise DamagedDatabase(damage(str(path), "only its log is left"))
    for name in _OLD_STATE:
        if (folder / name).exists() and _has_old_rows(folder / name):
            raise OtherVersion(
                f"{folder / name} holds results of an earlier version (1.0.0 or 2.0.0.dev0) that"
                " are in no output file yet: give the same command with that version to finish"
                " them, or choose another --work_folder; nothing was changed"
            )


def _refuse_other_format(folder: Path) -> None:
    with closing(Database(str(folder / DATABASE), None, durable=False)) as database:
        [(found,)] = database.read(statements.READ_FORMAT)
        if found not in {0, statements.FORMAT}:
            raise OtherVersion(
                f"{folder / DATABASE} was written by another version (format {found}, and this one"
                f" has {statements.FORMAT}): finish it with that version, or choose another"
                " --work_folder; nothing was changed"
            )
        database.verify(statements.CREATE_TABLES + statements.CREATE_POSTED + REPLY_TABLES)
        if found != statements.FORMAT:
            return
        schema = database.read_content(str, statements.READ_NOTE, SCHEMA)
        if schema and _has_row(database, ["chunks"]) and not can_convert(schema):
            raise OtherVersion(
                f"{folder / DATABASE} holds records of another schema, which this version does not"
                " know, that are in no output file yet: finish it with the version that wrote them;"
                " nothing was changed"
            )


def _has_row(database: Database, tables: Iterable[str]) -> bool:
    return any(next(database.read(statements.FIND_ROW[table]), None) for table in tables)


def _has_old_rows(path: Path) -> bool:
    """Return whether a file of an earlier version holds rows that no output file has."""
    if path.name == "plan.json":
        return True
    # A copy is read: SQLite changes files beside a database even to read it.
    with TemporaryDirectory() as copies:
        for name in (path.name, f"{path.name}-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(path.with_name(name), Path(copies, name))
        with closing(Database(str(Path(copies, path.name)), "", durable=False)) as database:
            return _has_row(database, _OLD_TABLES)
