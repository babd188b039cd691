"""Write the report of an output folder, and print what other thresholds would find."""

import sys

from rich.console import Console

from launch.inputs.labels import read_all_labels
from launch.inputs.paths import find_inputs
from launch.report.counts.tally import Findings
from launch.report.output_folder import OutputFiles, find_files, write_file
from launch.report.page.page import render
from launch.report.reading import REPORT_NAME, read_output
from launch.report.threshold_table import show_thresholds
from launch.terminal.exit_status import DONE, FAILED, fail
from pipeline import storage
from pipeline.settings.commands import ReportSettings
from pipeline.settings.load import Loaded


def report(loaded: Loaded[ReportSettings]) -> int:
    """Count a run's output and write the page.

    Returns:
      0 done; 1 done except for damaged files, or the page could not be written.

    Raises:
      UsageError: the settings have problems, or a file is not there.
    """
    settings, problems = loaded.settings, loaded.problems
    files = _files(settings.folder, problems)
    gold = read_all_labels("gold", find_inputs("gold", settings.gold, problems), problems)
    loaded.raise_problems()
    given = {
        "low_grounded": settings.low_grounded_threshold,
        "claim": settings.claim_threshold,
    }
    thresholds = {name: value for name, value in given.items() if value is not None}
    with Console(stderr=True).status(f"reading {len(files.enriched):,} files"):
        labels = {name: label.is_unsupported for name, label in gold.items()}
        findings = read_output(files, thresholds, labels)
    return _write(findings, settings)


def _files(folder: str, problems: list[str]) -> OutputFiles:
    files = OutputFiles(enriched=(), alerts=(), failures=(), summary=None)
    if not folder:
        return files
    try:
        files = find_files(folder)
    except OSError as error:
        problems.append(f"{folder}: {error}")
        return files
    if not files.has_any:
        problems.append(f"{folder}: is not an output folder of groundwatch")
    return files


def _write(findings: Findings, settings: ReportSettings) -> int:
    if settings.what_if:
        show_thresholds(findings.tally)
    path = settings.report_output or storage.join(settings.folder, REPORT_NAME)
    try:
        write_file(path, render(findings, settings.folder, settings.price_per_1k_chars).encode())
    except OSError as error:
        return fail(f"{path} cannot be written: {error.strerror or error}")
    sys.stdout.write(f"{path}\n")
    for complaint in findings.unreadable:
        fail(complaint)
    return FAILED if findings.unreadable else DONE
