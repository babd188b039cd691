"""Check the failures of an earlier run again.

It takes the settings of that run, such as its checker, --map and --text, unless a flag overrides
them.
"""

from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.settings.job import JobSettings
from . import Command


class FailureSettings(Settings, frozen=True, kw_only=True):
    """Which failures are replayed.

    failures: Failures of an earlier run: paths or globs, local or gs://.
    """

    failures: tuple[kinds.FailureFiles, ...]


class ReplaySettings(Settings, frozen=True, kw_only=True):
    """The settings of `replay`."""

    failures: FailureSettings
    job: Annotated[JobSettings, Note(without="api_version again")]


COMMAND = Command(
    settings=ReplaySettings,
    run="groundwatch.launch.backfill.start_job:replay",
    find_inherited="groundwatch.launch.backfill.start_job:find_inherited",
    examples=(
        "--failures 'out/answers/failures/*.jsonl' --output out/answers",
        "--failures 'gs://B/checked/failures/*.jsonl' --output gs://B/checked",
    ),
)
