"""Make the report of an output folder, or compare two."""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from rich.console import Console
from rich.table import Table
from rich.text import Text

from launch.inputs.labels import read_all_labels
from launch.inputs.paths import find_inputs
from launch.outputs import output_folder
from launch.report.answer_table import COLUMNS, encode_csv, row_of
from launch.report.compare_folders import compare_folders
from launch.report.counts.tally import Tally, ThresholdOutcome
from launch.report.page.page import render
from launch.report.write_report import REPORT_NAME, read_output
from launch.terminal.exit_status import DONE, FAILED, fail, gate
from launch.terminal.figures import count, counted, percent
from pipeline import storage
from pipeline.settings.commands import ReportSettings
from pipeline.settings.load import Loaded
from pipeline.sinks.summary_file import read_summaries
from transforms.rules.spans import without_controls

_COMPARISON_NAME = "comparison.html"


def report(loaded: Loaded[ReportSettings]) -> int:
    """Count a run's output, or compare two, and write the page; return 1 if a file is damaged."""
    settings, problems = loaded.settings, loaded.problems
    folders = [folder for folder in (settings.folder, settings.other_folder) if folder]
    found = [_find_files(folder, problems) for folder in folders]
    gold = read_all_labels("gold", find_inputs("--gold", settings.gold, problems), problems)
    loaded.raise_problems()
    labels = {name: label.is_unsupported for name, label in gold.items()}
    enriched = sum(len(each.enriched) for each in found)
    with Console(stderr=True).status(f"reading {enriched:,} files"):
        if settings.other_folder:
            try:
                made = compare_folders(folders, found, settings.shown_answers, settings.record_url)
            except OSError as error:
                return fail(str(error))
            return _write(settings, storage.join(folders[-1], _COMPARISON_NAME), *made)
        thresholds = settings.given_thresholds
        findings = read_output(found[0], thresholds, labels, shown=settings.shown_answers)
    for run in read_summaries(settings.folder):
        if run.unfinished:
            sys.stderr.write(
                f"groundwatch: the run {run.name} has not ended: give its command again to finish"
                " it; the report counts what is published\n"
            )
    if settings.what_if:
        _show_thresholds(findings.tally)
    price, template = settings.price_per_1k_chars, settings.record_url
    page = render(findings, settings.folder, price, template)
    table = partial(encode_csv, COLUMNS, map(row_of, findings.tally.worst.answers()))
    default = storage.join(settings.folder, REPORT_NAME)
    status = _write(settings, default, page, table, findings.unreadable)
    tally = findings.tally
    return status or gate(tally.low_grounded / max(1, tally.assessed), settings.fail_above)


def _write(
    settings: ReportSettings,
    default: str,
    page: str,
    table: Callable[[], bytes],
    unreadable: Iterable[str],
) -> int:
    contents = {settings.report_output or default: page.encode()}
    if settings.csv:
        contents[settings.csv] = table()
    for path, content in contents.items():
        try:
            output_folder.write_file(path, content)
        except OSError as error:
            return fail(f"{path} cannot be written: {error.strerror or error}")
        sys.stdout.write(f"{path}\n")
    statuses = [fail(complaint) for complaint in unreadable]
    return FAILED if statuses else DONE


def _find_files(folder: str, problems: list[str]) -> output_folder.OutputFiles:
    files = output_folder.OutputFiles()
    try:
        if folder and (files := output_folder.find_files(folder)) == output_folder.OutputFiles():
            problems.append(f"{folder}: is not an output folder of groundwatch")
    except OSError as error:
        problems.append(f"{folder}: {error}")
    return files


def _show_thresholds(tally: Tally) -> None:
    grid, engines = tally.grid, tally.engine_grids.values()
    console = Console(highlight=False)
    total = grid.total + sum(each.total for each in engines)
    console.print(
        f"\n{counted(total, 'scored answer')}, no new call; alerts by default settings,"
        f" {tally.unscored_alerts:,} of them under any thresholds\n"
    )
    if tally.labels_matched:
        console.print(
            f"precision and recall of {counted(len(tally.labels_matched), 'labelled answer')}\n"
        )
    if engines:
        console.print(_engines(tally))
        console.print("\nall other engines:\n")
    if not grid.total:
        return
    in_force = grid.thresholds
    console.print(_table("support threshold", tally, grid.by_support(), in_force.low_grounded))
    console.print()
    console.print(_table("claim threshold", tally, grid.by_claim(), in_force.claim))
    console.print()


def _engines(tally: Tally) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    labelled = ("precision", "recall") if tally.labels_matched else ()
    headings = "engine", "support", "claim", "scored", "low-grounded", "share", *labelled
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "engine" else "right")
    for name, grid in tally.engine_grids.items():
        own, outcome = grid.thresholds, grid.in_force
        shares = (outcome.share, outcome.precision, outcome.recall)[: 1 + len(labelled)]
        cells = count(grid.total), count(outcome.low_grounded), *map(percent, shares)
        table.add_row(
            Text(without_controls(name)), f"{own.low_grounded:g}", f"{own.claim:g}", *cells
        )
    return table


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
