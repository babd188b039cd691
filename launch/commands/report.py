"""`groundwatch report DIR`: what a run found, as one HTML page."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from launch.command_help import wants_help, write_help
from launch.flags import UsageError, read_all_flags, split_folder
from launch.inputs.labels import gather_labels
from launch.report.counts.tally import Findings
from launch.report.output_folder import OutputFiles, find_files, write_file
from launch.report.page.page import render
from launch.report.reading import REPORT_NAME, read_output
from launch.report.threshold_table import show_thresholds
from launch.terminal.exit_status import DONE, FAILED, fail
from pipeline import storage
from pipeline.option import Option, fraction, location, positive

OPTIONS = (
    Option(name="output", meaning="the page to write (default DIR/report.html)", read=location),
    Option(
        name="what_if",
        meaning="print what other thresholds would have found, from the stored scores",
        is_switch=True,
    ),
    Option(
        name="gold",
        meaning="labels, JSON lines that name an answer (record_id, name or id) and say"
        ' "hallucinated" or "grounded" (true or false), or a "label" in words',
        read=location,
    ),
    Option(
        name="low_grounded_threshold",
        meaning="threshold of the support score, 0..1, as the run had it (default 0.6)",
        read=fraction,
    ),
    Option(
        name="claim_threshold",
        meaning="threshold of a claim's score, 0..1, as the run had it (default 0.4)",
        read=fraction,
    ),
    Option(
        name="price_per_1k_chars",
        meaning="price of 1,000 checked characters, to tell the cost",
        read=positive,
    ),
)
_THRESHOLDS = {"low_grounded": "low_grounded_threshold", "claim": "claim_threshold"}


def run(arguments: Sequence[str]) -> int:
    """Count a run's output and write the page.

    Returns:
      0 done, 1 done but for files that are damaged, or the page could not be written.

    Raises:
      UsageError: the flags make no sense, or name what is not there.
    """
    if wants_help(arguments):
        return write_help("report DIR", OPTIONS)
    folder, others = split_folder(arguments, OPTIONS)
    values, problems = read_all_flags(others, OPTIONS)
    files = _files(folder, problems)
    gold = gather_labels("gold", [values["gold"]] if values["gold"] else [], problems)
    if problems or folder is None or files is None:
        raise UsageError(problems)
    thresholds = {
        field: values[flag] for field, flag in _THRESHOLDS.items() if values[flag] is not None
    }
    with Console(stderr=True).status(f"reading {len(files.enriched):,} files"):
        labels = {name: label.is_unsupported for name, label in gold.items()}
        findings = read_output(files, thresholds, labels)
    return _tell(folder, findings, values)


def _files(folder: str | None, problems: list[str]) -> OutputFiles | None:
    if folder is None:
        problems.append("the folder is missing: groundwatch report DIR")
        return None
    try:
        files = find_files(location(folder))
    except (OSError, ValueError) as error:
        problems.append(f"{folder}: {error}")
        return None
    if not files.has_any:
        problems.append(f"{folder}: holds no output of groundwatch")
    return files


def _tell(folder: str, findings: Findings, values: Mapping[str, Any]) -> int:
    if values["what_if"]:
        show_thresholds(findings.tally)
    path = values["output"] or storage.join(folder, REPORT_NAME)
    try:
        write_file(path, render(findings, folder, values["price_per_1k_chars"]).encode())
    except OSError as error:
        return fail(f"{path} cannot be written: {error.strerror or error}")
    sys.stdout.write(f"{path}\n")
    for complaint in findings.unreadable:
        fail(complaint)
    return FAILED if findings.unreadable else DONE
