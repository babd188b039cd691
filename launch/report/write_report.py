"""Write the report of an output folder."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeVar

from launch.outputs import output_folder
from launch.outputs.output_records import AlertLine, FailureLine
from launch.report.counts.tally import Findings, Tally
from launch.report.page.page import render
from pipeline import storage
from pipeline.sinks.ranking import SHOWN_ANSWERS
from schemas.enriched_answer import AnswerRow
from transforms.rules.tagging import GivenThresholds, Thresholds

REPORT_NAME = "report.html"
_KEY_DIGITS = 16

_Line = TypeVar("_Line")


def write_report(output: str, url_template: str | None = None) -> str:
    """Write the report of an output folder into that folder; return its path.

    The template is that of the records' addresses.
    """
    path = storage.join(output, REPORT_NAME)
    findings = read_output(output_folder.find_files(output), {}, {})
    output_folder.write_file(path, render(findings, output, url_template=url_template).encode())
    return path


def read_output(
    files: output_folder.OutputFiles,
    thresholds: GivenThresholds,
    labels: Mapping[str, bool],
    *,
    shown: int = SHOWN_ANSWERS,
    also_add: Callable[[AnswerRow], None] | None = None,
) -> Findings:
    """Count the records of a folder, one at a time; thresholds replace those of the summary.

    `also_add` gets each answer, too.
    """
    unreadable: list[str] = []
    paths = [files.summary] if files.summary else []
    summary = next(_readable(map(output_folder.read_summary, paths), unreadable), None)
    base = summary and summary.thresholds
    tally = Tally((base or Thresholds()).replaced(thresholds), labels, shown)
    for path in files.alerts:
        for alert in _readable(output_folder.read_lines(path, AlertLine), unreadable):
            tally.add_alert(alert)
    # A later record of an answer resolves its failure.
    for path in files.failures:
        for failure in _readable(output_folder.read_lines(path, FailureLine), unreadable):
            tally.add_failure(failure)
    found = (_readable(output_folder.read_answers(path), unreadable) for path in files.enriched)
    answers = chain.from_iterable(found)
    writers = {path.rpartition("-")[0].rpartition("/")[2] for path in files.enriched}
    for answer in _distinct(answers) if len(writers) > 1 else answers:
        tally.add_answer(answer)
        if also_add is not None:
            also_add(answer)
    return Findings(tally=tally, summary=summary, unreadable=tuple(unreadable))


def _distinct(answers: Iterable[AnswerRow]) -> Iterator[AnswerRow]:
    """Pass each record id once: of several workers, two may have written the same answer.

    Memory grows by some 60 bytes a record.
    """
    seen: set[int] = set()
    for answer in answers:
        key = int(answer.record_id[:_KEY_DIGITS], 16) if answer.record_id else None
        if key is None or key not in seen:
            yield answer
        if key is not None:
            seen.add(key)


def _readable(records: Iterable[_Line], unreadable: list[str]) -> Iterator[_Line]:
    try:
        yield from records
    except output_folder.UnreadableFile as error:
        unreadable.append(str(error))
