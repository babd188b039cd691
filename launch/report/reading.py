"""From an output folder to the counts of its report."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from launch.report.counting.findings import Findings
from launch.report.counting.seen import SeenSummary
from launch.report.counting.tally import Tally
from launch.report.files import (
    OutputFiles,
    UnreadableFile,
    read_alerts,
    read_failures,
    read_rows,
    read_summary,
)
from transforms.rules.tagging import Thresholds


def read_output(
    files: OutputFiles,
    thresholds: Mapping[str, float],
    labels: Mapping[str, bool],
) -> Findings:
    """Read all of a folder, a record at a time.

    Args:
      files: what is in the folder.
      thresholds: 0..1, by the name of the field of `Thresholds`; what is not given is the
        summary's, or the default.
      labels: by record id or answer name, whether a person found the answer unsupported.

    Returns:
      The counts; a file that is damaged counts to its last good record.
    """
    unreadable: list[str] = []
    summary = _summary(files, unreadable)
    told = summary.thresholds if summary else None
    tally = Tally(replace(told or Thresholds(), **thresholds), labels)
    _feed(tally.add_alert, files.alerts, read_alerts, unreadable)
    _feed(tally.add_failure, files.failures, read_failures, unreadable)
    _feed(tally.add_row, files.enriched, read_rows, unreadable)
    return Findings(tally=tally, summary=summary, unreadable=tuple(unreadable))


def _feed(
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


def _summary(files: OutputFiles, unreadable: list[str]) -> SeenSummary | None:
    if files.summary is None:
        return None
    try:
        return read_summary(files.summary)
    except UnreadableFile as error:
        unreadable.append(str(error))
        return None
