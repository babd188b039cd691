"""What a person reads when a run has ended."""

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from launch.estimate.screen import comparison_line
from launch.terminal.figures import counted
from launch.worst_answers import WorstAnswer, worst_answers
from pipeline.config import Config
from pipeline.sinks.manifest import read_manifest
from schemas.quantities import SECOND_US
from schemas.summary import Summary
from schemas.verdict import Verdict

_WORST = 5
_MOST_ROWS_TO_SEARCH = 20_000
_BAR_CELLS = 32
_WIDTH = 92
_MOST_CHARACTERS = 300
_INDENT = (0, 0, 0, 2)
_COLOURS = {
    Verdict.GROUNDED: "green",
    Verdict.LOW_GROUNDED: "red",
    Verdict.POLICY_SKIPPED: "magenta",
    Verdict.GENERATION_FAILED: "yellow",
}


def show_summary(config: Config, summary: Summary, report: str | None = None) -> None:
    """Print the verdicts, the worst answers with the claim no source supports, and the files.

    Args:
      config: the run's settings.
      summary: what came of it.
      report: the path of its report, None if there is none.
    """
    console = Console(highlight=False)
    console.width = min(console.width, _WIDTH)
    console.print(_heading(summary))
    console.print(Padding(_verdicts(summary), _INDENT))
    console.print(_accounts(summary))
    worst = _worst_answers(config, summary)
    if worst:
        console.print(Text("The worst answers, each with the claim its facts do not support\n"))
    for answer in worst:
        console.print(Padding(_worst(answer), _INDENT))
    # A path that is broken over two lines could not be copied.
    console.print(_files(config, summary, report), soft_wrap=True)


def _heading(summary: Summary) -> Text:
    seconds = (summary.finished_at_us - summary.started_at_us) / SECOND_US
    calls = f"{counted(summary.calls, 'call')} to the checker ({summary.checker})"
    return Text.assemble(
        "\n",
        (counted(summary.read, "message"), "bold"),
        f" in {seconds:.1f} s, {calls}\n",
    )


def _verdicts(summary: Summary) -> Table:
    table = Table.grid(padding=(0, 2))
    most = max(summary.verdicts.values(), default=0) or 1
    for verdict in Verdict:
        count = summary.verdicts[verdict]
        bar = "█" * -(-count * _BAR_CELLS // most)
        table.add_row(verdict, f"{count:,}", Text(bar, style=_COLOURS.get(verdict, "cyan")))
    table.columns[1].justify = "right"
    return table


def accounts_line(summary: Summary) -> str:
    """Say where all messages of a run ended, and whether that is all of them."""
    errors = ", ".join(f"{count:,} {name}" for name, count in summary.failures_by_error.items())
    failures = f"{counted(summary.failures, 'failure')}{f' ({errors})' if errors else ''}"
    sampled_out = f", {summary.sampled_out:,} sampled out" if summary.sampled_out else ""
    left_out = f"{failures}, {counted(summary.duplicates, 'duplicate')}{sampled_out}"
    closing = "every message is accounted for" if summary.closes else "THE COUNTS DO NOT CLOSE"
    cost = "" if summary.cost is None else f"; cost {summary.cost:,.2f}"
    return f"{summary.enriched:,} enriched, {left_out}: {closing}{cost}"


def _accounts(summary: Summary) -> Text:
    lines = [accounts_line(summary), counted(summary.alerts, "alert")]
    if summary.estimate:
        lines.append(comparison_line(summary.estimate, summary.calls))
    return Text("\n" + "".join(f"  {line}\n" for line in lines))


def _worst_answers(config: Config, summary: Summary) -> list[WorstAnswer]:
    """Look for them where that takes no longer than a person would wait."""
    if summary.enriched > _MOST_ROWS_TO_SEARCH:
        return []
    return worst_answers(config.destination, _WORST)


def _worst(answer: WorstAnswer) -> Table:
    origin = ", ".join(filter(None, (answer.engine, answer.record_id[:12])))
    table = Table.grid(padding=(0, 2))
    table.add_row(
        Text(f"{answer.score:.2f}", style="bold red"),
        Text.assemble(
            (printable(answer.claim), "bold"),
            f"\nasked: {printable(answer.query)}" if answer.query else "",
            (f"\n{printable(origin)}\n", "dim"),
        ),
    )
    return table


def printable(text: str) -> str:
    """Remove from untrusted text what could control or flood a terminal."""
    shown = text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
    return "".join(character if character.isprintable() else " " for character in shown)


def _files(config: Config, summary: Summary, report: str | None) -> Text:
    return Text("\n".join([*_file_lines(config, report), *_next_lines(config, summary)]))


def _file_lines(config: Config, report: str | None) -> Iterator[str]:
    for kind in ("enriched", "alerts", "failures"):
        entries = read_manifest(config.destination, kind)
        rows = sum(entry.rows for entry in entries)
        counts = f"{counted(rows, 'row')} in {counted(len(entries), 'file')}"
        yield f"  {config.destination.path(kind)}  {counts}"
    yield f"  {config.destination.path('summary.json')}"
    if report:
        yield f"  {report}  open it in a browser"
    yield ""


def _next_lines(config: Config, summary: Summary) -> Iterator[str]:
    """Say how to go on with what could not be done now."""
    if summary.deferred:
        yield f"  --max_calls or --max_cost left {counted(summary.deferred, 'message')} undone."
        yield "  Give the same command with a higher limit to go on.\n"
    if summary.retryable_failures:
        failures = config.destination.path(f"failures/{config.run}-*.jsonl")
        yield f"  {counted(summary.retryable_failures, 'answer')} could not be checked. Try again:"
        yield f"  groundwatch replay --failures '{failures}' --output {config.output}\n"
