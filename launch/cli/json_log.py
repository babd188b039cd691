"""Write the log as one JSON object a line, with the field names of Cloud Logging.

Source: "Structured logging", https://cloud.google.com/logging/docs/structured-logging
"""

import logging
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any, TextIO

import msgspec

from groundwatch.schemas.quantities import to_rfc3339

_OURS = "groundwatch"
_SEVERITIES = ("DEFAULT", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_STANDARD_FIELDS = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"}
_QUIET_IN_BEAM = ("common", "dataflow.dataflow_runner", "worker")
_MAX_CHARACTERS = 2_000
_MAX_FOREIGN_CHARACTERS = 200
_MAX_EXCEPTIONS = 5
_MAX_PLACES = 5
_MAX_LINES = 5
_WINDOW_S = 60.0
_MAX_KINDS = 1_000
_log = logging.getLogger(__name__)


def keep_beam_quiet() -> None:
    """Silence what Beam logs when a step raises: it contains text, and is raised again."""
    for name in _QUIET_IN_BEAM:
        logging.getLogger(f"apache_beam.runners.{name}").setLevel(logging.CRITICAL)


def log_as_json(stream: TextIO | None = None) -> None:
    """Write the log of this process, and what ends one of its threads, as JSON from now on."""
    logging.basicConfig(handlers=[JsonLogHandler(stream)], level=logging.WARNING, force=True)
    logging.getLogger(_OURS).setLevel(logging.INFO)
    # Google's clients keep their log to themselves, unless they find it set up
    # (google.api_core.client_logging).
    google = logging.getLogger("google")
    google.setLevel(logging.WARNING)
    google.propagate = True
    sys.excepthook = _log_end
    threading.excepthook = _log_end_of_thread


class JsonLogHandler(logging.StreamHandler[TextIO]):
    """Write each line at once, but only five lines of one logger, level and template a minute.

    A further line, after the minute or at the end, says how many were dropped, and repeats the last
    one. After a thousand kinds, the minute ends early.
    """

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(stream)
        self.setFormatter(JsonFormatter())
        self._clock = clock
        self._begin_minute()

    def emit(self, record: logging.LogRecord) -> None:
        kind = record.name, record.levelno, _first_line(record.msg)
        is_full = len(self._lines) == _MAX_KINDS and kind not in self._lines
        if is_full or self._clock() - self._since_s >= _WINDOW_S:
            self._write_dropped()
        self._lines[kind] += 1
        self._last[kind] = record
        if self._lines[kind] <= _MAX_LINES:
            super().emit(record)

    def close(self) -> None:
        """Write how many lines were dropped."""
        with self.lock or nullcontext():
            self._write_dropped()
        super().close()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base's name
        """Do nothing: the base class would print the record's arguments."""

    def _begin_minute(self) -> None:
        self._since_s = self._clock()
        self._lines: Counter[tuple[str, int, str]] = Counter()
        self._last: dict[tuple[str, int, str], logging.LogRecord] = {}

    def _write_dropped(self) -> None:
        for kind, lines in self._lines.items():
            if (dropped := lines - _MAX_LINES) > 0:
                last = self._last[kind]
                message = f"{dropped} more lines like this were left out: {_message(last)}"
                fields = {"name": last.name, "levelno": last.levelno, "msg": message}
                fields["left_out"] = dropped
                super().emit(logging.makeLogRecord(fields))
        self._begin_minute()


class JsonFormatter(logging.Formatter):
    """Format a record as a JSON object, without any text of an answer.

    groundwatch's own messages are written in full. Of other libraries' messages only the first line
    of the template is, since their arguments may be anything; of exceptions only class and places.
    """

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": to_rfc3339(round(record.created * 1e6)),
            "severity": _SEVERITIES[max(0, min(record.levelno // 10, len(_SEVERITIES) - 1))],
            "logger": record.name,
            "message": _plain(_message(record)),
        }
        if record.exc_info and record.exc_info[1]:
            fields["exceptions"] = [_described(error) for error in _chain(record.exc_info[1])]
        taken = _STANDARD_FIELDS | fields.keys()
        more = {name: _plain(value) for name, value in vars(record).items() if name not in taken}
        return msgspec.json.encode(fields | more).decode()


def _message(record: logging.LogRecord) -> str:
    is_own = record.name.partition(".")[0] == _OURS
    return record.getMessage() if is_own else _first_line(record.msg)


def _first_line(template: object) -> str:
    lines = template.splitlines() if isinstance(template, str) else [type(template).__name__]
    return lines[0][:_MAX_FOREIGN_CHARACTERS] if lines else ""


def _plain(value: object) -> Any:
    """Return what JSON can represent; of everything else the name of the class."""
    if isinstance(value, str):
        # A lone surrogate is not valid text.
        return value[:_MAX_CHARACTERS].encode("utf-8", "replace").decode()
    is_plain = value is None or isinstance(value, bool | int | float)
    return value if is_plain else type(value).__name__


def _chain(error: BaseException | None) -> Iterator[BaseException]:
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


def _log_end(kind: type[BaseException], *rest: Any) -> None:
    _log.critical("ended by %s", kind.__name__, exc_info=(kind, *rest))
