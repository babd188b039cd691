"""Find the enriched records of output folders, among other files."""

from collections.abc import Sequence
from contextlib import suppress

from groundwatch.launch.cli.paths import find_inputs
from groundwatch.pipeline import storage
from groundwatch.pipeline.sources.output_folder import find_files


def find_records(argument: str, patterns: Sequence[str], problems: list[str]) -> list[str]:
    """Find files as `find_inputs` does; of an output folder, its enriched records."""
    found: set[str] = set()
    for pattern in filter(None, patterns):
        records: tuple[str, ...] = ()
        with suppress(OSError):  # `find_inputs` says what is wrong
            records = find_files(pattern).enriched
        found.update(records or find_inputs(argument, [pattern], problems))
    return storage.distinct(found)
