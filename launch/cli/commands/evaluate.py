"""Measure the accuracy of scores on labelled answers.

Enriched records keep their scores, unless --checker, --escalate or --scorer is given, and their
verdicts, unless thresholds are given. With a scorer the same answers are compared by words, by both
and by the model.
"""

from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.checker import CheckerSettings, RetryPolicySettings
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.settings.job import InputFormatSettings, VerdictSettings
from . import Command


class EvaluationSettings(Settings, frozen=True, kw_only=True):
    """What is evaluated.

    answers: Answers in any input format, or enriched records: paths, globs or output folders.
    gold: Labels as JSON lines or CSV, which name an answer (record_id, name or id) and say
      "hallucinated" or "grounded" (true or false). "spans" lists what is not supported:
      [[start_byte, end_byte, kind]]. Default: the lines of --answers.
    evaluation_output: File for all results, as JSON; - is standard output.
    resamples: Bootstrap samples for the 95 % intervals.
    """

    answers: tuple[kinds.Location, ...]
    gold: tuple[kinds.Location, ...] = ()
    evaluation_output: Annotated[kinds.Location | None, Note(flag="output")] = None
    resamples: kinds.Count = 1_000


class EvaluateSettings(Settings, frozen=True, kw_only=True):
    """The settings of `evaluate`."""

    evaluation: EvaluationSettings
    format: InputFormatSettings
    verdicts: Annotated[VerdictSettings, Note(without="move_reason")]
    checker: CheckerSettings
    retries: RetryPolicySettings


COMMAND = Command(
    settings=EvaluateSettings,
    run="groundwatch.launch.quality.evaluate.evaluate_answers:evaluate",
    examples=(
        "--answers answers.jsonl --gold labels.jsonl",
        "--answers out/answers --gold labels.jsonl",
    ),
)
