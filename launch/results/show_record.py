"""Find one record of an output folder by its id."""

import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from groundwatch.launch.cli.commands.show import ShowSettings
from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.cli.terminal.print_record import print_record
from groundwatch.launch.engine.work_folders import read_waiting
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.sources.output_folder import UnreadableFile, read_answers, read_thresholds
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.schemas.quantities import indented_json
from .waiting_rows import describe_waiting, explain_no_records, find_results

_MAX_SHOWN = 5


def show(loaded: Loaded[ShowSettings]) -> int:
    """Print the record of an id, or say which records the id could mean."""
    settings = loaded.settings
    folder, wanted, others = settings.folder, settings.record, settings.work_folders
    if wanted.startswith("gs://") or (wanted and Path(wanted).is_dir()):
        loaded.problems.append(
            f"ID {wanted}: is a folder; give the id of a record before it, as the report,"
            " alerts and the summary print them"
        )
    loaded.raise_problems()
    try:
        # In this order: what is published in between is in both.
        waiting = describe_waiting(folder, others)
        unpublished = _by_id(read_waiting(folder, others), wanted)
        files = find_results(folder)
        published = _by_id(chain.from_iterable(map(read_answers, files.enriched)), wanted)
        if not files.enriched and not unpublished:
            advice = "pass an output folder after the id"
            return fail(f"{folder} {explain_no_records(folder, advice, others)}")
        meant = unpublished | published
    except (OSError, UnreadableFile) as error:
        return fail(f"the records cannot be read: {error}")
    whole = [each for each in meant.values() if wanted in {each.record_id, each.answer_name}]
    found = whole or list(meant.values())
    if not found:
        missing = f"no record of {folder} has the id or the name {wanted!r}"
        return fail("; ".join([missing, *waiting]))
    if len(found) > 1:
        ids = ", ".join(each.record_id for each in found[:_MAX_SHOWN])
        return fail(f"{wanted!r} can mean {counted(len(found), 'record')}: {ids}")
    [record] = found
    if record.record_id not in published:
        sys.stderr.writelines(f"groundwatch: {each}\n" for each in waiting)
    if settings.json:
        sys.stdout.write(indented_json(record).decode())
    else:
        print_record(record, read_thresholds(files))
    return DONE


def _by_id(records: Iterable[AnswerRow], wanted: str) -> dict[str, AnswerRow]:
    """Return the records that an id, its first characters or a name can mean, by their ids."""
    return {
        each.record_id: each
        for each in records
        if each.record_id.startswith(wanted) or each.answer_name == wanted
    }
