"""Define what every destination of results has in common, and deliver rows to one."""

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Generic, TypeVar

from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.schemas.grounding_result import GroundingResult

ExportedRow = TypeVar("ExportedRow")
_MAX_LOGGED = 5
_MAX_REFUSED_IN_ROW = 20
_TARGETS = {
    "langfuse": "groundwatch.launch.targets.trace_tools:LangfuseScores",
    "mlflow": "groundwatch.launch.targets.trace_tools:MlflowAssessments",
    "opentelemetry": "groundwatch.launch.targets.otlp:OtlpEvents",
    "phoenix": "groundwatch.launch.targets.trace_tools:PhoenixAnnotations",
}
_log = logging.getLogger(__name__)


class TargetFailed(Exception):
    """The first `stored` rows are done with, as `delivered` counts them; the others are not."""

    stored = 0
    delivered = Delivered()


class TargetUnavailable(TargetFailed):
    """The target does not answer now, or asks to wait: the same rows may succeed later."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class TargetMisconfigured(TargetFailed):
    """The target refuses every row until a person has changed something; the message says what."""


class RowsRefused(Exception):
    """The target refuses these rows, and would again; the message says why, without a text.

    With a `number`, it has stored the others, and does not name those that it refuses.
    """

    def __init__(self, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.number = number


class Target(ABC, Generic[ExportedRow]):
    """Send rows to one destination.

    A row may be sent again after a failure, so it carries an id that the destination can compare.
    `place` identifies the destination for what is kept of it, without a secret. `max_rows` is the
    most that one call of `send` takes, `pause_s` the time between two calls. If rows are refused
    together, they are sent in parts, `part_pause_s` apart. One thread calls a target.
    """

    name: str
    place = ""
    max_rows = 500
    pause_s = 0.0
    part_pause_s = 0.0

    @abstractmethod
    def send(self, rows: Sequence[ExportedRow]) -> None:
        """Send rows, and return when they are stored.

        Raises:
          TargetUnavailable: some rows may be stored; send all again later.
          TargetMisconfigured: a person has to change something first.
          RowsRefused: one of the rows cannot be stored; send the others without it.
        """

    def group_of(self, row: ExportedRow) -> str:  # noqa: ARG002 - for those that overwrite it
        """Return a row's group: the rows of one are sent behind each other."""
        return ""

    def accepts(self, row: ExportedRow) -> bool:  # noqa: ARG002 - for those that overwrite it
        """Return whether the destination has a place for a row."""
        return True

    def close(self) -> None:
        """Disconnect."""


def deliver(target: Target[ExportedRow], rows: Sequence[ExportedRow]) -> Delivered:
    """Send at most `max_rows` rows; log those that the target refuses, and send the others.

    Raises what `Target.send` does except RowsRefused; the error says how many rows are done with.
    """
    places = [place for place, row in enumerate(rows) if target.accepts(row)]
    sending = _Sending(target)
    try:
        if places:
            sending.send([rows[place] for place in places])
    except TargetFailed as error:
        sending.ended += error.stored
        error.stored = places[sending.ended]
        error.delivered = sending.delivered(error.stored)
        raise
    finally:
        sending.log_refused()
    return sending.delivered(len(rows))


class _Sending:
    """Send rows to a target in order, and find those that it refuses by halving.

    Attributes:
      ended: the rows that were sent or refused.
    """

    def __init__(self, target: Target[Any]) -> None:
        self._target = target
        self._refused: list[tuple[Any, str]] = []
        self.ended = 0

    def send(self, rows: Sequence[Any]) -> None:
        try:
            self._target.send(rows)
        except RowsRefused as error:
            if error.number is not None:
                self._refused += [(None, str(error))] * min(error.number, len(rows))
            elif len(rows) == 1 or self._takes_nothing():
                self._refused += [(row, str(error)) for row in rows]
            else:
                half = len(rows) // 2
                for part in (rows[:half], rows[half:]):
                    time.sleep(self._target.part_pause_s)
                    self.send(part)
                return
        self.ended += len(rows)

    def delivered(self, done: int) -> Delivered:
        """Count what has become of the rows until a place in them."""
        refused = len(self._refused)
        return Delivered(sent=self.ended - refused, refused=refused, skipped=done - self.ended)

    def log_refused(self) -> None:
        for row, reason in self._refused[:_MAX_LOGGED]:
            record_id = getattr(row, "record_id", None) or "that it does not name"
            _log.error("%s refuses the record %s: %s", self._target.name, record_id, reason)
        if (more := len(self._refused) - _MAX_LOGGED) > 0:
            _log.error("%s refuses %d more records", self._target.name, more)

    def _takes_nothing(self) -> bool:
        """Return whether more parts would only exceed a channel's rate."""
        is_slow, refused = self._target.part_pause_s > 0, len(self._refused)
        return is_slow and refused >= _MAX_REFUSED_IN_ROW and refused == self.ended


@contextmanager
def collecting_problems(problems: list[str], flag: str = "") -> Iterator[None]:
    """Add to `problems`, behind the flag, what a target that is opened in the block lacks."""
    try:
        yield
    except TargetMisconfigured as error:
        problems.append(f"{flag}{error}")


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
