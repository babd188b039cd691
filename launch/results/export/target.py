"""Define what every destination of results has in common, and deliver rows to one."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Generic, TypeVar

from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.schemas.grounding_result import GroundingResult

Row = TypeVar("Row")
_MAX_LOGGED = 5
_TARGETS = {
    "langfuse": "groundwatch.launch.results.export.trace_tools:LangfuseScores",
    "mlflow": "groundwatch.launch.results.export.trace_tools:MlflowAssessments",
    "opentelemetry": "groundwatch.launch.results.export.otlp:OtlpEvents",
    "phoenix": "groundwatch.launch.results.export.trace_tools:PhoenixAnnotations",
}
_log = logging.getLogger(__name__)


class TargetUnavailable(Exception):
    """The target does not answer now, or asks to wait: the same rows may succeed later.

    The first `stored` rows are stored.
    """

    stored = 0

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class TargetMisconfigured(Exception):
    """The target refuses every row until a person has changed something; the message says what.

    The first `stored` rows are stored.
    """

    stored = 0


class RowsRefused(Exception):
    """The target refuses these rows, and would again; the message says why, without a text.

    With a `number`, it has stored the others, and does not name those that it refuses.
    """

    def __init__(self, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.number = number


class Target(ABC, Generic[Row]):
    """Send rows to one destination.

    A row may be sent again after a failure, so it carries an id that the destination can compare.
    `place` identifies the destination for what is kept of it, without a secret. `max_rows` is the
    most that one call of `send` takes, `pause_s` the time between two calls. If rows are refused
    together, they are sent in parts where that is allowed: `can_divide`. One thread calls a target.
    """

    name: str
    place = ""
    max_rows = 500
    pause_s = 0.0
    can_divide = True

    @abstractmethod
    def send(self, rows: Sequence[Row]) -> None:
        """Send rows, and return when they are stored.

        Raises:
          TargetUnavailable: some rows may be stored; send all again later.
          TargetMisconfigured: a person has to change something first.
          RowsRefused: one of the rows cannot be stored; send the others without it.
        """

    def group_of(self, row: Row) -> str:  # noqa: ARG002 - for those that overwrite it
        """Return a row's group: the rows of one are sent behind each other."""
        return ""

    def accepts(self, row: Row) -> bool:  # noqa: ARG002 - for those that overwrite it
        """Return whether the destination has a place for a row."""
        return True

    def close(self) -> None:
        """Disconnect."""


def deliver(target: Target[Row], rows: Sequence[Row]) -> Delivered:
    """Send at most `max_rows` rows; log those that the target refuses, and send the others.

    Raises what `Target.send` does except RowsRefused; then all rows are to be delivered again.
    """
    accepted = [row for row in rows if target.accepts(row)]
    refused = _send(target, accepted) if accepted else []
    for row, reason in refused[:_MAX_LOGGED]:
        record_id = getattr(row, "record_id", None) or "that it does not name"
        _log.error("%s refuses the record %s: %s", target.name, record_id, reason)
    if len(refused) > _MAX_LOGGED:
        _log.error("%s refuses %d more records", target.name, len(refused) - _MAX_LOGGED)
    return Delivered(
        sent=len(accepted) - len(refused),
        refused=len(refused),
        skipped=len(rows) - len(accepted),
    )


def _send(target: Target[Any], rows: Sequence[Any]) -> list[tuple[Any, str]]:
    """Send rows; find those that are refused by bisection, and return them with the reasons."""
    try:
        target.send(rows)
    except RowsRefused as error:
        if error.number is not None:
            return [(None, str(error))] * min(error.number, len(rows))
        if len(rows) == 1 or not target.can_divide:
            return [(row, str(error)) for row in rows]
        half = len(rows) // 2
        return [*_send(target, rows[:half]), *_send(target, rows[half:])]
    return []


def try_target(name: str, url: str | None, problems: list[str]) -> None:
    """Open and close a target; add what it lacks to `problems`."""
    try:
        open_target(name, url).close()
    except TargetMisconfigured as error:
        problems.append(str(error))


def open_target(name: str, url: str | None = None) -> Target[GroundingResult]:
    """Open a target, by default at the address that its environment variables name.

    Its packages are imported only now.

    Raises:
      TargetMisconfigured: a key or a package is missing.
    """
    module, _, class_name = _TARGETS[name].partition(":")
    try:
        opened: Any = getattr(import_module(module), class_name)
    except ImportError as error:
        raise TargetMisconfigured(
            f"{name} needs the package {error.name}: pip install 'groundwatch[otel]'"
        ) from None
    target: Target[GroundingResult] = opened(url)
    return target
