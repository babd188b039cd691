"""Rows in files, written as the pipeline writes them, without one."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from groundwatch.pipeline.settings.config import Destination
from groundwatch.pipeline.sinks import write_files
from groundwatch.pipeline.sinks.folder_writer import part_writer
from groundwatch.pipeline.sinks.publication import write_manifest
from groundwatch.pipeline.sinks.row_formats import EnrichedFiles, FailureFiles, RowFormat
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.file_entry import FileEntry
from groundwatch.schemas.quantities import DAY_US
from groundwatch.transforms.rules.redaction import TextMode
from tests.support.builders import NOON_US, a_failure, a_message, an_enriched

AVRO = EnrichedFiles(TextMode.FULL)
LINES = FailureFiles(with_payload=True)


def a_record(number: int, day: int = 0) -> EnrichedAnswer:
    """A record of a number, so many days after 3 March 2026."""
    return an_enriched(record_id=f"{number:064x}", event_time_us=NOON_US + day * DAY_US)


def numbered_failure(number: int) -> Failure:
    """The failure of the line of a number."""
    return a_failure(message=a_message(place=f"a.jsonl#{number}"))


def write(
    destination: Destination, rows: Iterable[Any], row_format: RowFormat = AVRO
) -> list[FileEntry]:
    """Write rows and their manifest: a pipeline would take its third of a second."""
    writer = part_writer(destination, row_format)
    parts = [part for row in rows for part in writer.write(row)]
    parts += writer.close()
    by_folder = defaultdict(list)
    for part in parts:
        by_folder[part.folder].append(part)
    entries = [
        entry
        for grouped in by_folder.items()
        for entry in write_files._publish_folder(grouped, destination, row_format)
    ]
    write_manifest(entries, destination, row_format)
    return entries
