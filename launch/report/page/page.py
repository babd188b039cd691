"""Render the report as one HTML page."""

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from launch.report.counts.tally import Findings, Tally
from launch.report.counts.timeline import Columns
from launch.report.output_records import RunSummary
from launch.report.page import charts, presentation
from launch.terminal import figures
from launch.terminal.figures import counted, percent

_MAX_GROUPS = 12
_MAX_NAMES = 16
_OPEN_ANSWERS = 3


def render(findings: Findings, title: str, price_per_1k_chars: float | None = None) -> str:
    """Render the report as a page without scripts, fonts or pictures from elsewhere.

    Args:
      findings: the content of an output folder.
      title: such as the folder.
      price_per_1k_chars: of checked characters; None for the cost in the summary, if any.
    """
    tally, summary = findings.tally, findings.summary
    columns = tally.timeline.columns()
    cost = summary.cost if summary else None
    if price_per_1k_chars is not None:
        cost = tally.characters / 1000 * price_per_1k_chars
    style = files(__package__).joinpath("templates/style.css").read_text(encoding="utf-8")
    # For a Content-Security-Policy that allows no other style sheet.
    style_hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template("report.html")
        .render(
            title=title,
            style=Markup(style),  # noqa: S704 - our own style sheet, without any record's text
            style_hash=f"sha256-{style_hash}",
            headline=headline(tally),
            run_counts=run_counts(summary),
            notices=notices(findings),
            tally=tally,
            summary=summary,
            cost=cost,
            verdicts=presentation.verdict_styles(tally.verdicts),
            columns=columns,
            span=_span(columns),
            charts=charts,
            max_groups=_MAX_GROUPS,
            max_names=_MAX_NAMES,
            open_answers=_OPEN_ANSWERS,
        )
    )


def _span(columns: Columns) -> str | None:
    if not columns.verdicts:
        return None
    first, last = min(columns.verdicts), max(columns.verdicts) + columns.width_us
    return f"{presentation.moment(first)} to {presentation.moment(last)} UTC"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Applied to everything a template prints, so that no untrusted text is missed.
        finalize=presentation.visible,
    )
    for module, names in (
        (figures, ("count", "percent", "score", "drift", "duration")),
        (presentation, ("moment", "document", "claim_style")),
    ):
        environment.filters |= {name: getattr(module, name) for name in names}
    environment.globals["counted"] = counted
    return environment


class Headline(NamedTuple):
    """The low-grounded share, None if no answer is assessed; and what it means."""

    figure: str | None
    sentence: str


def headline(tally: Tally) -> Headline:
    """Summarize the page in one sentence."""
    if not tally.answers:
        return Headline(None, "There are no enriched answers yet.")
    if not tally.assessed:
        return Headline(None, f"{counted(tally.answers, 'answer')}, of which none was assessed.")
    assessed, low = counted(tally.assessed, "assessed answer"), tally.low_grounded
    if low:
        verb = "is" if low == 1 else "are"
        sentence = f"{low:,} of {assessed} {verb} not supported by the given sources."
    elif tally.assessed == 1:
        sentence = "The only assessed answer is supported by the given sources."
    else:
        sentence = f"All {assessed} are supported by the given sources."
    return Headline(percent(low / tally.assessed), sentence)


def run_counts(summary: RunSummary | None) -> str | None:
    """Say where the messages of the last run ended; None if its summary lacks the counts."""
    if summary is None or summary.read is None:
        return None
    parts = [
        counted(summary.enriched or 0, "record"),
        counted(summary.failures or 0, "failure"),
        counted(summary.duplicates or 0, "duplicate"),
    ]
    if summary.sampled_out:
        parts.append(f"{summary.sampled_out:,} sampled out")
    return f"The last run read {counted(summary.read, 'message')}: {', '.join(parts)}."


def notices(findings: Findings) -> Iterator[str]:
    """Yield the sentences that a reader needs before trusting the numbers."""
    tally, summary = findings.tally, findings.summary
    for reason in findings.unreadable:
        yield f"Not read to the end: {reason}"
    if summary is None:
        yield "There is no summary.json: the run has not finished, or it failed."
    elif summary.closes is False:
        yield "The counts of the last run do not add up: some messages are not accounted for."
    elif summary.enriched is not None and summary.enriched != tally.answers:
        held = f"The files hold {counted(tally.answers, 'record')}"
        yield f"{held}; the last run wrote {summary.enriched:,}. This page counts all runs."
    if tally.unexplained_verdicts:
        thresholds = f"{tally.thresholds.low_grounded:g} and {tally.thresholds.claim:g}"
        yield (
            f"{counted(tally.unexplained_verdicts, 'verdict')} resulted from other thresholds than"
            f" those shown here ({thresholds}). Pass the run's own thresholds with"
            " --low_grounded_threshold and --claim_threshold."
        )
    if missed := len(tally.labels) - tally.labels_matched:
        yield f"{counted(missed, 'label')} of {len(tally.labels):,} matched no scored answer."
