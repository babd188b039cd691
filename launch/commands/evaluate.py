"""Measure the accuracy of scores on labelled answers.

Enriched records keep their scores, unless --checker is given.
"""

from launch.commands import Command
from pipeline.settings.commands import EvaluateSettings

COMMAND = Command(
    settings=EvaluateSettings,
    run="launch.evaluate.evaluate_answers:evaluate",
    examples=(
        "--answers answers.jsonl --gold labels.jsonl",
        "--answers 'out/answers/enriched/**/*.avro' --gold labels.jsonl",
    ),
)
