"""Index the answers of output folders, so that a page of a million is found in an instant."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from groundwatch.launch.quality.evaluate.strata import Stratum, next_stratum
from groundwatch.launch.results.shares import Sample
from groundwatch.launch.results.waiting_rows import describe_waiting
from groundwatch.pipeline.sources.output_folder import find_files, read_answer_row
from groundwatch.schemas import Record
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.schemas.quantities import DAY_US, to_us
from groundwatch.transforms.persistence.database import DamagedDatabase, Database, SqlValue
from groundwatch.transforms.rules.thresholds import Thresholds
from . import index_entries

_PAGE = 25
# By record id: an answer gets another number when the index is made again, by any process.
_LABELLED = "CREATE TEMP TABLE labelled(record_id TEXT PRIMARY KEY, label TEXT, sample TEXT)"
_ORDERS = {"score": "score", "newest": "-time_us", "oldest": "iif(time_us = 0, 1 << 62, time_us)"}
_ID_OF = "(SELECT id FROM ids WHERE record_id = ?)"
# From the labels, which are few, to the answers.
_LABELLED_IDS = "SELECT id FROM labelled CROSS JOIN ids USING (record_id)"
_LABELLED_RECORDS = "labelled CROSS JOIN ids USING (record_id) CROSS JOIN records USING (id)"
_NUMBER_OF = "(SELECT number FROM names WHERE kind = ? AND name = ?)"
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
        identity = msgspec.json.encode([index_entries.FORMAT, sorted(folders.items())])
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
        return Database(str(self.path), index_entries.TABLES, durable=False)

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
            path not in found or (version and version != index_entries.version_of(path))
            for path, version in known.items()
        )
        if not is_outdated and known.keys() == found.keys():
            return 0
        # A connection of its own: readers do not wait for a file.
        with closing(self._open()) as writer:
            if is_outdated:
                with writer.transaction():
                    for statement in index_entries.DELETE:
                        writer.write(statement)
                known = {}
            new = [path for path in found if path not in known]
            for number, path in enumerate(new):
                self.unread = len(new) - number
                if is_stopped():
                    return number
                with writer.transaction():
                    index_entries.add_file(writer, path, self.folders[found[path]])
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
        # A number that follows from what waits: the labels do not show the next stratum.
        chance = index_entries.chance_of(" ".join(waiting.values())) / index_entries.CHANCES
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
            limits[stratum] = (
                (index_entries.CHANCES if following is None else following) if is_sampled else 0
            )
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
            (f"score < {index_entries.UNSCORED} AND score <= ?", query.score_to),
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


def _start_us(day: date) -> int:
    return to_us(datetime.combine(day, time.min, UTC))
