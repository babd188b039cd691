"""Check the failures of an earlier run again."""

from collections.abc import Iterator
from typing import Annotated

from groundwatch.launch.cli.commands import Command
from groundwatch.launch.cli.commands.watch import ConnectionSettings
from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.settings.job import JobSettings


class FailureSettings(Settings, frozen=True, kw_only=True):
    """Which failures are replayed.

    failures: Failures of an earlier run: paths or globs, local or gs://; or the subscription of a
      failure topic, projects/P/subscriptions/S.
    """

    failures: tuple[kinds.Location, ...]

    @property
    def subscription(self) -> str | None:
        """The subscription that holds the failures, unless files do."""
        return next(filter(kinds.is_subscription, self.failures), None)

    def problems(self) -> Iterator[str]:
        """Refuse a subscription beside another input."""
        if self.subscription and len(self.failures) > 1:
            yield f"--failures {self.subscription}: a subscription is replayed alone"


class ReplaySettings(Settings, frozen=True, kw_only=True):
    """The settings of `replay`."""

    failures: FailureSettings
    server: ConnectionSettings
    job: Annotated[JobSettings, Note(without="api_version again")]


COMMAND = Command(
    settings=ReplaySettings,
    run="groundwatch.launch.backfill.start_job:replay",
    examples=(
        "--failures 'out/answers/failures/*.jsonl' --output out/answers",
        "--failures projects/P/subscriptions/S --output out/answers",
    ),
)
