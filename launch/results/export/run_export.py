"""Send an output folder to a tool, or write its enriched records to a Parquet or CSV file."""

import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import chain
from typing import Any

from groundwatch.launch.cli.commands.export import TABLES, ExportSettings
from groundwatch.launch.cli.terminal.exit_status import DONE, FAILED, LEFT, fail
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.results.waiting_rows import explain_no_records, find_results
from groundwatch.launch.targets.target import TargetFailed, collecting_problems, open_target
from groundwatch.pipeline.errors import LockFailed
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.sources.output_folder import UnreadableFile, read_blocks
from groundwatch.pipeline.storage.named_output import text_beside, writing
from groundwatch.schemas.avro import load_schema
from .csv_table import CsvTable

_ABSENT = {
    field["name"]: field["default"]
    for field in load_schema("enriched_answer")["fields"]
    if "default" in field
}


def export(loaded: Loaded[ExportSettings]) -> int:
    """Send a folder to a tool, or write it as a table; return the exit status.

    It is 1 if a record was refused, or the tool, a file or an interrupt ended it; 3 if the tool has
    no place for any of the records.
    """
    settings = loaded.settings
    if settings.to not in TABLES and not loaded.problems:
        with collecting_problems(loaded.problems):
            open_target(settings.to, settings.endpoint).close()
    loaded.raise_problems()
    if settings.export_output and settings.to in TABLES:
        return write_table(settings.folder, settings.to, settings.export_output)
    return _send(settings)


def _send(settings: ExportSettings) -> int:
    from .export_folder import FolderExport  # noqa: PLC0415 - it imports Beam

    run = FolderExport(settings)
    try:
        with closing(open_target(settings.to, settings.endpoint)) as target:
            run.send_all(target)
    except (LockFailed, OSError, TargetFailed, UnreadableFile) as error:
        return fail(f"{error}. {run.describe()}; the same command resumes")
    except KeyboardInterrupt:
        return fail(f"interrupted. {run.describe()}; the same command resumes")
    if run.damaged:
        advice = "restore what is damaged, and the same command sends the rest"
        return fail(f"{'; '.join(run.damaged)}. {run.describe()}; {advice}")
    sys.stdout.write(f"{run.describe()}.\n")
    if run.delivered.skipped and not (run.delivered.sent or run.delivered.refused):
        return fail(
            f"no record has a trace, and {settings.to} has no place for it without one:"
            " docs/results.md says where a trace comes from",
            LEFT,
        )
    return FAILED if run.delivered.refused else DONE


def write_table(folder: str, kind: str, path: str) -> int:
    """Write a table of the kind ``csv`` or ``parquet``; return the exit status.

    A file appears when it is complete, and replaces an earlier one.
    """
    try:
        files = find_results(folder).enriched
        if not files:
            return fail(f"{folder} {explain_no_records(folder)}")
        rows = _write(files, kind, path)
    except (OSError, UnreadableFile) as error:
        return fail(f"{path} was not written: {error}")
    with text_beside(path):
        sys.stdout.write(f"{path}: {counted(rows, 'record')}\n")
    return DONE


def _write(files: Sequence[str], kind: str, path: str) -> int:
    rows = 0
    with writing(path) as stream, closing(_open_table(kind, stream)) as table:
        for block in chain.from_iterable(map(read_blocks, files)):
            times = [row["event_time"] for row in block]
            dates = ({"event_date": time and time.date()} for time in times)
            # Fields that an older schema lacks have their defaults.
            table.write([_ABSENT | row | date for row, date in zip(block, dates, strict=True)])
            rows += len(block)
    return rows


def _open_table(kind: str, stream: Any) -> Any:
    if kind == "csv":
        return CsvTable(stream)
    from .parquet_table import ParquetTable  # noqa: PLC0415 - it imports pyarrow

    return ParquetTable(stream)
