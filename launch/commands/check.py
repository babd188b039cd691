"""Check one answer against source texts.

The exit status is 4 when the answer is low-grounded, so that a test or a CI job can call it.
"""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import CheckCommandSettings

COMMAND = Command(
    settings=CheckCommandSettings,
    run="groundwatch.launch.answers.check:check",
    examples=(
        "--answer 'Lamps glow red.' --fact 'Lamps glow blue.'",
        "--answer - --fact_file manual.txt < answer.txt",
    ),
)
