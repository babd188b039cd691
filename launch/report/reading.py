"""Read an output folder and write its report."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from launch.report.counts.tally import Findings, Tally
from launch.report.output_folder import (
    OutputFiles,
    UnreadableFile,
    find_files,
    read_alerts,
    read_failures,
    read_rows,
    read_summary,
    write_file,
)
from launch.report.output_records import RunSummary
from launch.report.page.page import render
from pipeline import storage
from transforms.rules.tagging import Thresholds

REPORT_NAME = "report.html"


def write_report(output: str) -> str:
    """Write the report of an output folder into that folder.

    Args:
      output: local or gs://.

    Returns:
      The path of the page.

    Raises:
      OSError: the folder cannot be listed, or the page cannot be written.
    """
    path = storage.join(output, REPORT_NAME)
    page = render(read_output(find_files(output), {}, {}), output)
    write_file(path, page.encode())
    return path


def read_output(
    files: OutputFiles, thresholds: Mapping[str, float], labels: Mapping[str, bool]
) -> Findings:
    """Count the records of a folder, reading one at a time.

    Args:
      files: those of the folder.
      thresholds: 0..1, by the name of the field of `Thresholds`; the others are those of the
        summary, or the defaults.
      labels: by record id or answer name, whether a person labelled the answer unsupported.

    Returns:
      The counts; a damaged file counts up to its last good record.
    """
    unreadable: list[str] = []
    summary = _summary(files, unreadable)
    base = summary and summary.thresholds
    tally = Tally(replace(base or Thresholds(), **thresholds), labels)
    _add_all(tally.alerts.add, files.alerts, read_alerts, unreadable)
    # A later record of an answer resolves its failure.
    _add_all(tally.failures.add, files.failures, read_failures, unreadable)
    _add_all(tally.add_row, files.enriched, read_rows, unreadable)
    return Findings(tally=tally, summary=summary, unreadable=tuple(unreadable))


def _add_all(
    add: Callable[[Any], None],
    paths: Iterable[str],
    read: Callable[[str], Iterator[Any]],
    unreadable: list[str],
) -> None:
    for path in paths:
        try:
            for record in read(path):
                add(record)
        except UnreadableFile as error:
            unreadable.append(str(error))


def _summary(files: OutputFiles, unreadable: list[str]) -> RunSummary | None:
    if files.summary is None:
        return None
    try:
        return read_summary(files.summary)
    except UnreadableFile as error:
        unreadable.append(str(error))
        return None
