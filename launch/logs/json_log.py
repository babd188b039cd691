"""The log as one JSON object a line, in the member names that Cloud Logging understands.

Source: "Structured logging", https://cloud.google.com/logging/docs/structured-logging
"""

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, TextIO

import msgspec

from launch.logs.line_limit import LineLimit
from schemas.quantities import to_rfc3339

_OURS = ("launch", "pipeline", "schemas", "transforms")
_SEVERITIES = ("DEFAULT", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_MOST_CHARACTERS = 2_000
_MOST_FOREIGN_CHARACTERS = 200
_MOST_EXCEPTIONS = 5
_MOST_PLACES = 5
_MOST_LINES = 5
_STRETCH_S = 60.0
_KNOWN = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"})
_log = logging.getLogger(__name__)


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


class JsonLogHandler(logging.StreamHandler[TextIO]):
    """Writes each line at once, and of lines of one kind only a few a minute.

    Lines are of one kind when they have logger, level and template in common. How many were left
    out is told in a line of its own, once the minute is over and something is written, or at the
    end.

    Args:
      stream: where to; stderr by default.
      clock: seconds, never set back.
    """

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(stream)
        self.setFormatter(JsonFormatter())
        self._limit: LineLimit[tuple[str, int, str]] = LineLimit(_MOST_LINES, _STRETCH_S, clock)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, unless there were too many of its kind."""
        self._tell_left_out()
        if self._limit.admits((record.name, record.levelno, _first_line(record.msg))):
            super().emit(record)

    def close(self) -> None:
        """Tell what was left out."""
        self.acquire()
        try:
            self._tell_left_out(so_far=True)
        finally:
            self.release()
        super().close()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base's name
        """Say nothing: the base would print the record's arguments."""

    def _tell_left_out(self, *, so_far: bool = False) -> None:
        for (name, level, template), lines in self._limit.left_out(so_far=so_far):
            told = f"{lines} more lines like this were left out: {template}"
            left_out = {"name": name, "levelno": level, "msg": told, "left_out": lines}
            super().emit(logging.makeLogRecord(left_out))


class JsonFormatter(logging.Formatter):
    """Writes a record as a JSON object, without a word that an answer may have said.

    Our own messages stand whole. Of other libraries' there is only the template's first line, since
    their arguments may be anything; of exceptions only their classes and places.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Write it, without a line's end."""
        members = {
            "time": to_rfc3339(round(record.created * 1e6)),
            "severity": _SEVERITIES[max(0, min(record.levelno // 10, len(_SEVERITIES) - 1))],
            "logger": record.name,
            "message": _plain(_message(record)),
        }
        if record.exc_info and record.exc_info[1]:
            members["exceptions"] = [_described(error) for error in _chain(record.exc_info[1])]
        taken = _KNOWN | members.keys()
        more = {name: _plain(value) for name, value in vars(record).items() if name not in taken}
        return msgspec.json.encode(members | more).decode()


def _message(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] in _OURS:
        return record.getMessage()
    return _first_line(record.msg)


def _first_line(template: object) -> str:
    lines = str(template).splitlines() if isinstance(template, str) else [type(template).__name__]
    return lines[0][:_MOST_FOREIGN_CHARACTERS] if lines else ""


def _plain(value: object) -> Any:
    """Leave what JSON can hold, and of all else the class."""
    if isinstance(value, str):
        # Half a surrogate pair is no text.
        return value[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()
    is_plain = value is None or isinstance(value, bool | int | float)
    return value if is_plain else type(value).__name__


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and those that led to it, the last first."""
    for _ in range(_MOST_EXCEPTIONS):
        if error is None:
            return
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _described(error: BaseException) -> dict[str, Any]:
    frames = [
        f"{frame.f_globals.get('__name__')}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    return {"class": type(error).__qualname__, "places": frames[-_MOST_PLACES:]}


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
