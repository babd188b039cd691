"""What a person on call reads first."""

from launch.report.counting.seen import SeenSummary
from launch.report.counting.tally import Tally
from launch.terminal.figures import counted, percent
from schemas import Record


class Headline(Record, frozen=True, kw_only=True):
    """One figure, one sentence.

    Attributes:
      figure: the share of low-grounded answers, None where nothing was judged.
      sentence: what it means.
    """

    figure: str | None
    sentence: str


def headline(tally: Tally) -> Headline:
    """Say how it stands."""
    if not tally.answers:
        return Headline(figure=None, sentence="There are no enriched answers yet.")
    if not tally.judged:
        read = counted(tally.answers, "answer")
        return Headline(figure=None, sentence=f"{read}, and none of them could be judged.")
    return Headline(figure=percent(tally.low_grounded / tally.judged), sentence=_finding(tally))


def _finding(tally: Tally) -> str:
    if tally.low_grounded:
        judged, low = counted(tally.judged, "judged answer"), tally.low_grounded
        verb = "is" if low == 1 else "are"
        return f"{low:,} of {judged} {verb} not supported by the sources given."
    if tally.judged == 1:
        return "The only judged answer is supported by the sources given."
    return f"All {counted(tally.judged, 'judged answer')} are supported by the sources given."


def account(summary: SeenSummary | None) -> str | None:
    """Say what became of the messages of the last run; None where its summary does not."""
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


def notices(tally: Tally, summary: SeenSummary | None, unreadable: tuple[str, ...]) -> list[str]:
    """Say what a reader must know before trusting the numbers, one sentence each."""
    return [
        *(f"Could not be read to its end: {complaint}" for complaint in unreadable),
        *_about_summary(tally, summary),
        *_about_thresholds(tally),
        *_about_labels(tally),
    ]


def _about_summary(tally: Tally, summary: SeenSummary | None) -> list[str]:
    if summary is None:
        return ["There is no summary.json: the run is under way, or did not end well."]
    if summary.closes is False:
        return ["The counts of the last run do not close: not every message is accounted for."]
    if summary.enriched is not None and summary.enriched != tally.answers:
        hold = f"The files hold {counted(tally.answers, 'record')}"
        return [f"{hold}; the last run wrote {summary.enriched:,}. Each run's records count."]
    return []


def _about_thresholds(tally: Tally) -> list[str]:
    if not tally.strangers:
        return []
    drawn = f"{tally.thresholds.low_grounded:g} and {tally.thresholds.claim:g}"
    came = f"{counted(tally.strangers, 'verdict')} came of other thresholds than those drawn here"
    flags = "--low_grounded_threshold and --claim_threshold"
    return [f"{came}, {drawn}. Give the run's own with {flags}."]


def _about_labels(tally: Tally) -> list[str]:
    missed = len(tally.labels) - tally.labels_met
    if not missed:
        return []
    return [f"{counted(missed, 'label')} of {len(tally.labels):,} met no scored answer."]
