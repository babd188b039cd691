"""Read an output folder, and the journals of its workers, for comparison."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import fastavro
import msgspec
import numpy as np

from launch.verify.differences import KINDS, Folder, FoundFile, FoundJournal, kind_of
from launch.watch.durable.journal import Journal
from pipeline import storage
from pipeline.sinks.summary_file import read_summaries, read_total
from schemas.file_entry import FileEntry, file_entry_from_json

_ENRICHED, _FAILURES = "enriched", "failures"
_PREFIX_DIGITS = 16
_JOURNAL = "journal.sqlite"


class _FailureId(msgspec.Struct):
    record_id: str | None


class NothingFound(Exception):
    """The folder holds no output of groundwatch."""


def read_folder(root: str, work_folders: Iterable[str]) -> Folder:
    """Read all rows of an output folder, and what its runs say of them.

    Args:
      root: the output folder, local or gs://.
      work_folders: those of its workers that lie elsewhere.

    Returns:
      What was found. Memory grows by 8 bytes a record.

    Raises:
      NothingFound: there is no output.
      OSError: a file cannot be read.
    """
    # Before the files: what a worker publishes meanwhile shows as more rows, never as fewer.
    journals = tuple(_read_journal(path) for path in find_journals(root, work_folders))
    runs = tuple(read_summaries(root))
    manifest = tuple(_read_manifests(root))
    ids = _Ids()
    files = tuple(_read_files(root, ids))
    if not (journals or runs or manifest or files):
        raise NothingFound(f"{root}: holds no output of groundwatch")
    return Folder(
        runs=runs,
        total=read_total(root),
        manifest=manifest,
        files=files,
        journals=journals,
        repeated_ids=_repeated(ids, root, files),
    )


def find_journals(root: str, work_folders: Iterable[str]) -> list[str]:
    """Find the journals of an output's workers: below it, and in the folders that are named.

    Args:
      root: the output folder, or a worker's work folder.
      work_folders: others.
    """
    folders = [Path(folder) for folder in work_folders]
    if storage.is_local(root):
        folders += [Path(root), *sorted(Path(root).glob(".groundwatch-*"))]
    paths = {(folder / _JOURNAL).resolve() for folder in folders}
    return sorted(str(path) for path in paths if path.is_file())


def _read_journal(path: str) -> FoundJournal:
    with closing(Journal(path)) as journal:
        accounts = journal.ledger()
        return FoundJournal(
            path=path,
            run=journal.run or "",
            identity=journal.identity,
            counts=journal.totals(),
            gap=sum(account.gap for account in accounts),
            enriched=sum(account.enriched for account in accounts),
            failures=sum(account.failures for account in accounts),
            alerts=journal.alerts_raised(),
            unpublished=journal.unpublished().rows,
            set_aside=sum(part.rows for part in journal.parts_set_aside()),
            waiting_failures=journal.count_outbox("failure"),
            waiting_alerts=journal.count_outbox("alert"),
        )


def _read_manifests(root: str) -> Iterator[FileEntry]:
    for path in storage.find_below(storage.join(root, "manifest")):
        try:
            for line in storage.read_whole(path).splitlines():
                yield file_entry_from_json(line)
        except ValueError:
            raise OSError(f"{path} is not a manifest of groundwatch") from None


def _read_files(root: str, ids: "_Ids") -> Iterator[FoundFile]:
    for kind in KINDS:
        folder = storage.join(root, kind)
        for path in storage.find_below(folder):
            name = path.removeprefix(storage.join(root, ""))
            if not name.rpartition("/")[2].startswith("."):
                yield _read_file(path, name, kind, ids)


def _read_file(path: str, name: str, kind: str, ids: "_Ids") -> FoundFile:
    rows, damage = 0, None
    try:
        with storage.read(path) as stream:
            if kind == _ENRICHED:
                for row in fastavro.reader(stream):
                    ids.add(row["record_id"])
                    rows += 1
            else:
                for line in stream:
                    rows += 1
                    if kind == _FAILURES and (record_id := _id_of_failure(line)):
                        ids.add(record_id)
                    damage = None if line.endswith(b"\n") else "its last line has no end"
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - fastavro raises anything for damage
        damage = type(error).__name__
    return FoundFile(path=name, rows=rows, size_bytes=storage.size(path), damage=damage)


class _Ids:
    """The first eight bytes of each record id."""

    def __init__(self) -> None:
        self._prefixes = array("Q")

    def add(self, record_id: str) -> None:
        self._prefixes.append(int(record_id[:_PREFIX_DIGITS], 16))

    def repeated(self) -> set[int]:
        """Find prefixes that occur more than once."""
        values, counts = np.unique(np.array(self._prefixes, dtype=np.uint64), return_counts=True)
        return set(values[counts > 1].tolist())


def _repeated(ids: _Ids, root: str, files: Iterable[FoundFile]) -> dict[str, int]:
    """Name the record ids that occur more than once: in a second reading, only where there are."""
    prefixes = ids.repeated()
    if not prefixes:
        return {}
    counted: Counter[str] = Counter()
    for file in files:
        counted.update(
            record_id
            for record_id in _ids_in(storage.join(root, file.path), file)
            if int(record_id[:_PREFIX_DIGITS], 16) in prefixes
        )
    return {record_id: count for record_id, count in counted.items() if count > 1}


def _ids_in(path: str, file: FoundFile) -> Iterator[str]:
    """Read the record ids of a file's records or failures, up to where it is damaged."""
    kind = kind_of(file.path)
    if kind not in (_ENRICHED, _FAILURES):
        return
    with storage.read(path) as stream:
        if kind == _ENRICHED:
            for row in islice(fastavro.reader(stream), file.rows):
                yield row["record_id"]
        else:
            yield from filter(None, map(_id_of_failure, stream))


def _id_of_failure(line: bytes) -> str | None:
    """Read the record id of a failure, None if its message could not be read."""
    try:
        return msgspec.json.decode(line, type=_FailureId).record_id
    except msgspec.MsgspecError:
        return None
