"""Write the enriched records of an output folder to one Parquet or CSV file."""

import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import chain
from typing import Any

from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.results.waiting_rows import explain_no_records, find_results
from groundwatch.pipeline.sources.output_folder import UnreadableFile, read_blocks
from groundwatch.pipeline.storage.named_output import text_beside, writing
from groundwatch.schemas.avro import load_schema
from .csv_table import CsvTable

_ABSENT = {
    field["name"]: field["default"]
    for field in load_schema("enriched_answer")["fields"]
    if "default" in field
}


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
            # Fields that an older schema lacks have their defaults.
            table.write([_ABSENT | row for row in block])
            rows += len(block)
    return rows


def _open_table(kind: str, stream: Any) -> Any:
    if kind == "csv":
        return CsvTable(stream)
    from .parquet_table import ParquetTable  # noqa: PLC0415 - it imports pyarrow

    return ParquetTable(stream)
