"""Say which rows of an output folder are in no file yet, and when they will be."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath

from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.engine.journal import FILE_AGE, Journal, WaitingRows
from groundwatch.launch.engine.work_folders import find_journals, journal_read
from groundwatch.pipeline.settings.load import UsageError
from groundwatch.pipeline.sources.output_folder import OutputFiles, find_files
from groundwatch.schemas.quantities import SECOND_US, to_datetime
from groundwatch.transforms.runtime import clock

_NAMES = {"enriched": "record", "failures": "failure", "alerts": "alert"}


def describe_waiting(root: str, work_folders: Iterable[str] = ()) -> list[str]:
    """Say what waits in the work folders of an output folder and others, a sentence for each.

    Call it before the files are listed: what is published in between is in both, never in neither.
    """
    return [sentence for sentence, _ in _describe(root, work_folders) if sentence]


def describe_empty(root: str, work_folders: Iterable[str] = ()) -> str | None:
    """Say why an output folder has no files yet; None if no worker or run has begun there."""
    found = list(_describe(root, work_folders))
    sentences = [sentence or f"{place} has no rows yet" for sentence, place in found]
    return "; ".join(sentences) or None


def explain_no_records(
    root: str, advice: str = "pass an output folder", work_folders: Iterable[str] = ()
) -> str:
    """Say why an output folder has no enriched records; raise UsageError if it is none."""
    if waiting := describe_empty(root, work_folders):
        return f"holds no enriched records: {waiting}"
    raise UsageError([f"{root}: holds no enriched records: {advice}"])


def find_results(root: str) -> OutputFiles:
    """List the files of an output folder; raise UsageError if it is in no bucket, or forbidden."""
    try:
        return find_files(root)
    except OSError as error:
        raise UsageError([f"{root}: {error}"]) from None


def _describe(root: str, work_folders: Iterable[str]) -> Iterator[tuple[str | None, str]]:
    """Yield what waits in each work folder, None for nothing, and its path."""
    for path in find_journals(root, work_folders):
        place, sentence = str(PurePath(path).parent), None
        try:
            with journal_read(path) as journal:
                if waiting := journal.waiting():
                    sentence = f"{_listed(waiting, place)}: {_when(journal, waiting)}"
        except OSError as error:
            sentence = f"what waits in {place} cannot be read: {error}"
        yield sentence, place


def _listed(waiting: Mapping[str, WaitingRows], place: str) -> str:
    counts = (counted(each.rows, _NAMES.get(kind, kind)) for kind, each in sorted(waiting.items()))
    is_one = sum(each.rows for each in waiting.values()) == 1
    listed = ", ".join(counts)
    return f"{listed} {'waits' if is_one else 'wait'} in {place}, in no file yet"


def _when(journal: Journal, waiting: Mapping[str, WaitingRows]) -> str:
    """Say when the rows are published, or what publishes them."""
    age_s = journal.database.note(FILE_AGE, float)
    if age_s is None:
        from groundwatch.launch.engine.plan import Plan  # noqa: PLC0415 - it imports Beam

        if Plan(journal.database).planned():
            run = journal.database.run or ""
            return f"the run {run} has not ended; give its command again to finish it"
        return "the worker publishes them within its --file_age_s"
    oldest_us = min((each.oldest_committed_at_us for each in waiting.values()), default=0)
    due_us = oldest_us + round(age_s * SECOND_US)
    due = f"by {to_datetime(due_us):%Y-%m-%d %H:%M:%S} UTC"
    if due_us >= clock.now_us():
        return f"the worker publishes them {due} (--file_age_s {age_s:g})"
    return f"the worker was to publish them {due}; if it does not run, start it again"
