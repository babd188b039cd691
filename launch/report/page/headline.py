"""The first sentences of the page."""

from collections.abc import Iterator
from typing import NamedTuple

from launch.report.counts.tally import Findings, Tally
from launch.report.output_records import RunSummary
from launch.terminal.figures import counted, percent


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
    return Headline(percent(tally.low_grounded / tally.assessed), _sentence(tally))


def _sentence(tally: Tally) -> str:
    assessed, low = counted(tally.assessed, "assessed answer"), tally.low_grounded
    if low:
        verb = "is" if low == 1 else "are"
        return f"{low:,} of {assessed} {verb} not supported by the given sources."
    if tally.assessed == 1:
        return "The only assessed answer is supported by the given sources."
    return f"All {assessed} are supported by the given sources."


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
        files = f"The files hold {counted(tally.answers, 'record')}"
        yield f"{files}; the last run wrote {summary.enriched:,}. This page counts all runs."
    if tally.unexplained_verdicts:
        thresholds = f"{tally.thresholds.low_grounded:g} and {tally.thresholds.claim:g}"
        yield (
            f"{counted(tally.unexplained_verdicts, 'verdict')} resulted from other thresholds than"
            f" those shown here ({thresholds}). Pass the run's own thresholds with"
            " --low_grounded_threshold and --claim_threshold."
        )
    if missed := len(tally.labels) - tally.labels_matched:
        yield f"{counted(missed, 'label')} of {len(tally.labels):,} matched no scored answer."
