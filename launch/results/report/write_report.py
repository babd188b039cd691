"""Write the report of an output folder."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from groundwatch.pipeline import storage
from groundwatch.pipeline.sinks.summary_file import SUMMARY_NAME
from groundwatch.pipeline.sources import output_folder
from groundwatch.pipeline.sources.output_folder import until_damage
from groundwatch.pipeline.sources.output_records import AlertLine
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.schemas.summary import replayed_files
from groundwatch.transforms.rules.thresholds import GivenThresholds, Thresholds
from .counts.tally import Findings, Tally
from .counts.worst_answers import SHOWN_ANSWERS
from .page.report_page import render

REPORT_NAME = "report.html"
_NAMED_BY_DATABASE = re.compile(r"([^/]+)-([0-9a-f]{8})-\d{6}\.avro$")


def write_report(output: str, url_template: str | None = None) -> tuple[str, Tally]:
    """Write the report of an output folder into that folder; return its path, and what it counts.

    The template is that of the records' addresses.
    """
    path = storage.join(output, REPORT_NAME)
    findings = read_output(output_folder.find_files(output), {})
    storage.write_whole(path, render(findings, output, url_template=url_template).encode())
    return path, findings.tally


def is_outdated(output: str) -> bool:
    """Return whether the report of an output folder is absent, or older than its summary."""
    report, summary = storage.join(output, REPORT_NAME), storage.join(output, SUMMARY_NAME)
    if not storage.exists(report):
        return True
    return storage.exists(summary) and storage.version(report)[1] < storage.version(summary)[1]


def read_output(
    files: output_folder.OutputFiles,
    thresholds: GivenThresholds,
    *,
    shown: int = SHOWN_ANSWERS,
    also_add: Callable[[AnswerRow], None] = lambda _: None,
) -> Findings:
    """Count the records of a folder, one at a time; thresholds replace those of the summary.

    `also_add` gets each answer, too.
    """
    unreadable: list[str] = []
    paths = [files.summary] if files.summary else []
    summary = next(until_damage(map(output_folder.read_summary, paths), unreadable), None)
    base = summary and summary.thresholds
    tally = Tally((base or Thresholds()).replaced(thresholds), shown)
    for path in files.alerts:
        for alert in until_damage(output_folder.read_lines(path, AlertLine), unreadable):
            tally.add_alert(alert)
    replayed = list(replayed_files(run.replayed for run in summary.runs)) if summary else []
    for path in files.failures:
        for failure in until_damage(output_folder.read_failures(path, replayed), unreadable):
            if failure:
                tally.add_failure(failure)
    for answer in _answers(files.enriched, unreadable):
        tally.add_answer(answer)
        also_add(answer)
    return Findings(tally=tally, summary=summary, unreadable=tuple(unreadable))


def _answers(paths: Iterable[str], unreadable: list[str]) -> Iterator[AnswerRow]:
    """Read enriched files, and pass each answer of the workers of one run once.

    Of several workers, two may have written the same answer. Memory grows by some 60 bytes a record
    where there are several.
    """
    writers: defaultdict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        writer = _NAMED_BY_DATABASE.search(path)
        run, identity = (writer[1], writer[2]) if writer else (path, "")
        writers[run][identity].append(path)
    for by_identity in writers.values():
        seen: set[str] | None = set() if len(by_identity) > 1 else None
        for path in chain.from_iterable(by_identity.values()):
            for answer in until_damage(output_folder.read_answers(path), unreadable):
                if seen is None or answer.record_id not in seen:
                    yield answer
                if seen is not None:
                    seen.add(answer.record_id)
