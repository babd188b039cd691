"""Print the summary of a run on a terminal."""

import glob
import shlex
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from groundwatch.launch.cli.terminal.figures import (
    ACCURACY,
    accounts_line,
    answer_ids,
    counted,
    printable,
)
from groundwatch.launch.cli.terminal.unreadable_input import failure_examples
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.publication import read_manifest
from groundwatch.pipeline.sinks.summary_file import SUMMARY_NAME, read_summaries
from groundwatch.pipeline.sources.output_folder import UnreadableFile, read_answers
from groundwatch.schemas.alert import AlertKind
from groundwatch.schemas.quantities import SECOND_US
from groundwatch.schemas.summary import Summary
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.rules.thresholds import Thresholds
from .counts.excerpts import AnswerExcerpt
from .counts.tally import Tally
from .unscored_answers import describe_bad_times, describe_example, describe_unscored

_MAX_ANSWERS = 5
_MAX_ROWS_TO_SEARCH = 20_000
_BAR_CELLS = 32
_WIDTH = 92
_INDENT = (0, 0, 0, 2)
_COLOURS = {
    Verdict.GROUNDED: "green",
    Verdict.LOW_GROUNDED: "red",
    Verdict.POLICY_SKIPPED: "magenta",
    Verdict.GENERATION_FAILED: "yellow",
}


def show_summary(
    config: Config, summary: Summary, report: str | None = None, reported: Tally | None = None
) -> None:
    """Print the verdicts, the answers with the lowest scores, and the files of a run.

    `reported` is what the report, if there is one, has counted: all runs of the folder.
    """
    console = Console(highlight=False)
    console.width = min(console.width, _WIDTH)
    seconds = (summary.finished_at_us - summary.started_at_us) / SECOND_US
    calls = f"{counted(summary.calls, 'call')} to the checker ({summary.checker})"
    read = (counted(summary.read, "message"), "bold")
    console.print(Text.assemble("\n", read, f" in {seconds:.1f} s, {calls}\n"))
    console.print(Padding(_verdicts(summary), _INDENT))
    own = reported if reported and reported.answers == summary.enriched else None
    tally = own or _tally_of(config, summary)
    rates = tally.alert_kinds[AlertKind.RATE]
    alerts = counted(summary.alerts, "alert") + (f", {rates:,} of them on a rate" if rates else "")
    lines = [accounts_line(summary), alerts]
    lines += [_escalations_line(summary)] if summary.escalations else []
    lines += _disagreements(tally)
    accuracy = None if config.check.screen else ACCURACY.get(config.check.checker_name)
    if accuracy and summary.checked:
        lines.append(f"{_flagged(summary, tally)}. {accuracy}")
    console.print(Padding("\n" + "\n".join(lines) + "\n", _INDENT, expand=False))
    scored = (each for each in tally.worst.answers() if each.is_low_scored)
    for number, answer in enumerate(islice(scored, _MAX_ANSWERS)):
        if not number:
            title = "Lowest-scoring answers, each with its least supported claim"
            console.print(
                Text(f"{title}\n(groundwatch show ID {shlex.quote(config.output)})\n"),
                soft_wrap=True,
            )
        console.print(Padding(_answer(answer), _INDENT))
    counts = tally if tally.answers else reported or tally
    # A path broken over two lines cannot be copied.
    unscored = describe_unscored(counts)
    example = describe_example(config, counts) if unscored else ""
    if sentences := [*filter(None, (unscored, example, describe_bad_times(counts)))]:
        console.print(Text("".join(f"  {each}\n" for each in sentences)), soft_wrap=True)
    console.print(Text("\n".join(_last_lines(config, summary, report))), soft_wrap=True)


def _verdicts(summary: Summary) -> Table:
    table = Table.grid(padding=(0, 2))
    most = max(summary.verdicts.values(), default=0) or 1
    for verdict in Verdict:
        count = summary.verdicts[verdict]
        bar = "█" * -(-count * _BAR_CELLS // most)
        table.add_row(verdict, f"{count:,}", Text(bar, style=_COLOURS.get(verdict, "cyan")))
    table.columns[1].justify = "right"
    return table


def _escalations_line(summary: Summary) -> str:
    found = summary.escalations
    return (
        f"second checker: {found[Tag.ESCALATED]:,} escalated and {found[Tag.AUDITED]:,} audited of"
        f" {counted(summary.checked, 'checked answer')}, {found[Tag.NOT_ESCALATED]:,} not escalated"
    )


def _disagreements(tally: Tally) -> Iterator[str]:
    """Say how often the second of two checkers disagrees with the first one."""
    total = tally.escalations.total()
    if total.flagged:
        yield f"of what the screen flags, grounded: {total.wrongly_flagged}"
    if total.passed:
        yield f"of what the screen passes, low-grounded: {total.wrongly_passed}"


def _flagged(summary: Summary, tally: Tally) -> str:
    if not tally.answers:  # too many to read
        low = counted(summary.verdicts[Verdict.LOW_GROUNDED], "answer")
        return f"{low} flagged by the embedded checker, or reported by the generator"
    flagged = f"{tally.low_grounded:,} of {counted(tally.assessed, 'scored answer')}"
    by_screen = f" ({tally.low_scored:,})" if tally.reported else ""
    reported = f", or reported by the generator ({tally.reported:,})" if tally.reported else ""
    why = f"; {tally.contradicting:,} for a contradiction" if tally.contradicting else ""
    return f"{flagged} flagged by the embedded checker{by_screen}{reported}{why}"


def _tally_of(config: Config, summary: Summary) -> Tally:
    """Count the run's records, unless that takes too long for a person who waits."""
    tally = Tally(Thresholds(), _MAX_ANSWERS)
    if summary.enriched <= _MAX_ROWS_TO_SEARCH:
        with suppress(UnreadableFile):
            for entry in read_manifest(config.destination, summary.name, "enriched"):
                for answer in read_answers(config.destination.path(entry.path)):
                    tally.add_answer(answer)
    return tally


def _answer(low: AnswerExcerpt) -> Table:
    ids = answer_ids(low.answer.record_id, low.answer.answer_name)
    origin = ", ".join(filter(None, (low.answer.engine, ids)))
    table = Table.grid(padding=(0, 2))
    table.add_row(
        Text(f"{low.claims[0].claim.score:.2f}", style="bold red"),
        Text.assemble(
            (printable(low.lowest_text or ""), "bold"),
            f" \N{MULTIPLICATION SIGN} {low.records:,}" if low.records > 1 else "",
            f"\nquery: {printable(low.query.text)}" if low.query else "",
            (f"\n{printable(origin)}\n", "dim"),
        ),
    )
    return table


def _last_lines(config: Config, summary: Summary, report: str | None) -> Iterator[str]:
    for kind in ("enriched", "alerts", "failures"):
        entries = read_manifest(config.destination, summary.name, kind)
        rows = sum(entry.rows for entry in entries)
        counts = f"{counted(rows, 'row')} in {counted(len(entries), 'file')}"
        yield f"  {config.destination.path(kind)}  {counts}"
    yield f"  {config.destination.path(SUMMARY_NAME)}"
    if report:
        yield f"  {report}  open it in a browser"
    summaries = read_summaries(config.output)
    others = [each.enriched for each in summaries if each.enriched and each.name != summary.name]
    if others:
        records, runs = counted(sum(others), "record"), counted(len(others), "other run")
        yield f"\n  The folder also holds {records} of {runs}."
    yield ""
    if summary.deferred:
        yield f"  --max_calls or --max_cost left {counted(summary.deferred, 'message')} unread."
        yield "  Give the same command with a higher limit to continue.\n"
    if summary.over_budget:
        kept = counted(summary.over_budget, "answer")
        yield f"  --max_calls or --max_cost left {kept} to the first checker: its verdict stands."
        yield "  Give the same command with a higher limit: it pays only for what is left.\n"
    if summary.failures_by_error:
        yield "  One failure of each kind:"
        for example in failure_examples(config.destination, summary.name):
            yield f"    {printable(example)}"
    if summary.retryable_failures:
        unchecked = f"{counted(summary.retryable_failures, 'answer')} could not be checked"
        if config.failure_payload:
            yield f"  {unchecked}. Retry:"
            yield f"  groundwatch replay {_arguments_of_replay(config, summary)}\n"
        else:
            yield f"  {unchecked}, and --failure_payload none keeps no message to replay."
            yield "  Give the same command with --again to check all answers again.\n"


def _arguments_of_replay(config: Config, summary: Summary) -> str:
    """Name the failures of this run alone: it has its own settings."""
    folder = config.destination.path("failures")
    root = glob.escape(folder) if storage.is_local(folder) else folder
    return shlex.join(["--failures", f"{root}/{summary.name}-*.jsonl", "--output", config.output])
