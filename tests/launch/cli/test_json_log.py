"""The log as JSON."""

import io
import json
import logging
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from google.api_core import client_logging

from groundwatch.launch.cli.json_log import JsonFormatter, JsonLogHandler, log_as_json
from tests.support.clocks import ManualClock

SAID = "what the answer said"


def formatted(name: str = "groundwatch.launch.watch.worker", **fields: Any) -> dict[str, Any]:
    given = {"name": name, "levelno": logging.WARNING, "msg": "%d messages", "args": (3,)}
    line = JsonFormatter().format(logging.makeLogRecord(given | fields))
    assert "\n" not in line
    written: dict[str, Any] = json.loads(line)
    return written


def raised(error: BaseException) -> tuple[Any, ...]:
    """An exception as a log gets it, from a few calls deep."""
    try:
        _raise(error, 3)
    except BaseException:  # noqa: BLE001 - KeyboardInterrupt is one
        return sys.exc_info()
    raise AssertionError


def _raise(error: BaseException, depth: int) -> None:
    if not depth:
        raise error
    _raise(error, depth - 1)


def test_a_line_says_when_how_bad_who_and_what() -> None:
    assert formatted(created=1_772_539_200.25) == {
        "time": "2026-03-03T12:00:00.250000Z",
        "severity": "WARNING",
        "logger": "groundwatch.launch.watch.worker",
        "message": "3 messages",
    }


LEVELS = {0: "DEFAULT", 5: "DEFAULT", 10: "DEBUG", 20: "INFO", 25: "INFO", 30: "WARNING"} | {
    40: "ERROR",
    50: "CRITICAL",
    99: "CRITICAL",
}


@pytest.mark.parametrize(("level", "severity"), LEVELS.items())
def test_every_level_is_a_severity_of_cloud_logging(level: int, severity: str) -> None:
    assert formatted(levelno=level)["severity"] == severity


def test_more_fields_stand_beside_but_never_instead() -> None:
    line = formatted(batch=17, share=0.5, done=True, logger="another", severity="EMERGENCY")
    assert (line["batch"], line["share"], line["done"]) == (17, 0.5, True)
    assert (line["logger"], line["severity"]) == ("groundwatch.launch.watch.worker", "WARNING")


def test_a_value_that_json_lacks_is_replaced_by_its_class() -> None:
    line = formatted(error=ValueError(SAID), answers=[SAID], nothing=None)
    assert (line["error"], line["answers"], line["nothing"]) == ("ValueError", "list", None)


def test_of_other_libraries_only_the_template_is_reported() -> None:
    line = formatted(name="asyncio", msg="cannot read %s\nfuture: %s", args=(SAID, SAID))
    assert line["message"] == "cannot read %s"


@pytest.mark.parametrize("msg", [ValueError(SAID), {"answer": SAID}, ""])
def test_what_other_libraries_log_instead_of_a_template_is_not_reported(msg: object) -> None:
    line = formatted(name="root", msg=msg, args=None)
    assert line["message"] == ("" if msg == "" else type(msg).__name__)


def test_an_exception_is_its_class_and_its_places() -> None:
    (error,) = formatted(exc_info=raised(ValueError(SAID)))["exceptions"]
    assert error["class"] == "ValueError"
    assert len(error["places"]) == 5
    module, line = error["places"][-1].split(" ")[0].rsplit(":", 1)
    assert module.endswith("test_json_log")
    assert int(line) > 0
    assert error["places"][-1].endswith(" _raise")


def test_what_led_to_an_exception_is_reported_too() -> None:
    error = RuntimeError(SAID)
    error.__cause__ = raised(OSError(SAID))[1]
    line = formatted(exc_info=raised(error))
    assert [error["class"] for error in line["exceptions"]] == ["RuntimeError", "OSError"]
    assert SAID not in json.dumps(line)


def test_what_was_hidden_by_raising_from_none_stays_hidden() -> None:
    error = RuntimeError(SAID)
    error.__context__, error.__suppress_context__ = KeyError(SAID), True
    assert len(formatted(exc_info=raised(error))["exceptions"]) == 1


def test_a_chain_without_end_is_cut() -> None:
    error = RuntimeError(SAID)
    error.__cause__ = error
    assert len(formatted(exc_info=raised(error))["exceptions"]) == 5


def test_a_lone_surrogate_and_a_megabyte_do_no_harm() -> None:
    assert formatted(msg="\ud800", args=None)["message"] == "?"
    assert len(formatted(msg="é" * 1_000_000, args=None)["message"]) == 2_000
    assert formatted(share=float("nan"))["share"] is None


class Log:
    """A log on a stream of its own, with a clock to be set."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.stream = io.StringIO()
        self.handler = JsonLogHandler(self.stream, self.clock)

    def write(self, msg: str, *args: object, level: int = logging.ERROR) -> None:
        record = logging.makeLogRecord(
            {"name": "groundwatch.launch.engine.pubsub", "levelno": level, "msg": msg, "args": args}
        )
        self.handler.handle(record)

    @property
    def messages(self) -> list[str]:
        return [line["message"] for line in self.lines]

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


def test_an_outage_is_reported_in_a_few_lines_and_a_count() -> None:
    log = Log()
    for number in range(1_000):
        log.write("try %d failed", number)
    log.write("something else")
    assert log.messages == [*(f"try {number} failed" for number in range(5)), "something else"]
    log.clock.advance(60)
    log.write("it is over")
    assert log.messages[-2:] == [
        "995 more lines like this were left out: try 999 failed",
        "it is over",
    ]
    line = log.lines[-2]
    assert (line["left_out"], line["severity"], line["logger"]) == (
        995,
        "ERROR",
        "groundwatch.launch.engine.pubsub",
    )


def test_what_was_left_out_is_named_though_its_template_has_no_word() -> None:
    log = Log()
    for _ in range(7):
        log.write("%s; it is tried again", "the disk is full")
    log.handler.close()
    assert log.messages[-1] == (
        "2 more lines like this were left out: the disk is full; it is tried again"
    )


def test_the_same_words_at_another_level_are_of_another_kind() -> None:
    log = Log()
    for level in (logging.INFO, logging.ERROR):
        for _ in range(6):
            log.write("as ever", level=level)
    assert len(log.lines) == 10


def test_a_kind_has_its_lines_again_when_its_minute_is_over() -> None:
    log = Log()
    for _ in range(7):
        log.write("no connection")
    log.clock.advance(59.9)
    log.write("no connection")
    assert len(log.lines) == 5
    log.clock.advance(0.1)
    log.write("no connection")
    assert [line.get("left_out") for line in log.lines[5:]] == [3, None]


def test_a_kind_without_dropped_lines_gets_no_further_line() -> None:
    log = Log()
    for _ in range(5):
        log.write("no connection")
    log.clock.advance(60)
    log.write("it is over")
    assert len(log.lines) == 6


def test_the_handler_remembers_a_thousand_kinds_at_most() -> None:
    log = Log()
    for kind in range(3_000):
        for _ in range(6):
            log.write(f"kind {kind}")
    assert len(log.handler._lines) <= 1_000
    dropped = [line["message"] for line in log.lines if "left_out" in line]
    assert dropped[-1] == "1 more lines like this were left out: kind 1999"
    assert len(dropped) == 2_000


def test_the_handler_writes_at_its_end_what_it_dropped() -> None:
    log = Log()
    for _ in range(6):
        log.write("no connection")
        log.write("another")
    log.handler.close()
    assert [line["left_out"] for line in log.lines[-2:]] == [1, 1]


def test_a_closed_stream_does_no_harm(capsys: pytest.CaptureFixture[str]) -> None:
    log = Log()
    log.stream.close()
    log.write("to nobody")
    assert capsys.readouterr().err == ""


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """What this process logs as JSON; afterwards everything is as before."""
    root = logging.getLogger()
    handlers, level, hooks = root.handlers[:], root.level, (sys.excepthook, threading.excepthook)
    root.handlers = []
    stream = io.StringIO()
    log_as_json(stream)
    yield stream
    root.handlers = handlers
    root.setLevel(level)
    sys.excepthook, threading.excepthook = hooks
    logging.getLogger("groundwatch").setLevel(logging.NOTSET)


def test_googles_clients_log_as_the_others_even_when_they_set_up_their_own(
    stream: io.StringIO,
) -> None:
    client_logging.initialize_logging()
    logging.getLogger("google.pubsub").warning("trouble")
    assert json.loads(stream.getvalue())["message"] == "trouble"


def test_a_process_logs_its_own_doings_and_other_libraries_troubles(stream: io.StringIO) -> None:
    logging.getLogger("groundwatch.launch.watch").info("begun")
    logging.getLogger("google.auth").info("chatter")
    logging.getLogger("google.auth").warning("trouble")
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["message"] for line in lines] == ["begun", "trouble"]


def test_what_ends_a_thread_is_reported_without_its_words(stream: io.StringIO) -> None:
    thread = threading.Thread(target=_raise, args=(ValueError(SAID), 1))
    thread.start()
    thread.join()
    leaving = threading.Thread(target=sys.exit)
    leaving.start()
    leaving.join()
    (line,) = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert (line["severity"], line["message"]) == ("CRITICAL", "ended by ValueError")
    assert SAID not in stream.getvalue()


def test_what_ends_the_process_is_reported_without_its_words(stream: io.StringIO) -> None:
    sys.excepthook(*raised(KeyError(SAID)))
    (line,) = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [error["class"] for error in line["exceptions"]] == ["KeyError"]
    assert SAID not in stream.getvalue()
