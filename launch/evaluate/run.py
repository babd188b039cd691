"""Evaluate scores against labels: AUROC, precision, recall, F1 and calibration."""

import sys
from collections.abc import Sequence

import msgspec

from launch.evaluate.evaluation import measure
from launch.evaluate.labelled_answers import LabelledAnswers, holds_records
from launch.evaluate.tables import show_evaluation
from launch.inputs.archive_messages import ArchiveMessages
from launch.inputs.labels import read_all_labels
from launch.inputs.paths import find_inputs
from launch.report.output_folder import write_file
from launch.terminal.exit_status import DONE, fail
from launch.terminal.unreadable_input import SHOWN_FAULTS, fail_unreadable, fail_with
from pipeline.settings.commands import EvaluateSettings, EvaluationSettings
from pipeline.settings.load import Loaded
from transforms.grounding.errors import RunStopped


def evaluate(loaded: Loaded[EvaluateSettings]) -> int:
    """Check the answers, or take the scores they have, and compare them with the labels.

    Returns:
      0 done, 1 when an archive is damaged, nothing could be read, the checker cannot be called, or
      no label belongs to an answer.

    Raises:
      UsageError: the settings have problems, or a file is not there.
    """
    settings, problems = loaded.settings, loaded.problems
    answers = find_inputs("answers", settings.evaluation.answers, problems)
    gold = find_inputs("gold", settings.evaluation.gold, problems) or answers
    labels = read_all_labels("gold", gold, problems) if answers else {}
    loaded.raise_problems()
    collected = LabelledAnswers(labels)
    try:
        _collect(collected, answers, settings)
        return _print_evaluation(collected, answers, settings.evaluation)
    except (OSError, RunStopped, KeyboardInterrupt) as error:
        return fail(f"the evaluation failed: {str(error) or 'interrupted'}")


def _collect(
    collected: LabelledAnswers, answers: Sequence[str], settings: EvaluateSettings
) -> None:
    records = [path for path in answers if not settings.checker.checker and holds_records(path)]
    collected.add_records(records, salvage=settings.archives.salvage)
    others = [path for path in answers if path not in records]
    collected.add_checked(
        ArchiveMessages(others, salvage=settings.archives.salvage),
        settings.checker.check(retries=settings.retries.policy),
        settings.verdicts.thresholds,
        input_format=settings.format.input_format,
        facts_from_steps=settings.format.facts_from_steps,
    )


def _print_evaluation(
    collected: LabelledAnswers, answers: Sequence[str], settings: EvaluationSettings
) -> int:
    counts = collected.counts
    if counts.unreadable == counts.read and not collected.damaged:
        return fail_unreadable(collected.faults, answers)
    if not collected.labelled:
        unmatched = "no label belongs to an answer; they are joined by record_id, name or id"
        last = collected.last_failure
        reason = f"no answer could be checked: {last}" if last else unmatched
        return fail_with(f"the evaluation failed: {reason}", collected.damaged[:SHOWN_FAULTS])
    evaluation = measure(collected.labelled, counts, settings.resamples)
    show_evaluation(evaluation)
    if settings.evaluation_output:
        write_file(
            settings.evaluation_output, msgspec.json.format(msgspec.json.encode(evaluation)) + b"\n"
        )
        sys.stdout.write(f"{settings.evaluation_output}\n")
    if collected.damaged:
        sentence = f"the evaluation failed: damaged files: {len(collected.damaged)}"
        return fail_with(sentence, collected.damaged[:SHOWN_FAULTS])
    return DONE
