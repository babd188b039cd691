"""Make the report of an output folder, or compare two."""

import sys
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace
from rich.console import Console

from groundwatch.launch.cli.commands.report import ReportSettings
from groundwatch.launch.cli.terminal.exit_status import DONE, FAILED, LEFT, fail, gate
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.results.waiting_rows import describe_empty, describe_waiting
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.sinks.summary_file import read_summaries
from groundwatch.pipeline.sources import output_folder
from groundwatch.pipeline.storage.named_output import text_beside, writing
from groundwatch.schemas.summary import Summary, folder_summary
from .compare_folders import compare_folders
from .counts.comparison import Comparison
from .counts.tally import Findings, Tally
from .counts.worst_answers import SHOWN_ANSWERS
from .page.comment import render_comment, render_comparison_comment
from .page.report_page import render, render_comparison
from .unscored_answers import describe_bad_times, describe_unscored
from .write_report import REPORT_NAME, read_output

_COMPARISON_NAME = "comparison.html"
_SHOWN_CHANGES = 20


def make_report(
    loaded: Loaded[ReportSettings], measured: Callable[[output_folder.OutputFiles], str]
) -> int:
    """Count a run's output, or compare two, and write the report; return 1 if a file is damaged.

    `measured` says how far the verdicts of a folder agree with labels, "" without any.
    """
    settings, problems = loaded.settings, loaded.problems
    folders = [folder for folder in (settings.folder, settings.other_folder) if folder]
    waiting = [sentence for folder in folders for sentence in describe_waiting(folder)]
    found = [_find_files(folder, problems) for folder in folders]
    loaded.raise_problems()
    for folder, files in zip(folders, found, strict=True):
        if files == output_folder.OutputFiles():
            return fail(f"{folder} holds no files yet: {describe_empty(folder)}")
    for sentence in waiting:
        sys.stderr.write(f"groundwatch: {sentence}; the report counts what is published\n")
    runs = read_summaries(folders[-1])
    enriched = sum(len(each.enriched) for each in found)
    with Console(stderr=True).status(f"reading {enriched:,} files"):
        if settings.other_folder:
            try:
                comparison = compare_folders(found, settings.shown_answers or _SHOWN_CHANGES)
            except OSError as error:
                return fail(str(error))
            before, after = (
                replace(each, measured=measured(files))
                for each, files in zip((comparison.before, comparison.after), found, strict=True)
            )
            comparison = replace(comparison, before=before, after=after)
            text = _comparison_text(settings, comparison)
            return _finish(settings, text, comparison.unreadable, comparison.after.tally, runs)
        shown = settings.shown_answers or SHOWN_ANSWERS
        findings = read_output(found[0], settings.given_thresholds, shown=shown)
        findings = replace(findings, measured=measured(found[0]))
    for run in runs:
        if run.unfinished:
            sys.stderr.write(
                f"groundwatch: the run {run.name} has not ended: give its command again to finish"
                " it; the report counts what is published\n"
            )
    return _finish(settings, _text(settings, findings), findings.unreadable, findings.tally, runs)


def _finish(
    settings: ReportSettings,
    text: str,
    unreadable: Iterable[str],
    tally: Tally,
    runs: Sequence[Summary],
) -> int:
    """Write the report, and return the exit status by the counts and runs of the last folder."""
    status = _write(settings, text, unreadable)
    if unscored := describe_unscored(tally):
        sys.stderr.write(f"groundwatch: {unscored} groundwatch inspect FILE shows the fields\n")
    if bad_times := describe_bad_times(tally):
        sys.stderr.write(f"groundwatch: {bad_times}\n")
    if settings.fail_above is None:
        return status
    return status or gate(tally.verdicts, settings.fail_above, tally.unread) or _left(runs)


def _left(runs: Sequence[Summary]) -> int:
    """Return the exit status of a green gate: whether a folder lacks answers of its runs."""
    if not runs:
        return DONE
    total = folder_summary(runs).total
    missing = [
        f"{counted(number, 'answer')} {what}"
        for number, what in (
            (total.retryable_failures, "could not be checked: groundwatch replay retries them"),
            (total.deferred, "wait for a larger budget"),
        )
        if number
    ]
    if total.unfinished:
        missing.append("a run has not ended: give its command again")
    return fail(f"the gate has not seen all: {'; '.join(missing)}", LEFT) if missing else DONE


def _text(settings: ReportSettings, findings: Findings) -> str:
    folder, url = settings.folder, settings.record_url
    if settings.report_format == "markdown":
        return render_comment(findings, folder, settings.fail_above, url)
    return render(findings, folder, settings.price_per_1k_chars, url)


def _comparison_text(settings: ReportSettings, comparison: Comparison) -> str:
    other, url = settings.other_folder or "", settings.record_url
    if settings.report_format == "markdown":
        return render_comparison_comment(comparison, other, settings.fail_above, url)
    return render_comparison(comparison, [settings.folder, other], url)


def _default_path(settings: ReportSettings) -> str:
    other = settings.other_folder
    path = storage.join(other or settings.folder, _COMPARISON_NAME if other else REPORT_NAME)
    return path.removesuffix(".html") + ".md" if settings.report_format == "markdown" else path


def _write(settings: ReportSettings, text: str, unreadable: Iterable[str]) -> int:
    path = settings.report_output or _default_path(settings)
    try:
        with writing(path) as stream:
            stream.write(text.encode())
    except OSError as error:
        return fail(f"{path} cannot be written: {error.strerror or error}")
    with text_beside(path):
        sys.stdout.write(f"{path}\n")
    statuses = [fail(complaint) for complaint in unreadable]
    return FAILED if statuses else DONE


def _find_files(folder: str, problems: list[str]) -> output_folder.OutputFiles:
    files = output_folder.OutputFiles()
    try:
        files = output_folder.find_files(folder)
        if files == output_folder.OutputFiles() and not describe_empty(folder):
            problems.append(f"{folder}: is not an output folder of groundwatch")
    except OSError as error:
        problems.append(f"{folder}: {error}")
    return files
