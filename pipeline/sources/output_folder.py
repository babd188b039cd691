"""Find, read and write the files of an output folder."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import msgspec

from groundwatch.pipeline import storage
from groundwatch.schemas import Record
from groundwatch.schemas.enriched_answer import AnswerRow, is_enriched_schema
from groundwatch.schemas.summary import ReplayedFile
from groundwatch.transforms.rules.thresholds import Thresholds
from .avro_files import ArchiveRow, AvroFile
from .compression import DamagedArchive
from .output_records import AlertLine, FailureLine, RunSummary

_Row = TypeVar("_Row")
_Line = TypeVar("_Line", AlertLine, AnswerRow, FailureLine)


class UnreadableFile(Exception):
    """A file is damaged, or is not groundwatch's; the message quotes no content.

    `damage` says what is wrong in a damaged one, and is None where the file cannot be read at all.
    """

    def __init__(self, path: str, problem: str, damage: str | None = None) -> None:
        super().__init__(f"{path}: {problem}")
        self.damage = damage


class OutputFiles(Record, frozen=True, kw_only=True):
    """The sorted paths of an output folder's files, of all runs that wrote there."""

    enriched: tuple[str, ...] = ()
    alerts: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    summary: str | None = None


def find_files(folder: str) -> OutputFiles:
    """List the files of an output folder."""

    def files_of(kind: str, extension: str) -> tuple[str, ...]:
        return tuple(storage.find_visible(storage.join(folder, kind), extension))

    return OutputFiles(
        enriched=files_of("enriched", ".avro"),
        alerts=files_of("alerts", ".jsonl"),
        failures=files_of("failures", ".jsonl"),
        summary=next(iter(storage.find(storage.join(folder, "summary.json"))), None),
    )


def read_answers(path: str) -> Iterator[AnswerRow]:
    """Read the rows of an enriched file, as `read_blocks` does.

    Whole rows: projecting them with a reader schema takes fastavro longer than reading them
    (tests/benchmarks/review_speed.py measures both).
    """
    with _explain_damage(path):
        for rows in read_blocks(path):
            for row in rows:
                yield msgspec.convert(row, AnswerRow)


def until_damage(rows: Iterable[_Row], damaged: list[str]) -> Iterator[_Row]:
    """Yield the rows of a file up to where it is damaged; add what is wrong with it to a list."""
    try:
        yield from rows
    except UnreadableFile as error:
        damaged.append(str(error))


def read_blocks(path: str) -> Iterator[list[ArchiveRow]]:
    """Read the blocks of an enriched file; raise UnreadableFile after the last good one."""
    for _, rows in locate_blocks(path):
        yield rows


def read_record_ids(path: str) -> Iterator[str]:
    """Read the record ids of an enriched file; raise OSError if it is damaged."""
    try:
        for rows in read_blocks(path):
            yield from (row["record_id"] for row in rows)
    except UnreadableFile as error:
        raise OSError(f"{error}: restore it, or delete it to do without its answers") from None


def locate_blocks(path: str) -> Iterator[tuple[int, list[ArchiveRow]]]:
    """Read blocks, as `read_blocks` does; yield the byte where each begins, and its rows."""
    with _open_enriched(path) as file:
        start_byte = file.position
        for rows in file.blocks():
            yield start_byte, rows
            start_byte = file.position


def read_answer_row(path: str, start_byte: int, place: int) -> AnswerRow:
    """Read one row of the block that begins at a byte, from 0; raise UnreadableFile."""
    with _open_enriched(path) as file:
        file.seek(start_byte)
        return msgspec.convert(next(file.blocks())[place], AnswerRow)


@contextmanager
def _open_enriched(path: str) -> Iterator[AvroFile]:
    """Open an enriched file; what is wrong with it, now or later, is an UnreadableFile."""
    with _explain_damage(path), storage.read_ahead(path) as stream:
        file = AvroFile(stream, handle_unicode_errors="replace")
        if not is_enriched_schema(file.schema):
            raise UnreadableFile(path, "holds no enriched answers", "it holds no enriched answers")
        yield file


def read_lines(path: str, kind: type[_Line]) -> Iterator[_Line]:
    """Read alerts or failures; raise UnreadableFile after the last good line."""
    decoder = msgspec.json.Decoder(kind)
    with _explain_damage(path), storage.read(path) as stream:
        for line in stream:
            yield decoder.decode(line)
            if not line.endswith(b"\n"):
                raise DamagedArchive("its last line has no end")


def read_failures(path: str, replayed: Iterable[ReplayedFile]) -> Iterator[FailureLine | None]:
    """Read the failures of a file, as `read_lines` does; None stands for a resolved one.

    A replay that a budget has stopped leaves those that it has resolved in their file.
    """
    stopped = [each for each in replayed if path.endswith(f"/{each.path}") and not each.moved_to]
    for row, failure in enumerate(read_lines(path, FailureLine)):
        yield None if any(each.has_resolved(row) for each in stopped) else failure


def read_summary(path: str) -> RunSummary:
    """Read summary.json; raise UnreadableFile if it is not a summary."""
    with _explain_damage(path):
        return msgspec.json.decode(storage.read_whole(path), type=RunSummary)


def read_thresholds(files: OutputFiles) -> Thresholds:
    """Return the thresholds of a folder's summary, else the default ones."""
    summary = read_summary(files.summary) if files.summary else None
    return (summary and summary.thresholds) or Thresholds()


@contextmanager
def _explain_damage(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnreadableFile(path, f"cannot be read: {error.strerror or error}") from None
    except DamagedArchive as error:
        raise UnreadableFile(path, f"is damaged: {error}", str(error)) from None
    except msgspec.MsgspecError as error:
        damage = type(error).__name__
        raise UnreadableFile(path, f"is damaged: {damage}", damage) from None
