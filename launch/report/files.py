"""Finding the files of an output folder, and reading them record by record."""

import io
from collections.abc import Iterator
from typing import Any, TypeVar, cast

import msgspec

from launch.report.counting.seen import SeenAlert, SeenFailure, SeenSummary
from pipeline import storage
from pipeline.sources.avro_blocks import AvroFile
from pipeline.sources.compression import DamagedArchive
from schemas import Record
from schemas.enriched_answer import is_enriched_schema

_Line = TypeVar("_Line", SeenAlert, SeenFailure)
_AVRO, _LINES = ".avro", ".jsonl"


class UnreadableFile(Exception):
    """A file of the output that is damaged, or none of groundwatch's.

    Args:
      path: the file.
      reason: what is wrong with it, holding nothing that stands in it.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")


class OutputFiles(Record, frozen=True, kw_only=True):
    """The files of an output folder that the report is made from.

    Attributes:
      enriched, alerts, failures: paths, sorted; of all runs that wrote there.
      summary: the path of the last run's summary, None where there is none yet.
    """

    enriched: tuple[str, ...]
    alerts: tuple[str, ...]
    failures: tuple[str, ...]
    summary: str | None

    @property
    def are_there(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.enriched or self.alerts or self.failures or self.summary)


def find_files(folder: str) -> OutputFiles:
    """Look what is in an output folder.

    Raises:
      OSError: it cannot be told.
    """
    summaries = storage.find(storage.join(folder, "summary.json"))
    return OutputFiles(
        enriched=_files_of(folder, "enriched", _AVRO),
        alerts=_files_of(folder, "alerts", _LINES),
        failures=_files_of(folder, "failures", _LINES),
        summary=summaries[0] if summaries else None,
    )


def _files_of(folder: str, kind: str, extension: str) -> tuple[str, ...]:
    root = storage.join(folder, kind)
    found = (path for path in storage.find_below(root) if path.endswith(extension))
    return tuple(path for path in found if "/." not in path.removeprefix(root))


def read_rows(path: str, *, salvage: bool = False) -> Iterator[dict[str, Any]]:
    """Read enriched records, one at a time.

    Whole rows: to have fastavro leave out fields by a reader's schema takes longer than to read
    them (tests/benchmarks/report_speed.py).

    Args:
      path: the file.
      salvage: whether to read the rows of a damaged block that stand before the damage, too.

    Raises:
      UnreadableFile: after the last good record.
    """
    try:
        with storage.read(path) as raw, io.BufferedReader(cast("io.RawIOBase", raw)) as stream:
            file = AvroFile(stream, handle_unicode_errors="replace")
            _expect_ours(file.schema, path)
            for block in file.blocks(salvage=salvage):
                yield from block.rows
    except (DamagedArchive, OSError) as error:
        raise UnreadableFile(path, _fault(error)) from None


def _fault(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or error}"
    if isinstance(error, DamagedArchive):
        return f"is damaged: {error}"
    return f"is damaged: {type(error).__name__}"


def _expect_ours(schema: Any, path: str) -> None:
    if not is_enriched_schema(schema):
        raise UnreadableFile(path, "holds no enriched answers")


def read_alerts(path: str) -> Iterator[SeenAlert]:
    """Read alerts, one at a time.

    Raises:
      UnreadableFile: after the last good line.
    """
    return _read_lines(path, SeenAlert)


def read_failures(path: str) -> Iterator[SeenFailure]:
    """Read failures, one at a time; the original bytes in them are passed over.

    Raises:
      UnreadableFile: after the last good line.
    """
    return _read_lines(path, SeenFailure)


def read_summary(path: str) -> SeenSummary:
    """Read the last run's summary.

    Raises:
      UnreadableFile: it is none.
    """
    try:
        return msgspec.json.decode(storage.read_whole(path), type=SeenSummary)
    except msgspec.MsgspecError:
        raise UnreadableFile(path, "is no summary") from None
    except OSError as error:
        raise UnreadableFile(path, _fault(error)) from None


def _read_lines(path: str, kind: type[_Line]) -> Iterator[_Line]:
    decoder = msgspec.json.Decoder(kind)
    try:
        with storage.read(path) as stream:
            for line in stream:
                yield decoder.decode(line)
    except (msgspec.MsgspecError, OSError) as error:
        raise UnreadableFile(path, _fault(error)) from None
