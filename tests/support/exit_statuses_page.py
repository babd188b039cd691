"""Write the list of exit statuses into docs/output.md.

python -m tests.support.exit_statuses_page
"""

import errno
import inspect
import os
import re
from collections.abc import Iterable, Iterator
from signal import SIGINT, SIGTERM, Signals
from typing import NamedTuple

from groundwatch.launch.cli.terminal import exit_status
from groundwatch.launch.cli.terminal.exit_status import DONE, FAILED, LEFT, LOW_GROUNDED, USAGE
from tests.support.repository import ROOT

PAGE = ROOT / "docs" / "output.md"
_HEADING = "## Exit statuses\n"
_MEANING = re.compile(r"^[A-Z_]+ = (\d)  # (.+)$", re.MULTILINE)

_BACKFILL = "groundwatch.launch.backfill."
_RESULTS = "groundwatch.launch.results."
_EVALUATE = "groundwatch.launch.quality.evaluate."
_PUBLISH = "groundwatch.pipeline.storage.publish_new"
_NO_BUCKET = OSError("cannot list gs://none/out/enriched: The bucket does not exist")
_FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Ending(NamedTuple):
    """A way in which a command ends, and how a test makes it end so.

    Attributes:
      command: the command line, with names of `tests/launch/cli/test_exit_statuses.py` in braces.
      failing: the function that raises `error` meanwhile.
      stop: what the process gets when the command handles signals.
      tested_by: the test that makes it end so, if none of these lines can, as ``path::function``.
    """

    status: int
    command: str
    failing: str = ""
    error: BaseException | None = None
    stop: Signals | None = None
    tested_by: str = ""


def _interrupted(command: str, function: str) -> Ending:
    return Ending(FAILED, command, function, KeyboardInterrupt())


def _disk_full(command: str, function: str) -> Ending:
    return Ending(FAILED, command, function, _FULL)


_BACKFILL_NEW = "backfill --input {answers} --output {new}"
_REPLAY = "replay --failures {failed}/failures/*.jsonl --output {failed}"
_CALIBRATE = "calibrate --answers {done} --gold {gold} --recall 0.5"
_EVALUATE_DONE = "evaluate --answers {done} --gold {gold}"
_EXPORT = "export {done} --to csv --output {new}"
_WATCH = "watch --subscription {subscription} --pubsub_address {pubsub} --output {new}"
_AWAY = "--checker http://127.0.0.1:9"
_REFUSING = "--checker {refusing}"
_REVIEW = "review {done} --labels {new} --port 0"
_ROWS_WAIT = (
    "tests/launch/watch/test_undelivered_rows.py::"
    "test_the_last_line_and_verify_name_what_is_left_and_a_later_start_delivers_it"
)


def _checked_by(checker: str) -> list[Ending]:
    """List the commands that a checker which cannot be used ends."""
    return [
        Ending(FAILED, f"{command} {checker}")
        for command in (
            _BACKFILL_NEW,
            _REPLAY,
            "demo --output {new}",
            "check --answer A. --fact A.",
            "evaluate --answers {answers} --gold {gold}",
            "calibrate --answers {answers} --gold {gold} --recall 0.5",
        )
    ]


ENDINGS: dict[str, list[Ending]] = {
    "everything is done": [
        Ending(DONE, _BACKFILL_NEW),
        Ending(DONE, f"{_REPLAY} --checker local"),
        Ending(DONE, "demo --output {new}"),
        Ending(DONE, "estimate --input {answers}"),
        Ending(DONE, "inspect {answers}"),
        Ending(DONE, "check --answer {grounded} --fact {grounded}"),
        Ending(DONE, _EVALUATE_DONE),
        Ending(DONE, _CALIBRATE),
        Ending(DONE, "report {done}"),
        Ending(DONE, "show {id} {done}"),
        Ending(DONE, "verify {done}"),
        Ending(DONE, _EXPORT),
    ],
    "it runs until SIGINT or SIGTERM, and drains": [
        *(Ending(DONE, _WATCH, stop=each) for each in (SIGINT, SIGTERM)),
        *(
            Ending(DONE, "serve-checker --port {port} --scorer none", stop=each)
            for each in (SIGINT, SIGTERM)
        ),
        *(Ending(DONE, _REVIEW, stop=each) for each in (SIGINT, SIGTERM)),
    ],
    "the command line has a mistake": [
        Ending(USAGE, f"{name} --nope")
        for name in (
            *("backfill", "replay", "demo", "estimate", "inspect", "check", "evaluate"),
            *("calibrate", "report", "show", "verify", "export"),
            *("watch", "serve-checker", "review"),
        )
    ],
    "a file or folder is not there, or holds no output": [
        Ending(USAGE, "backfill --input {missing} --output {new}"),
        Ending(USAGE, "replay --failures {missing} --output {new}"),
        Ending(USAGE, "estimate --input {missing}"),
        Ending(USAGE, "inspect {missing}"),
        Ending(USAGE, "check --answer A. --fact_file {missing}"),
        Ending(USAGE, "evaluate --answers {missing} --gold {gold}"),
        Ending(USAGE, "calibrate --answers {missing} --gold {gold} --recall 0.5"),
        Ending(USAGE, "report {missing}"),
        Ending(USAGE, "show {id} {missing}"),
        Ending(USAGE, "verify {missing}"),
        Ending(USAGE, "export {missing} --to csv --output {new}"),
        Ending(USAGE, "review {missing}"),
    ],
    "a subscription or topic does not exist": [
        Ending(USAGE, _WATCH.replace("{subscription}", "projects/lamps/subscriptions/none")),
        Ending(USAGE, f"{_WATCH} --alert_topic projects/lamps/topics/none"),
    ],
    "the output folder cannot be listed, as in a bucket that is not there": [
        Ending(USAGE, command, "groundwatch.pipeline.storage.find_visible", _NO_BUCKET)
        for command in ("report {done}", "show {id} {done}", "verify {done}", _EXPORT, _REVIEW)
    ],
    "it would replace the results of a finished run": [
        Ending(USAGE, "backfill --input {answers} --output {done} --claim_threshold 0.9")
    ],
    "no message of the input can be read": [
        Ending(FAILED, "backfill --input {unreadable} --output {new}"),
        Ending(FAILED, "estimate --input {unreadable}"),
        Ending(FAILED, "inspect {unreadable}"),
        Ending(FAILED, "evaluate --answers {unreadable} --gold {gold}"),
        Ending(FAILED, "calibrate --answers {unreadable} --gold {gold} --recall 0.5"),
    ],
    "a file of the input or of the output is damaged": [
        Ending(FAILED, "backfill --input {damaged} --output {new}"),
        Ending(FAILED, "estimate --input {damaged}"),
        Ending(FAILED, "inspect {damaged} --messages 9"),
        Ending(FAILED, "report {broken}"),
        Ending(FAILED, "show {id} {broken}"),
        Ending(FAILED, "verify {broken}"),
        Ending(FAILED, "export {broken} --to csv --output {new}"),
    ],
    "no answer of the engine has a label": [Ending(FAILED, f"{_CALIBRATE} --engine none")],
    "the id is not there": [Ending(FAILED, "show ffff {done}")],
    "the checker cannot be reached at the start, or refuses each call": [
        *_checked_by(_AWAY),
        *_checked_by(_REFUSING),
    ],
    "the checker has refused all calls for up to a minute; what was accepted is kept": [
        Ending(
            FAILED,
            f"{_WATCH} {_REFUSING}",
            tested_by="tests/launch/cli/commands/test_watch_refusals.py::"
            "test_a_refusal_of_the_checker_ends_the_watch_with_a_sentence",
        )
    ],
    "the disk is full": [
        _disk_full(_BACKFILL_NEW, _PUBLISH),
        _disk_full(f"{_REPLAY} --checker local", _PUBLISH),
        _disk_full("demo --output {new}", _PUBLISH),
        _disk_full(
            "estimate --input {answers} --output {new}", "groundwatch.pipeline.storage.write_whole"
        ),
        _disk_full(f"{_EVALUATE_DONE} --output {{new}}", f"{_EVALUATE}evaluate_answers.writing"),
        _disk_full(f"{_CALIBRATE} --output {{new}}", f"{_EVALUATE}calibrate_thresholds.writing"),
        _disk_full("report {done}", f"{_RESULTS}report.make_report.writing"),
        _disk_full(_EXPORT, f"{_RESULTS}export.run_export.writing"),
    ],
    "it is interrupted (SIGINT); the same command continues or begins again": [
        _interrupted(_BACKFILL_NEW, f"{_BACKFILL}run_job.local_run"),
        _interrupted(f"{_REPLAY} --checker local", f"{_BACKFILL}run_job.local_run"),
        _interrupted("demo --output {new}", f"{_BACKFILL}run_job.local_run"),
        _interrupted(
            "estimate --input {answers}", f"{_BACKFILL}estimate.estimate_backfill.show_estimate"
        ),
        _interrupted("inspect {answers}", f"{_BACKFILL}inspect_file.read_file"),
        _interrupted(
            "check --answer A. --fact A.", "groundwatch.launch.checker.check_answer.enrich_one"
        ),
        _interrupted(_EVALUATE_DONE, f"{_EVALUATE}evaluate_answers.measure"),
        _interrupted(_CALIBRATE, f"{_EVALUATE}calibrate_thresholds.calibrate"),
        _interrupted("report {done}", f"{_RESULTS}report.make_report.read_output"),
        _interrupted("show {id} {done}", f"{_RESULTS}show_record.find_results"),
        _interrupted("verify {done}", f"{_RESULTS}verify.verify_folder.read_folder"),
        _interrupted(_EXPORT, f"{_RESULTS}export.run_export.find_results"),
    ],
    "the files differ from the counts": [Ending(FAILED, "verify {differing}")],
    "failures can be retried": [
        Ending(LEFT, f"{_BACKFILL_NEW} --checker {{failing}} --max_attempts 1"),
        Ending(LEFT, f"{_REPLAY} --checker {{failing}} --max_attempts 1"),
        Ending(LEFT, "report {partly} --fail_above 1"),
    ],
    "the budget left answers": [
        Ending(LEFT, f"{_BACKFILL_NEW} --checker {{server}} --max_calls 1"),
        Ending(LEFT, f"{_REPLAY} --checker {{server}} --max_calls 1"),
    ],
    "rows wait in the work folder for a topic, a bucket or a tool": [
        Ending(LEFT, _WATCH, tested_by=_ROWS_WAIT)
    ],
    "alerts or failures wait for their topic, or may": [
        Ending(LEFT, "verify {done}", tested_by=_ROWS_WAIT)
    ],
    "no record has a trace, which the tool needs": [
        Ending(LEFT, "export {done} --to phoenix --endpoint http://127.0.0.1:9")
    ],
    "a gate is red: an answer of `check`, or more than `--fail_above` allows": [
        Ending(LOW_GROUNDED, "check --answer {low} --fact {grounded}"),
        Ending(LOW_GROUNDED, f"{_BACKFILL_NEW} --fail_above 0"),
        Ending(LOW_GROUNDED, f"{_REPLAY} --checker local --fail_above 0"),
        Ending(LOW_GROUNDED, "report {done} --fail_above 0"),
    ],
}
"""Each way in which commands end, and each command that ends so."""


def page_with_list(page: str) -> str:
    """Replace the list of exit statuses by the current one."""
    before, heading, rest = page.partition(_HEADING)
    _, next_heading, after = rest.partition("\n## ")
    statuses = "".join(
        f"- {status}: {meaning}\n{''.join(_lines(int(status)))}" for status, meaning in _meanings()
    )
    return f"{before}{heading}\n{statuses}{next_heading}{after}"


def _meanings() -> list[tuple[str, str]]:
    return _MEANING.findall(inspect.getsource(exit_status))


def _lines(status: int) -> Iterator[str]:
    """Write how commands end with a status."""
    for end, endings in ENDINGS.items():
        if ending := [each for each in endings if each.status == status]:
            yield f"  - {end}: {_written(ending)}\n"


def _written(endings: Iterable[Ending]) -> str:
    """Name the commands of endings, or those that are left out where they are fewer."""
    all_names = _names(ending for each in ENDINGS.values() for ending in each)
    names = _names(endings)
    others = [each for each in all_names if each not in names]
    if not others:
        return "all"
    return f"all but {', '.join(others)}" if len(others) < len(names) else ", ".join(names)


def _names(endings: Iterable[Ending]) -> list[str]:
    return list(dict.fromkeys(f"`{each.command.partition(' ')[0]}`" for each in endings))


if __name__ == "__main__":
    PAGE.write_text(page_with_list(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
