"""Measure the accuracy of scores on labelled answers.

Enriched records keep their scores, unless --checker is given.
"""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import EvaluateSettings

COMMAND = Command(
    settings=EvaluateSettings,
    run="groundwatch.launch.evaluate.evaluate_answers:evaluate",
    examples=(
        "--answers answers.jsonl --gold labels.jsonl",
        "--answers 'out/answers/enriched/**/*.avro' --gold labels.jsonl",
    ),
)
