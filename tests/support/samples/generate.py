"""Write the bundled sample: `python -m tests.support.samples.generate`."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.verdict import Verdict
from tests.support.samples import broken, discovery
from tests.support.samples.cases import Case, about
from tests.support.samples.edits import begun
from tests.support.samples.events import Event
from tests.support.samples.timeline import Planned, ordinary_days, oversize_answers, reserve_answers

FOLDER = Path(str(files("groundwatch.launch.cli.samples")))
OVERSIZE = "oversize.jsonl"
FAILURE = "FAILURE"
DUPLICATE = "DUPLICATE"
_REDELIVERY_AFTER = timedelta(minutes=7)
_REDELIVERED_EXACTLY = 4
_REDELIVERED_OTHERWISE = 5


class Line(Record, frozen=True):
    """One line of the sample: when it arrives, its bytes, and what should become of it.

    `outcome` is a verdict's name, FAILURE or DUPLICATE.
    """

    at: datetime
    payload: bytes
    outcome: str


class Intended(Record, frozen=True):
    """What should become of one line: `file` is a bare name, `line` counts from 1."""

    file: str
    line: int
    outcome: str


def sample_files() -> dict[str, bytes]:
    """Write every file of the sample, in memory.

    Returns:
      File name → content. The last line of the last file is empty and counts as no message.
    """
    return {
        name: b"".join(line.payload + b"\n" for line in lines) + b"\n" * (name == OVERSIZE)
        for name, lines in _lines_by_file().items()
    }


def intended() -> list[Intended]:
    """Say what should become of every line, with the embedded checker and default thresholds.

    Of two deliveries of one answer the later line is the duplicate; which of the two a
    pipeline keeps does not change the counts.
    """
    return [
        Intended(name, number, line.outcome)
        for name, lines in _lines_by_file().items()
        for number, line in enumerate(lines, start=1)
    ]


def main() -> None:
    """Rewrite the sample's files."""
    for name, content in sample_files().items():
        (FOLDER / name).write_bytes(content)


def _lines_by_file() -> dict[str, list[Line]]:
    plan = ordinary_days()
    events = list(_numbered(plan, first=1))
    lines = [
        *(_line(planned, event) for planned, event in events),
        *_redelivered(events),
        *_grown(Event(about("privacy"), 901, "help-app", 451, plan[10].asked_at)),
        *_broken(),
    ]
    days: dict[str, list[Line]] = {}
    for line in sorted(lines, key=lambda line: line.at):
        days.setdefault(f"answers-{line.at:%Y-%m-%d}.jsonl", []).append(line)
    large = [_line(*pair) for pair in _numbered(oversize_answers(), first=1001)]
    return days | {OVERSIZE: large}


def _numbered(plan: Iterable[Planned], first: int) -> Iterator[tuple[Planned, Event]]:
    for number, planned in enumerate(plan, start=first):
        yield planned, planned.event(number)


def _line(planned: Planned, event: Event) -> Line:
    return Line(event.answered_at, planned.case.write(event), planned.verdict)


def _redelivered(events: list[tuple[Planned, Event]]) -> Iterator[Line]:
    """Deliver some answers again: a few as they were, a few written by another client."""
    named = [pair for pair in events if pair[0].case.write is discovery.v1beta_to_dict]
    for planned, event in named[:_REDELIVERED_EXACTLY]:
        yield _again(planned, event)
    for planned, event in named[_REDELIVERED_EXACTLY:][:_REDELIVERED_OTHERWISE]:
        other = Case(planned.case.conversation, discovery.v1beta)
        yield _again(replace(planned, case=other), event)


def _again(planned: Planned, event: Event) -> Line:
    return Line(event.answered_at + _REDELIVERY_AFTER, planned.case.write(event), DUPLICATE)


def _grown(event: Event) -> Iterator[Line]:
    """Deliver one answer three times: twice while it is being written, then whole."""
    unfinished = discovery.v1(event, begun("IN_PROGRESS"))
    yield Line(event.asked_at, unfinished, Verdict.INCOMPLETE)
    yield Line(event.asked_at + timedelta(milliseconds=300), unfinished, DUPLICATE)
    yield Line(event.answered_at, discovery.v1(event), Verdict.GROUNDED)


def _broken() -> Iterator[Line]:
    plan = reserve_answers(len(broken.ALL))
    for spoil, (_, event) in zip(broken.ALL, _numbered(plan, first=951), strict=True):
        yield Line(event.answered_at, spoil(event), FAILURE)


if __name__ == "__main__":
    main()
