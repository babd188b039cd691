"""Index the answers of output folders, so that a page of a million is found in an instant."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from groundwatch.launch.quality.evaluate.strata import Stratum, next_stratum, stratum_of
from groundwatch.launch.results.shares import Sample
from groundwatch.launch.results.waiting_rows import describe_waiting
from groundwatch.pipeline import storage
from groundwatch.pipeline.sources.output_folder import (
    UnreadableFile,
    find_files,
    locate_blocks,
    read_answer_row,
)
from groundwatch.schemas import Record
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.schemas.quantities import DAY_US, to_us
from groundwatch.transforms.persistence.database import DamagedDatabase, Database, SqlValue
from groundwatch.transforms.rules.thresholds import Thresholds

_FORMAT = 3
_PAGE = 25
_CHANCE_BYTES = 7
_CHANCES = 256**_CHANCE_BYTES
# The text of a record is in its file only. `id` is the order of reading; a name has a number.
# Only a damaged file has a version: of the moment before it was read.
_TABLES = """
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
_DELETE = (
    *("DELETE FROM files", "DELETE FROM names", "DELETE FROM ids", "DELETE FROM records"),
    "INSERT INTO words(words) VALUES ('delete-all')",
)
# By record id: an answer gets another number when the index is made again, by any process.
_LABELLED = "CREATE TEMP TABLE labelled(record_id TEXT PRIMARY KEY, label TEXT, sample TEXT)"
_ORDERS = {"score": "score", "newest": "-time_us", "oldest": "iif(time_us = 0, 1 << 62, time_us)"}
_NEW_FILE = "INSERT OR IGNORE INTO files(path, damage, version) VALUES (?, '', '') RETURNING file"
_NEW_ID = "INSERT OR IGNORE INTO ids(record_id) VALUES (?) RETURNING id"
_NEW_NAME = "INSERT INTO names(kind, name, records) VALUES (?, ?, 0) RETURNING number"
_NEW_ENTRY = (
    "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "INSERT INTO words(rowid, text, names) VALUES (?, ?, ?)",
)
_Entry = tuple[tuple[SqlValue, ...], tuple[SqlValue, ...]]  # in `records` and in `words`
_UNSCORED = 2.0  # behind all scores
_NO_TIME = 0
_SEARCHED = ("query", "answer_text", "answer_name")
NAME_KINDS = ("verdict", "reason", "engine", "tag", "document")


class Query(Record, frozen=True, kw_only=True, rename={"score_from": "from", "score_to": "to"}):
    """Which answers are listed, and in which order; every filter may be missing.

    Days are UTC, and inclusive. Scores, 0..1, are of the lowest claim, or else the support score.
    """

    verdict: str | None = None
    reason: str | None = None
    engine: str | None = None
    tag: str | None = None
    document: str | None = None
    words: str | None = None
    since: date | None = None
    until: date | None = None
    score_from: float | None = None
    score_to: float | None = None
    labelled: Literal["any", "none", "unsupported", "supported", "unsure"] | None = None
    order: Literal["score", "newest", "oldest"] = "score"


class Listing(NamedTuple):
    """A page of record ids, how many answers match, and the page's number, from 0, and count."""

    record_ids: list[str]
    matching: int
    number: int
    pages: int


class AnswerIndex:
    """An index of answers in a file of its own, which several processes may use.

    Args:
      folders: output folders, local or gs://, with the thresholds of each.
      cache: the folder of indexes.

    Raises:
      OSError: the index cannot be written.
    """

    def __init__(self, folders: Mapping[str, Thresholds], cache: Path) -> None:
        self.folders = folders
        identity = msgspec.json.encode([_FORMAT, sorted(folders.items())])
        self.path = cache / f"{hashlib.sha256(identity).hexdigest()[:32]}.sqlite"
        try:
            self._database = self._open()
        except DamagedDatabase:
            # It is made of the files, and can be made again.
            for name in ("", "-wal", "-shm"):
                Path(f"{self.path}{name}").unlink(missing_ok=True)
            self._database = self._open()
        self._database.write(_LABELLED)
        self.unread = 0

    def _open(self) -> Database:
        return Database(str(self.path), _TABLES, durable=False)

    def close(self) -> None:
        """Close the file, which stays for the next time."""
        self._database.close()

    def add_new_files(self, is_stopped: Callable[[], bool] = lambda: False) -> int:
        """Index the files that are not yet indexed, each in one transaction; return how many.

        Deletes all, and begins again, if an indexed file is gone, or a damaged one has changed. A
        damaged file counts with the answers before its damage.
        """
        found = {path: folder for folder in self.folders for path in find_files(folder).enriched}
        known = dict(self._rows("SELECT path, version FROM files"))
        is_outdated = any(
            path not in found or (version and version != _version(path))
            for path, version in known.items()
        )
        if not is_outdated and known.keys() == found.keys():
            return 0
        # A connection of its own: readers do not wait for a file.
        with closing(self._open()) as writer:
            if is_outdated:
                with writer.transaction():
                    for statement in _DELETE:
                        writer.write(statement)
                known = {}
            new = [path for path in found if path not in known]
            for number, path in enumerate(new):
                self.unread = len(new) - number
                if is_stopped():
                    return number
                with writer.transaction():
                    _add_file(writer, path, self.folders[found[path]])
                writer.checkpoint()
        self.unread = 0
        return len(new)

    def damaged(self) -> list[str]:
        return [damage for (damage,) in self._rows("SELECT damage FROM files WHERE damage <> ''")]

    def unpublished(self) -> list[str]:
        """Say which answers of the folders are in no file yet, a sentence for each place."""
        return [sentence for folder in self.folders for sentence in describe_waiting(folder)]

    def names(self, kind: str, limit: int = 200) -> list[tuple[str, int]]:
        """List the names of a kind, and of how many records, the most frequent first."""
        query = "SELECT name, records FROM names WHERE kind = ? ORDER BY records DESC LIMIT ?"
        return self._rows(query, kind, limit)

    def count(self) -> int:
        return int(self._rows("SELECT count(*) FROM records")[0][0])

    def count_labelled(self) -> int:
        """Count the answers that have a label, be it unsure."""
        return int(self._rows(f"SELECT count(*) FROM ({_LABELLED_IDS})")[0][0])  # noqa: S608

    def page(self, query: Query, number: int, without: str | None = None) -> Listing:
        """List one page, from 0, of the answers that match, `without` one record."""
        condition, values = self._condition(query, without)
        [(matching,)] = self._rows(f"SELECT count(*) FROM records WHERE {condition}", *values)  # noqa: S608
        pages = max(1, -(-matching // _PAGE))
        number = max(0, min(number, pages - 1))
        start = number * _PAGE
        size = min(_PAGE, matching - start)
        behind = matching - start - size
        # From the nearer end: SQLite sorts all that it skips.
        is_reversed, order = behind < start, _ORDERS[query.order]
        order = f"{order} DESC, id DESC" if is_reversed else f"{order}, id"
        found = self._listed(order, condition, values, size, min(start, behind))
        return Listing(found[::-1] if is_reversed else found, matching, number, pages)

    def neighbour(
        self, query: Query, record_id: str, *, is_next: bool, without: str | None = None
    ) -> str | None:
        """Return the record before or behind a record in the listed order, None at the end."""
        first = _ORDERS[query.order]
        key = self._rows(f"SELECT {first}, id FROM records WHERE id = {_ID_OF}", record_id)  # noqa: S608
        if not key:
            return None
        condition, values = self._condition(query, without)
        sign, direction = (">", "ASC") if is_next else ("<", "DESC")
        order = f"{first} {direction}, id {direction}"
        condition = f"{condition} AND ({first}, id) {sign} (?, ?)"
        found = self._listed(order, condition, (*values, *key[0]), 1)
        return found[0] if found else None

    def draw(self) -> str | None:
        """Return the answer to label next, None if each scored one has a label.

        It is the same, also after a restart and in another process, until it is labelled.
        """
        waiting = self.waiting()
        # A number that follows from what waits: nobody can tell the next stratum from the labels.
        chance = _chance(" ".join(waiting.values())) / _CHANCES
        drawn = next_stratum(self.samples(), waiting, chance)
        return waiting[drawn] if drawn else None

    def waiting(self) -> dict[Stratum, str]:
        """Return the unlabelled answer of each stratum that its random number puts first."""
        condition = f"stratum = ? AND id NOT IN ({_LABELLED_IDS})"
        found = {each: self._listed("chance, id", condition, (each,), 1) for each in Stratum}
        return {stratum: ids[0] for stratum, ids in found.items() if ids}

    def samples(self) -> dict[Stratum, Sample]:
        """Count the scored answers of each stratum, and the labels of a random sample of it.

        A labels file may also have answers of other folders, or ones that have changed strata.
        """
        return self.samples_by(None).get("", {})

    def samples_by(
        self, kind: Literal["engine", "reason"] | None
    ) -> dict[str, dict[Stratum, Sample]]:
        """Count the same by the engine, or the reason of the verdict; "" is of none."""
        name_of = "coalesce((SELECT name FROM names WHERE number = {}), '')".format
        limits = self._limits()
        counted = f"SELECT {name_of(kind or 'NULL')} AS name, stratum, count(*)"
        drawn = {
            (found, stratum): counts
            for stratum, limit in limits.items()
            for found, stratum, *counts in self._rows(
                f"{counted}, sum(label = 'unsupported') FROM {_LABELLED_RECORDS}"
                " WHERE stratum = ? AND chance < ? AND label <> 'unsure' GROUP BY 1, 2",
                stratum,
                limit,
            )
        }
        samples: defaultdict[str, dict[Stratum, Sample]] = defaultdict(dict)
        for found, stratum, size in self._rows(
            f"{counted} FROM records WHERE stratum <> '' GROUP BY 1, 2"
        ):
            samples[found][Stratum(stratum)] = Sample(size, *drawn.get((found, stratum), (0, 0)))
        return dict(samples)

    def _limits(self) -> dict[Stratum, int]:
        """Return the random number below which the labelled answers of a stratum are its sample.

        Answers are drawn in the order of their numbers. Those that a person chose before their turn
        are passed over, and count as the drawn ones do: without them, and with those whose turn is
        still to come, the labels would be of answers that people choose.
        """
        last = dict(
            self._rows(
                f"SELECT stratum, max(chance) FROM {_LABELLED_RECORDS}"  # noqa: S608
                " WHERE sample = stratum GROUP BY 1"
            )
        )
        limits = {}
        for stratum in Stratum:
            query = (
                "SELECT min(chance) FROM records"  # noqa: S608
                f" WHERE stratum = ? AND chance > ? AND id NOT IN ({_LABELLED_IDS})"
            )
            [(following,)] = self._rows(query, stratum, last.get(stratum, -1))
            is_sampled = stratum in last or following is None  # or all are labelled
            limits[stratum] = (_CHANCES if following is None else following) if is_sampled else 0
        return limits

    def stratum(self, record_id: str) -> Stratum | None:
        """Return the stratum of a record, None without scores."""
        rows = self._rows(f"SELECT stratum FROM records WHERE id = {_ID_OF}", record_id)  # noqa: S608
        return Stratum(rows[0][0]) if rows and rows[0][0] else None

    def set_label(self, record_id: str, label: str | None, sample: str | None) -> None:
        """Let the filters know what the label of an answer is, None for none."""
        if label:
            replace = "INSERT OR REPLACE INTO labelled VALUES (?, ?, ?)"
            self._database.write(replace, record_id, label, sample)
        else:
            self._database.write("DELETE FROM labelled WHERE record_id = ?", record_id)

    def unlabelled(self) -> dict[str | None, dict[str, int]]:
        """Count the answers without a label by engine and verdict."""
        name = "(SELECT name FROM names WHERE number = {})".format
        rows = self._rows(
            f"SELECT {name('engine')}, {name('verdict')}, count(*) FROM records"  # noqa: S608
            f" WHERE id NOT IN ({_LABELLED_IDS} WHERE label <> 'unsure') GROUP BY 1, 2"
        )
        found: defaultdict[str | None, dict[str, int]] = defaultdict(dict)
        for engine, verdict, count in rows:
            found[engine][verdict] = count
        return dict(found)

    def read(self, record_ids: Sequence[str]) -> Iterator[AnswerRow]:
        """Read answers from their files, in this order; unknown ones are left out."""
        source = "SELECT path, start_byte, place FROM records JOIN files USING (file)"
        query = f"{source} WHERE id = {_ID_OF}"
        for record_id in record_ids:
            for path, start_byte, place in self._rows(query, record_id):
                yield read_answer_row(path, start_byte, place)

    def _listed(
        self, order: str, condition: str, values: Sequence[SqlValue], limit: int, offset: int = 0
    ) -> list[str]:
        inner = f"SELECT id FROM records WHERE {condition} ORDER BY {order} LIMIT ? OFFSET ?"  # noqa: S608
        # The ids of the page only are looked up.
        query = f"SELECT (SELECT record_id FROM ids WHERE ids.id = page.id) FROM ({inner}) AS page"  # noqa: S608
        return [record_id for (record_id,) in self._rows(query, *values, limit, offset)]

    def _condition(self, query: Query, without: str | None) -> tuple[str, list[SqlValue]]:
        conditions = [f"id IS NOT {_ID_OF}"]
        values: list[SqlValue] = [without]

        def add(condition: str, *given: SqlValue) -> None:
            conditions.append(condition)
            values.extend(given)

        for kind in ("verdict", "reason", "engine"):
            if (name := getattr(query, kind)) is not None:
                add(f"{kind} = {_NUMBER_OF}", kind, name)
        matches = [
            f'names: "n{self._number(kind, name)}"'
            for kind in ("tag", "document")
            if (name := getattr(query, kind)) is not None
        ]
        # Split as the tokenizer does, so that no operator of it is left.
        words = "".join(each if each.isalnum() else " " for each in query.words or "").split()
        matches += [f'text: "{each}" *' for each in words]
        if matches:
            add("id IN (SELECT rowid FROM words WHERE words MATCH ?)", " AND ".join(matches))
        for condition, value in (
            ("time_us >= ?", _start_us(query.since) if query.since else None),
            ("time_us < ?", _start_us(query.until) + DAY_US if query.until else None),
            ("score >= ?", query.score_from),
            (f"score < {_UNSCORED} AND score <= ?", query.score_to),
        ):
            if value is not None:
                add(condition, value)
        if query.labelled in {"any", "none"}:
            add(f"(id IN ({_LABELLED_IDS})) = ?", query.labelled == "any")
        elif query.labelled:
            add(f"id IN ({_LABELLED_IDS} WHERE label = ?)", query.labelled)
        return " AND ".join(conditions), values

    def _number(self, kind: str, name: str) -> int:
        return self._rows(f"SELECT {_NUMBER_OF}", kind, name)[0][0] or 0

    def _rows(self, query: str, *values: SqlValue) -> list[Any]:
        return list(self._database.read(query, *values))


_ID_OF = "(SELECT id FROM ids WHERE record_id = ?)"
# From the labels, which are few, to the answers.
_LABELLED_IDS = "SELECT id FROM labelled CROSS JOIN ids USING (record_id)"
_LABELLED_RECORDS = "labelled CROSS JOIN ids USING (record_id) CROSS JOIN records USING (id)"
_NUMBER_OF = "(SELECT number FROM names WHERE kind = ? AND name = ?)"


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


def _add_file(database: Database, path: str, thresholds: Thresholds) -> None:
    added = database.write_returning(_NEW_FILE, path)
    if not added:
        return  # by another process
    [(file,)], names, version = added, _Names(database), _version(path)
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


def _version(path: str) -> str:
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
        *(scores[0] if scores else _UNSCORED, stratum or "", _chance(row["record_id"])),
    )
    text = "\n".join(read(name) or "" for name in _SEARCHED)
    return record, (where[0], text, " ".join([f"n{each}" for each in marks]))


def _start_us(day: date) -> int:
    return to_us(datetime.combine(day, time.min, UTC))


def _chance(text: str) -> int:
    """Return a random number below _CHANCES that is the same for the same text."""
    digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=_CHANCE_BYTES).digest()
    return int.from_bytes(digest)
