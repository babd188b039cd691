"""Write the report of an output folder, and print what other thresholds would find."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeVar

from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

from launch.inputs.labels import read_all_labels
from launch.inputs.paths import find_inputs
from launch.report import output_folder
from launch.report.counts.tally import Findings, Tally, ThresholdOutcome
from launch.report.output_records import AlertLine, FailureLine
from launch.report.page.page import render
from launch.terminal.exit_status import DONE, FAILED, fail
from launch.terminal.figures import count, counted, percent
from pipeline import storage
from pipeline.settings.commands import ReportSettings
from pipeline.settings.load import Loaded
from schemas.enriched_answer import AnswerRow
from transforms.rules.tagging import Thresholds

_REPORT_NAME = "report.html"

_Line = TypeVar("_Line")


def report(loaded: Loaded[ReportSettings]) -> int:
    """Count a run's output and write the page; return 1 if a file is damaged."""
    settings, problems = loaded.settings, loaded.problems
    files = _find_files(settings.folder, problems)
    gold = read_all_labels("gold", find_inputs("--gold", settings.gold, problems), problems)
    loaded.raise_problems()
    given = ("low_grounded", settings.low_grounded_threshold), ("claim", settings.claim_threshold)
    thresholds = {name: value for name, value in given if value is not None}
    with Console(stderr=True).status(f"reading {len(files.enriched):,} files"):
        labels = {name: label.is_unsupported for name, label in gold.items()}
        findings = read_output(files, thresholds, labels)
    if settings.what_if:
        _show_thresholds(findings.tally)
    path = settings.report_output or storage.join(settings.folder, _REPORT_NAME)
    try:
        output_folder.write_file(
            path, render(findings, settings.folder, settings.price_per_1k_chars).encode()
        )
    except OSError as error:
        return fail(f"{path} cannot be written: {error.strerror or error}")
    sys.stdout.write(f"{path}\n")
    for complaint in findings.unreadable:
        fail(complaint)
    return FAILED if findings.unreadable else DONE


def write_report(output: str, findings: Findings | None = None) -> str:
    """Write the report of an output folder into that folder; return its path.

    Without its counts, read all its files.
    """
    path = storage.join(output, _REPORT_NAME)
    findings = findings or read_output(output_folder.find_files(output), {}, {})
    output_folder.write_file(path, render(findings, output).encode())
    return path


def read_output(
    files: output_folder.OutputFiles,
    thresholds: Mapping[str, float],
    labels: Mapping[str, bool],
    answers: Iterable[AnswerRow] | None = None,
) -> Findings:
    """Count the records of a folder, one at a time; thresholds replace those of the summary.

    The `answers` are those of the enriched files, if these need not be read.
    """
    unreadable: list[str] = []
    paths = [files.summary] if files.summary else []
    summary = next(_readable(map(output_folder.read_summary, paths), unreadable), None)
    base = summary and summary.thresholds
    tally = Tally(replace(base or Thresholds(), **thresholds), labels)
    for path in files.alerts:
        for alert in _readable(output_folder.read_lines(path, AlertLine), unreadable):
            tally.add_alert(alert)
    # A later record of an answer resolves its failure.
    for path in files.failures:
        for failure in _readable(output_folder.read_lines(path, FailureLine), unreadable):
            tally.add_failure(failure)
    if answers is None:
        found = (_readable(output_folder.read_answers(path), unreadable) for path in files.enriched)
        answers = chain.from_iterable(found)
    for answer in answers:
        tally.add_answer(answer)
    return Findings(tally=tally, summary=summary, unreadable=tuple(unreadable))


def _readable(records: Iterable[_Line], unreadable: list[str]) -> Iterator[_Line]:
    try:
        yield from records
    except output_folder.UnreadableFile as error:
        unreadable.append(str(error))


def _find_files(folder: str, problems: list[str]) -> output_folder.OutputFiles:
    files = output_folder.OutputFiles()
    try:
        if folder and (files := output_folder.find_files(folder)) == output_folder.OutputFiles():
            problems.append(f"{folder}: is not an output folder of groundwatch")
    except OSError as error:
        problems.append(f"{folder}: {error}")
    return files


def _show_thresholds(tally: Tally) -> None:
    grid = tally.grid
    console = Console(highlight=False)
    console.print(
        f"\n{counted(grid.total, 'scored answer')}, no new call; alerts by default settings,"
        f" {tally.unscored_alerts:,} of them under any thresholds\n"
    )
    if not grid.total:
        return
    if tally.labels_matched:
        console.print(
            f"precision and recall of {counted(len(tally.labels_matched), 'labelled answer')}\n"
        )
    in_force = grid.thresholds
    console.print(_table("support threshold", tally, grid.by_support(), in_force.low_grounded))
    console.print()
    console.print(_table("claim threshold", tally, grid.by_claim(), in_force.claim))
    console.print()


def _table(
    name: str, tally: Tally, outcomes: Mapping[float, ThresholdOutcome], in_force: float
) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    labelled = ("precision", "recall") if tally.labels_matched else ()
    for heading in (name, "low-grounded", "share", "alerts", *labelled, ""):
        table.add_column(heading, justify="right")
    for threshold, outcome in outcomes.items():
        shares = (outcome.precision, outcome.recall) if tally.labels_matched else ()
        table.add_row(
            f"{threshold:g}",
            count(outcome.low_grounded),
            percent(outcome.share),
            count(outcome.low_grounded + tally.unscored_alerts),
            *map(percent, shares),
            "in force" if threshold == in_force else "",
            style="bold" if threshold == in_force else None,
        )
    return table
