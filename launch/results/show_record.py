"""Find one record of an output folder by its id."""

import sys
from collections.abc import Iterator

from groundwatch.launch.cli.commands.show import ShowSettings
from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.cli.terminal.print_record import print_record
from groundwatch.launch.results.waiting_rows import describe_no_records, describe_waiting
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.sources.output_folder import (
    OutputFiles,
    UnreadableFile,
    find_files,
    read_answers,
    read_thresholds,
)
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.schemas.quantities import indented_json

_MAX_SHOWN = 5


def show(loaded: Loaded[ShowSettings]) -> int:
    """Print the record of an id, or say which records the id could mean."""
    loaded.raise_problems()
    folder, wanted = loaded.settings.folder, loaded.settings.record
    try:
        waiting = describe_waiting(folder)
        files = find_files(folder)
        if not files.enriched:
            advice = "pass an output folder after the id"
            return fail(f"{folder} {describe_no_records(folder, advice)}")
        found = {each.record_id: each for each in _matches(files, wanted)}
    except (OSError, UnreadableFile) as error:
        return fail(f"the records cannot be read: {error}")
    record = found.get(wanted) or (next(iter(found.values())) if len(found) == 1 else None)
    if record is None and found:
        ids = ", ".join(list(found)[:_MAX_SHOWN])
        return fail(f"{wanted!r} can mean {counted(len(found), 'record')}: {ids}")
    if record is None:
        missing = f"no record of {folder} has the id or the name {wanted!r}"
        return fail("; ".join([missing, *waiting]))
    if loaded.settings.json:
        sys.stdout.write(indented_json(record).decode())
    else:
        print_record(record, read_thresholds(files))
    return DONE


def _matches(files: OutputFiles, wanted: str) -> Iterator[AnswerRow]:
    for path in files.enriched:
        for record in read_answers(path):
            if record.record_id.startswith(wanted) or record.answer_name == wanted:
                yield record
