"""`groundwatch evaluate`: how well scores agree with what people said of the same answers."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from launch.command_help import wants_help, write_help
from launch.evaluate.evaluation import evaluate, evaluation_to_json
from launch.evaluate.labelled_answers import LabelledAnswers, holds_records
from launch.evaluate.tables import show_evaluation
from launch.flags import UsageError, read_all_flags
from launch.inputs.labels import gather_labels
from launch.inputs.paths import find_inputs
from launch.report.output_folder import write_file
from launch.terminal.exit_status import DONE, fail
from launch.terminal.unreadable_input import SHOWN_FAULTS, fail_unreadable, fail_with
from pipeline import check_options, options
from pipeline.check_config import check_problems, check_settings_from
from pipeline.option import Option, location, whole
from transforms.grounding.errors import RunStopped
from transforms.grounding.settings import LOCAL
from transforms.rules.tagging import Thresholds

_OF_A_BILL = {"price_per_1k_chars": None, "max_calls": None, "max_cost": None}
_THRESHOLDS = ("low_grounded_threshold", "claim_threshold")


def _check_options() -> tuple[Option, ...]:
    """The flags of a backfill's check, but for those of its bill; records need no checker."""
    kept = (option for option in check_options.CHECK if option.name not in _OF_A_BILL)
    checker, *others = kept
    meaning = f"{checker.meaning} (default local; enriched records keep the scores they have)"
    return (replace(checker, meaning=meaning, default=None), *others)


OPTIONS = (
    Option(
        name="answers",
        meaning="answers in any input format, or enriched records: paths or globs, local or gs://",
        read=location,
        takes_many=True,
        is_required=True,
    ),
    Option(
        name="gold",
        meaning="labels, JSON lines that name an answer (record_id, name or id) and say"
        ' "hallucinated" or "grounded" (true or false), maybe with "spans" that are not supported,'
        " [[start_byte, end_byte, kind]]; by default the answers' own lines",
        read=location,
        takes_many=True,
    ),
    Option(name="output", meaning="a file for all that was found, as JSON", read=location),
    Option(
        name="resamples",
        meaning="how often answers are drawn anew for the 95 % intervals",
        read=whole,
        default=1_000,
    ),
    options.SALVAGE,
    *options.FORMAT,
    *(option for option in options.VERDICTS if option.name in _THRESHOLDS),
    *_check_options(),
)


def run(arguments: Sequence[str]) -> int:
    """Score the answers, or take the scores they have, and hold them to the labels.

    Returns:
      0 done, 1 when an archive is damaged, nothing could be read, the checker cannot be asked, or
      no label met an answer.

    Raises:
      UsageError: the flags make no sense, or name what is not there.
    """
    if wants_help(arguments):
        return write_help("evaluate", OPTIONS)
    values, problems = read_all_flags(arguments, OPTIONS)
    values |= _OF_A_BILL | {"takes_records": values["checker"] is None}
    values["checker"] = values["checker"] or LOCAL
    problems += check_problems(values)
    answers = find_inputs("answers", values["answers"], problems)
    gold = find_inputs("gold", values["gold"], problems) or answers
    labels = gather_labels("gold", gold, problems) if answers else {}
    if problems:
        raise UsageError(problems)
    collected = LabelledAnswers(labels)
    try:
        _collect(collected, answers, values)
        return _report(collected, answers, values)
    except (OSError, RunStopped, KeyboardInterrupt) as error:
        return _fail(str(error) or "interrupted")


def _collect(collected: LabelledAnswers, answers: Sequence[str], values: Mapping[str, Any]) -> None:
    records = [path for path in answers if values["takes_records"] and holds_records(path)]
    collected.add_records(records, salvage=values["salvage"])
    collected.add_checked(
        [path for path in answers if path not in records],
        check_settings_from(values, workers=1, work_folder=None),
        Thresholds(low_grounded=values["low_grounded_threshold"], claim=values["claim_threshold"]),
        input_format=values["input_format"],
        facts_from_steps=values["facts_from_steps"],
        salvage=values["salvage"],
    )


def _report(collected: LabelledAnswers, answers: Sequence[str], values: Mapping[str, Any]) -> int:
    if collected.is_unreadable and not collected.damaged:
        return fail_unreadable(collected.faults, answers)
    if not collected.labelled:
        met = "no label met an answer; they are joined by record_id, name or id"
        why = f"no answer could be checked: {last}" if (last := collected.last_failure) else met
        return fail_with(f"the evaluation failed: {why}", collected.damaged[:SHOWN_FAULTS])
    evaluation = evaluate(collected.labelled, collected.counts, values["resamples"])
    show_evaluation(evaluation)
    if values["output"]:
        write_file(values["output"], evaluation_to_json(evaluation))
        sys.stdout.write(f"{values['output']}\n")
    if collected.damaged:
        sentence = f"the evaluation failed: files that are damaged: {len(collected.damaged)}"
        return fail_with(sentence, collected.damaged[:SHOWN_FAULTS])
    return DONE


def _fail(reason: str) -> int:
    return fail(f"the evaluation failed: {reason}")
