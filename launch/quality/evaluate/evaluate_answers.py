"""Evaluate scores against labels: AUROC, precision, recall, F1 and calibration."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from rich.console import Console
from rich.table import Column, Table

from groundwatch.launch.cli.commands.evaluate import EvaluateSettings
from groundwatch.launch.cli.paths import find_inputs
from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.cli.terminal.figures import NOTHING, count, counted, percent
from groundwatch.launch.cli.terminal.unreadable_input import fail_unreadable, fail_with
from groundwatch.launch.results.shares import FEW_EXAMPLES, Interval
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.sources.output_folder import find_files
from groundwatch.pipeline.storage.named_output import text_beside, writing
from groundwatch.schemas.quantities import indented_json
from groundwatch.transforms.grounding.errors import RunStopped, Unavailable
from groundwatch.transforms.rules.spans import without_controls
from groundwatch.transforms.rules.thresholds import GivenThresholds
from .evaluation import AnswerQuality, Evaluation, ScoreQuality, measure
from .labelled_answers import Counts, LabelledAnswers, holds_records
from .labels import read_labels
from .statistics import Calibration, Flagged, PrecisionRecall

_WIDTH = 100
S = TypeVar("S", bound=EvaluateSettings)
_RECALL = "recall     "
_AUROC = "AUROC (95 % interval)"
EMBEDDED_CHECKER_ALONE = "The embedded checker alone, by words, by both and by its model:"


def evaluate(loaded: Loaded[EvaluateSettings]) -> int:
    """Check the answers, or take the scores they have, and compare them with the labels."""
    weights = loaded.settings.checker.compared_weights
    return with_labelled(loaded, _print_evaluation, weights=weights)


def find_records(patterns: Sequence[str], problems: list[str]) -> list[str]:
    """Find files as `find_inputs` does; of an output folder, its enriched records."""
    found: set[str] = set()
    for pattern in filter(None, patterns):
        records: tuple[str, ...] = ()
        with suppress(OSError):  # `find_inputs` says what is wrong
            records = find_files(pattern).enriched
        found.update(records or find_inputs("--answers", [pattern], problems))
    return storage.distinct(found)


def with_labelled(
    loaded: Loaded[S],
    use: Callable[[LabelledAnswers, S], int],
    action: str = "evaluation",
    weights: Sequence[float] = (),
) -> int:
    """Collect the labelled answers, also with these weights of a model, and use them.

    Returns the exit status.
    """
    settings, problems = loaded.settings, loaded.problems
    answers = find_records(settings.evaluation.answers, problems)
    if settings.evaluation.gold:
        gold = find_inputs("--gold", settings.evaluation.gold, problems)
        labels = read_labels("gold", gold, problems) if answers else {}
    else:
        missing: list[str] = []
        labels = read_labels("answers", answers, missing)
        problems += (
            f"--gold is missing: pass the files of the labels, or label the answers ({each})"
            for each in missing[:1]
        )
    loaded.raise_problems()
    collected = LabelledAnswers(labels)
    try:
        takes_scores = not settings.checker.is_named
        records = [path for path in answers if takes_scores and holds_records(path)]
        collected.add_records(records, settings.verdicts.given_thresholds)
        if unscored := [path for path in answers if path not in records]:
            collected.add_checked(unscored, settings, weights)
        return _use(collected, answers, lambda: use(collected, settings), action)
    except (OSError, RunStopped, Unavailable) as error:
        return fail(f"the {action} failed: {error}")


def _use(
    collected: LabelledAnswers, answers: Sequence[str], use: Callable[[], int], action: str
) -> int:
    counts = collected.counts
    if counts.unreadable == counts.read and not collected.damaged:
        return fail_unreadable(collected.faults, answers)
    if not collected.labelled:
        unmatched = "no label belongs to an answer; they are joined by record_id, name or id"
        last = collected.last_failure
        reason = f"no answer could be checked: {last}" if last else unmatched
        return fail_with(f"the {action} failed: {reason}", collected.damaged)
    status = use()
    if collected.damaged:
        sentence = f"the {action} failed: damaged files: {len(collected.damaged)}"
        return fail_with(sentence, collected.damaged)
    return status


def _print_evaluation(collected: LabelledAnswers, settings: EvaluateSettings) -> int:
    resamples, path = settings.evaluation.resamples, settings.evaluation.evaluation_output
    unlabelled = sum(collected.unlabelled.values(), Counter())
    evaluation = measure(
        collected.labelled, collected.counts, resamples, unlabelled, collected.by_weight
    )
    with text_beside(path):
        if given := ", ".join(_threshold_texts(settings.verdicts.given_thresholds)):
            sys.stdout.write(f"\nLOW_GROUNDED by the thresholds given: {given}\n")
        show_evaluation(evaluation)
        if path:
            with writing(path) as stream:
                stream.write(indented_json(evaluation))
            sys.stdout.write(f"{path}\n")
    return DONE


def _threshold_texts(given: GivenThresholds) -> Iterator[str]:
    for name, values in given.items():
        for engine, value in values:
            of_engine = f"{without_controls(engine)}=" if engine else ""
            yield f"{name}_threshold {of_engine}{value:g}"


def show_evaluation(evaluation: Evaluation) -> None:
    """Print an evaluation."""
    # The names of checkers may look like markup.
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, _WIDTH)
    named = (f"{checker} ({answers:,})" for checker, answers in evaluation.checkers.items())
    quality = evaluation.answers_by_claim
    console.print(
        f"\n{counted(evaluation.counts.labelled, 'labelled answer')}: {quality.supported:,}"
        f" supported, {quality.unsupported:,} unsupported; checked by {', '.join(named)}\n"
        f"{'; '.join(_input_counts(evaluation.counts))}\n"
    )
    console.print("\n".join(_headline(evaluation)) + "\n")
    for sentence, table in _tables(evaluation):
        console.print(sentence)
        console.print(table)
        console.print()


def _input_counts(counts: Counts) -> Iterator[str]:
    yield f"{counted(counts.read, 'message')} read"
    for number, words in (
        (counts.unscored, "labelled without a score, never flagged"),
        (counts.unlabelled, "without a label, or labelled as unsure"),
        (counts.unreadable, "unreadable"),
        (counts.failed, "could not be checked"),
    ):
        if number:
            yield f"{number:,} {words}"
    if counts.labels_unmet:
        yield f"{counted(counts.labels_unmet, 'label')} without an answer"


def _headline(evaluation: Evaluation) -> Iterator[str]:
    found = evaluation.verdicts
    for name, share, total, words in (
        ("precision  ", found.precision, found.flagged, "LOW_GROUNDED answers are unsupported"),
        (_RECALL, found.recall, found.unsupported, "unsupported answers are LOW_GROUNDED"),
    ):
        if name == _RECALL and evaluation.unknown_recall:
            yield f"{name}{evaluation.unknown_recall.removeprefix('recall is ')}"
        else:
            estimate = "" if 0 < total < FEW_EXAMPLES else f"{estimate_text(share)}  "
            yield f"{name}{estimate}{found.hits:,} of {total:,} {words}"
    if evaluation.unequal_labels:
        yield evaluation.unequal_labels


def _tables(evaluation: Evaluation) -> Iterator[tuple[str, Table]]:
    if evaluation.by_weight:
        yield EMBEDDED_CHECKER_ALONE, _weights(evaluation)
    of_answers = {
        "answers by lowest claim": evaluation.answers_by_claim,
        "answers by support score": evaluation.answers_by_support,
    }
    levels: dict[str, ScoreQuality] = {**of_answers}
    if evaluation.claims:
        levels["claims"] = evaluation.claims
    table = plain_table("ranking", "supported", "unsupported", _AUROC)
    for name, quality in levels.items():
        numbers = count(quality.supported), count(quality.unsupported)
        table.add_row(name, *numbers, estimate_text(quality.auroc))
    yield "How often an unsupported one scores below a supported one; 0.5 is chance:", table
    yield from _worst_table(of_answers)
    table = plain_table("flagged", "below", "examples", "share", "precision", "recall", "F1")
    table.add_row("answers LOW_GROUNDED", *_flagged(evaluation.low_grounded))
    for name, quality in levels.items():
        table.add_section()
        for flagged in quality.at:
            table.add_row(name, *_flagged(flagged))
        if quality.best:
            table.add_row(f"{name}, best F1 (optimistic)", *_flagged(quality.best))
    yield "What is found where all below a score is flagged:", table
    sentence = "Which share of the examples with such a score is supported:"
    for name, quality in levels.items():
        if quality.calibration:
            yield sentence, _calibration(name, quality.calibration)


def _weights(evaluation: Evaluation) -> Table:
    table = plain_table("scored by", "AUROC", "difference (95 % interval)", "precision", "recall")
    for each in evaluation.by_weight:
        auroc = NOTHING if each.auroc is None else f"{each.auroc.value:.3f}"
        difference = "" if each is evaluation.by_weight[0] else estimate_text(each.difference)
        table.add_row(each.scored_by, auroc, difference, *precision_and_recall(each.verdicts))
    return table


def estimate_text(given: Interval | None) -> str:
    """Write a value with its interval, such as ``0.91 (0.85 to 0.96)``."""
    if given is None:
        return NOTHING
    value, low, high = (f"{each:.3f}" for each in (given.value, given.low, given.high))
    return f"{value} ({low} to {high})"


def _worst_table(ranked: Mapping[str, AnswerQuality]) -> Iterator[tuple[str, Table]]:
    """Yield the table of the answers that score lowest, if any has a score."""
    table = plain_table("worst scored", "share", "answers", "precision (95 % interval)")
    for name, quality in ranked.items():
        for each in quality.worst:
            share = f"{each.share * 100:g} %"
            few = f"{each.unsupported:.3g} of {each.examples}"
            precision = few if each.examples < FEW_EXAMPLES else estimate_text(each.precision)
            table.add_row(name, share, count(each.examples), precision)
    if table.rows:
        yield "What somebody finds who reads only the lowest scores:", table


def precision_and_recall(found: PrecisionRecall) -> Iterator[str]:
    """Return both with their intervals, with two digits, or as counts where examples are few."""
    for share, total in ((found.precision, found.flagged), (found.recall, found.unsupported)):
        if share is None:
            yield NOTHING
        elif total < FEW_EXAMPLES:
            yield f"{found.hits} of {total}"
        else:
            yield f"{share.value:.2f} ({share.low:.2f}-{share.high:.2f})"


def _flagged(flagged: Flagged) -> Iterator[str]:
    yield NOTHING if flagged.threshold is None else f"{flagged.threshold:.3g}"
    yield count(flagged.flagged)
    yield percent(flagged.share)
    for share in (flagged.precision, flagged.recall, flagged.f1):
        yield NOTHING if share is None else f"{share:.3f}"


def _calibration(name: str, calibration: Calibration) -> Table:
    table = plain_table(f"{name}: score", "examples", "mean score", "supported")
    for each in calibration.bins:
        score, supported = f"{each.mean_score:.3f}", f"{each.supported:.3f}"
        table.add_row(f"{each.low:.1f} to {each.high:.1f}", count(each.count), score, supported)
    table.add_row("expected error", "", "", f"{calibration.expected_error:.3f}", style="bold")
    return table


def plain_table(first: str, *others: str) -> Table:
    """Make a table without lines, whose numbers, behind the first column, are right-aligned."""
    numbers = (Column(heading, justify="right") for heading in others)
    return Table(first, *numbers, box=None, pad_edge=False, padding=(0, 2, 0, 0))
