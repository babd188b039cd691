"""Print an evaluation on a terminal."""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from launch.evaluate.evaluation import Evaluation
from launch.evaluate.labelled_answers import Counts
from launch.evaluate.statistics import Auroc, Calibration, Flagged
from launch.terminal.figures import NOTHING, count, counted, percent

_WIDTH = 100
_AUROC = "AUROC (95 % interval)"


def show_evaluation(evaluation: Evaluation) -> None:
    """Print an evaluation."""
    # The kinds of the labels may look like markup.
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, _WIDTH)
    named = (f"{checker} ({answers:,})" for checker, answers in evaluation.checkers.items())
    quality = evaluation.answers_by_claim
    console.print(
        f"\n{counted(evaluation.counts.labelled, 'labelled answer')}: {quality.supported:,}"
        f" supported, {quality.unsupported:,} unsupported; checked by {', '.join(named)}\n"
        f"{'; '.join(_input_counts(evaluation.counts))}\n"
    )
    for table in _tables(evaluation):
        console.print(table)
        console.print()


def _input_counts(counts: Counts) -> Iterator[str]:
    yield f"{counted(counts.read, 'message')} read"
    for number, words in (
        (counts.unscored, "labelled without a score, never flagged"),
        (counts.unlabelled, "without a label"),
        (counts.unreadable, "unreadable"),
        (counts.failed, "could not be checked"),
    ):
        if number:
            yield f"{number:,} {words}"
    if counts.labels_unmet:
        yield f"{counted(counts.labels_unmet, 'label')} without an answer"


def _tables(evaluation: Evaluation) -> Iterator[Table]:
    levels = {
        "answers by lowest claim": evaluation.answers_by_claim,
        "answers by support score": evaluation.answers_by_support,
    }
    if evaluation.claims:
        levels["claims"] = evaluation.claims
    table = _table("ranking", "supported", "unsupported", _AUROC)
    for name, quality in levels.items():
        numbers = count(quality.supported), count(quality.unsupported)
        table.add_row(name, *numbers, _auroc(quality.auroc))
    yield table
    table = _table("flagged", "below", "examples", "share", "precision", "recall", "F1")
    table.add_row("answers LOW_GROUNDED", *_flagged(evaluation.low_grounded))
    for name, quality in levels.items():
        table.add_section()
        for flagged in quality.at:
            table.add_row(name, *_flagged(flagged))
        if quality.best:
            table.add_row(f"{name}, best F1 (optimistic)", *_flagged(quality.best))
    yield table
    if evaluation.span_kinds:
        yield _span_kinds(evaluation)
    for name, quality in levels.items():
        if quality.calibration:
            yield _calibration(name, quality.calibration)


def _auroc(auroc: Auroc | None) -> str:
    return f"{auroc.value:.3f} ({auroc.low:.3f} to {auroc.high:.3f})" if auroc else NOTHING


def _flagged(flagged: Flagged) -> Iterator[str]:
    yield NOTHING if flagged.threshold is None else f"{flagged.threshold:.3g}"
    yield count(flagged.flagged)
    yield percent(flagged.share)
    for share in (flagged.precision, flagged.recall, flagged.f1):
        yield NOTHING if share is None else f"{share:.3f}"


def _span_kinds(evaluation: Evaluation) -> Table:
    kinds = evaluation.span_kinds
    thresholds = list(dict.fromkeys(threshold for kind in kinds for threshold in kind.found))
    below = [f"< {threshold}" for threshold in thresholds]
    table = _table("spans of a kind", "spans", "unchecked", "claims", _AUROC, *below)
    for kind in kinds:
        numbers = count(kind.spans), count(kind.unchecked), count(kind.claims)
        shares = (percent(kind.found.get(threshold)) for threshold in thresholds)
        table.add_row(kind.kind, *numbers, _auroc(kind.auroc), *shares)
    return table


def _calibration(name: str, calibration: Calibration) -> Table:
    table = _table(f"{name}: score", "examples", "mean score", "supported")
    for each in calibration.bins:
        score, supported = f"{each.mean_score:.3f}", f"{each.supported:.3f}"
        table.add_row(f"{each.low:.1f} to {each.high:.1f}", count(each.count), score, supported)
    table.add_row("expected error", "", "", f"{calibration.expected_error:.3f}", style="bold")
    return table


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="left" if heading == headings[0] else "right")
    return table
