"""Index the answers of a file: their places, names, numbers and words, in tables of SQLite."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from groundwatch.launch.quality.evaluate.strata import stratum_of
from groundwatch.pipeline import storage
from groundwatch.pipeline.sources.output_folder import UnreadableFile, locate_blocks
from groundwatch.schemas.quantities import to_us
from groundwatch.transforms.persistence.database import Database, SqlValue
from groundwatch.transforms.rules.thresholds import Thresholds

_CHANCE_BYTES = 7
CHANCES = 256**_CHANCE_BYTES
FORMAT = 3  # of the tables and of what is in them
# The text of a record is in its file only. `id` is the order of reading; a name has a number.
# Only a damaged file has a version: of the moment before it was read.
TABLES = """
CREATE TABLE IF NOT EXISTS files(
  file INTEGER PRIMARY KEY, path TEXT UNIQUE, damage TEXT, version TEXT);
CREATE TABLE IF NOT EXISTS names(
  number INTEGER PRIMARY KEY, kind TEXT, name TEXT, records INTEGER, UNIQUE (kind, name));
CREATE TABLE IF NOT EXISTS ids(id INTEGER PRIMARY KEY, record_id TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS records(
  id INTEGER PRIMARY KEY, file INTEGER, start_byte INTEGER, place INTEGER, verdict INTEGER,
  reason INTEGER, engine INTEGER, time_us INTEGER, score REAL, stratum TEXT, chance INTEGER);
CREATE INDEX IF NOT EXISTS draws ON records(stratum, chance);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  text, names, content = '', columnsize = 0, tokenize = "unicode61 remove_diacritics 2");
"""
DELETE = (
    *("DELETE FROM files", "DELETE FROM names", "DELETE FROM ids", "DELETE FROM records"),
    "INSERT INTO words(words) VALUES ('delete-all')",
)
_NEW_FILE = "INSERT OR IGNORE INTO files(path, damage, version) VALUES (?, '', '') RETURNING file"
_NEW_ID = "INSERT OR IGNORE INTO ids(record_id) VALUES (?) RETURNING id"
_NEW_NAME = "INSERT INTO names(kind, name, records) VALUES (?, ?, 0) RETURNING number"
_NEW_ENTRY = (
    "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "INSERT INTO words(rowid, text, names) VALUES (?, ?, ?)",
)
_Entry = tuple[tuple[SqlValue, ...], tuple[SqlValue, ...]]  # in `records` and in `words`
UNSCORED = 2.0  # behind all scores
_NO_TIME = 0
_SEARCHED = ("query", "answer_text", "answer_name")


class _Names(dict[tuple[str, str], int]):
    """The numbers of the kinds and names of records; `records` has some number once a record."""

    def __init__(self, database: Database) -> None:
        rows = database.read("SELECT kind, name, number FROM names")
        super().__init__(((kind, name), number) for kind, name, number in rows)
        self._database = database
        self.records: Counter[int | None] = Counter()

    def __missing__(self, key: tuple[str, str]) -> int:
        [(number,)] = self._database.write_returning(_NEW_NAME, *key)
        self[key] = number
        return int(number)

    def store(self) -> None:
        """Add the records of the file to those of the files before."""
        update = "UPDATE names SET records = records + ? WHERE number = ?"
        self._database.write_many(update, ((count, name) for name, count in self.records.items()))


def add_file(database: Database, path: str, thresholds: Thresholds) -> None:
    """Index the answers of a file, a damaged one up to its damage, unless another process has."""
    added = database.write_returning(_NEW_FILE, path)
    if not added:
        return
    [(file,)], names, version = added, _Names(database), version_of(path)
    try:
        for start_byte, rows in locate_blocks(path):
            entries: list[_Entry] = []
            for place, row in enumerate(rows):
                # A repeated answer counts once, as in the report.
                for (number,) in database.write_returning(_NEW_ID, row["record_id"]):
                    where = (number, file, start_byte, place)
                    entries.append(_entry(names, where, row, thresholds))
            # The texts of one block fit into the memory; those of many may not.
            for part, statement in enumerate(_NEW_ENTRY):
                database.write_many(statement, (each[part] for each in entries))
    except UnreadableFile as error:
        change = "UPDATE files SET damage = ?, version = ? WHERE file = ?"
        database.write(change, str(error), version, file)
    names.store()


def version_of(path: str) -> str:
    """Return what changes with the content of a file."""
    return "{} {}".format(*storage.version(path))


def _entry(
    names: _Names, where: tuple[int, int, int, int], row: Mapping[str, Any], thresholds: Thresholds
) -> _Entry:
    """Index an answer, which has a number, and stands in a file, from a byte, at a place."""
    read = row.get  # a released schema may lack a field
    engine, event_time, verdict = read("engine"), read("event_time"), row["verdict"]
    lowest, support = read("min_claim_score"), read("support_score")
    scores = [score for score in (lowest, support) if score is not None]
    stratum = stratum_of(verdict, support, lowest, thresholds.of_engine(engine))
    sources = {each.get("document") or each.get("uri") for each in read("facts") or ()}
    marks = [names["tag", tag] for tag in set(read("tags") or ()) if tag]
    marks += [names["document", source] for source in sources if source]
    kinds = (("verdict", verdict), ("reason", read("verdict_reason")), ("engine", engine))
    numbers = [names[kind, name] if name else None for kind, name in kinds]
    names.records.update(marks)
    names.records.update(numbers)
    record = (
        *where,
        *numbers,
        to_us(event_time) if isinstance(event_time, datetime) else _NO_TIME,
        *(scores[0] if scores else UNSCORED, stratum or "", chance_of(row["record_id"])),
    )
    text = "\n".join(read(name) or "" for name in _SEARCHED)
    return record, (where[0], text, " ".join([f"n{each}" for each in marks]))


def chance_of(text: str) -> int:
    """Return a random number below `CHANCES` that is the same for the same text."""
    digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=_CHANCE_BYTES).digest()
    return int.from_bytes(digest)
