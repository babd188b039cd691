"""Write the log as one JSON object a line, with the field names of Cloud Logging.

Source: "Structured logging", https://cloud.google.com/logging/docs/structured-logging
"""

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable, Hashable, Iterator
from types import TracebackType
from typing import Any, Generic, TextIO, TypeVar

import msgspec

from schemas.quantities import to_rfc3339

_OURS = ("launch", "pipeline", "schemas", "transforms")
_SEVERITIES = ("DEFAULT", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_MAX_CHARACTERS = 2_000
_MAX_FOREIGN_CHARACTERS = 200
_MAX_EXCEPTIONS = 5
_MAX_PLACES = 5
_MAX_LINES = 5
_WINDOW_S = 60.0
_KNOWN = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"})
_MAX_KINDS = 1_000
_log = logging.getLogger(__name__)
Kind = TypeVar("Kind", bound=Hashable)


def log_as_json(stream: TextIO | None = None) -> None:
    """Write the log of this process, and what ends one of its threads, as JSON from now on.

    Args:
      stream: where to; stderr by default.
    """
    logging.basicConfig(handlers=[JsonLogHandler(stream)], level=logging.WARNING, force=True)
    for name in _OURS:
        logging.getLogger(name).setLevel(logging.INFO)
    # Google's clients keep their log to themselves, unless they find it set up
    # (google.api_core.client_logging).
    google = logging.getLogger("google")
    google.setLevel(logging.WARNING)
    google.propagate = True
    sys.excepthook = _log_end
    threading.excepthook = _log_end_of_thread


class LineCount(msgspec.Struct):
    """Lines of one kind.

    Attributes:
      since_s: when the first one was written, by the limit's clock.
      lines: how many there were since.
    """

    since_s: float
    lines: int = 0


class LineLimit(Generic[Kind]):
    """Limit the lines of each kind in a time window, and count the others.

    Args:
      max_lines: of a kind in one window.
      window_s: the length of a window; it begins with the first line.
      clock: seconds, monotonic.
    """

    def __init__(self, max_lines: int, window_s: float, clock: Callable[[], float]) -> None:
        self._max_lines = max_lines
        self._window_s = window_s
        self._clock = clock
        # In the order of their windows' beginnings.
        self._kinds: dict[Kind, LineCount] = {}

    def admits(self, kind: Kind) -> bool:
        """Count a line; return whether to write it."""
        count = self._kinds.setdefault(kind, LineCount(self._clock()))
        count.lines += 1
        return count.lines <= self._max_lines

    def dropped(self, *, so_far: bool = False) -> Iterator[tuple[Kind, int]]:
        """Remove the kinds whose window is over, and yield how many lines of each were dropped.

        Args:
          so_far: whether to remove the other kinds, too.
        """
        while self._kinds:
            kind, count = next(iter(self._kinds.items()))
            is_over = self._clock() - count.since_s >= self._window_s
            if not (so_far or is_over or len(self._kinds) > _MAX_KINDS):
                return
            del self._kinds[kind]
            if count.lines > self._max_lines:
                yield kind, count.lines - self._max_lines


class JsonLogHandler(logging.StreamHandler[TextIO]):
    """Write each line at once, but only a few lines of one kind a minute.

    Lines are of one kind if they have the same logger, level and template. A further line says how
    many were dropped, with the next line after the minute, or at the end.

    Args:
      stream: where to; stderr by default.
      clock: seconds, monotonic.
    """

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(stream)
        self.setFormatter(JsonFormatter())
        self._limit: LineLimit[tuple[str, int, str]] = LineLimit(_MAX_LINES, _WINDOW_S, clock)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, unless there were too many of its kind."""
        self._write_dropped()
        if self._limit.admits((record.name, record.levelno, _first_line(record.msg))):
            super().emit(record)

    def close(self) -> None:
        """Write how many lines were dropped."""
        self.acquire()
        try:
            self._write_dropped(so_far=True)
        finally:
            self.release()
        super().close()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base's name
        """Do nothing: the base class would print the record's arguments."""

    def _write_dropped(self, *, so_far: bool = False) -> None:
        for (name, level, template), lines in self._limit.dropped(so_far=so_far):
            message = f"{lines} more lines like this were left out: {template}"
            dropped = {"name": name, "levelno": level, "msg": message, "left_out": lines}
            super().emit(logging.makeLogRecord(dropped))


class JsonFormatter(logging.Formatter):
    """Format a record as a JSON object, without any text of an answer.

    groundwatch's own messages are written in full. Of other libraries' messages only the first line
    of the template is, since their arguments may be anything; of exceptions only class and places.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Format a record, without a line end."""
        fields = {
            "time": to_rfc3339(round(record.created * 1e6)),
            "severity": _SEVERITIES[max(0, min(record.levelno // 10, len(_SEVERITIES) - 1))],
            "logger": record.name,
            "message": _plain(_message(record)),
        }
        if record.exc_info and record.exc_info[1]:
            fields["exceptions"] = [_described(error) for error in _chain(record.exc_info[1])]
        taken = _KNOWN | fields.keys()
        more = {name: _plain(value) for name, value in vars(record).items() if name not in taken}
        return msgspec.json.encode(fields | more).decode()


def _message(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] in _OURS:
        return record.getMessage()
    return _first_line(record.msg)


def _first_line(template: object) -> str:
    lines = str(template).splitlines() if isinstance(template, str) else [type(template).__name__]
    return lines[0][:_MAX_FOREIGN_CHARACTERS] if lines else ""


def _plain(value: object) -> Any:
    """Return what JSON can represent; of everything else the name of the class."""
    if isinstance(value, str):
        # A lone surrogate is not valid text.
        return value[:_MAX_CHARACTERS].encode("utf-8", "replace").decode()
    is_plain = value is None or isinstance(value, bool | int | float)
    return value if is_plain else type(value).__name__


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and its causes, the last one first."""
    for _ in range(_MAX_EXCEPTIONS):
        if error is None:
            return
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _described(error: BaseException) -> dict[str, Any]:
    frames = [
        f"{frame.f_globals.get('__name__')}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    return {"class": type(error).__qualname__, "places": frames[-_MAX_PLACES:]}


def _log_end_of_thread(end: threading.ExceptHookArgs) -> None:
    # As Python does it: a thread may leave by SystemExit.
    if end.exc_type is not SystemExit:
        _log_end(end.exc_type, end.exc_value, end.exc_traceback)


def _log_end(
    exception_type: type[BaseException],
    exception: BaseException | None,
    place: TracebackType | None,
) -> None:
    end = exception or exception_type()
    _log.critical("ended by %s", exception_type.__name__, exc_info=(exception_type, end, place))
