"""Replace earlier runs of the same id, and resolve the failures that a run has replayed."""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from itertools import chain, count, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.engine.engine_database import (
    EngineDatabase,
    folder_held,
    holds_run,
    may_hold,
)
from groundwatch.pipeline import storage
from groundwatch.pipeline.errors import LockFailed, RunFailed
from groundwatch.pipeline.settings.checker import DATABASE
from groundwatch.pipeline.settings.config import Config, Destination
from groundwatch.pipeline.sinks import publication, summary_file
from groundwatch.pipeline.sinks.row_formats import RowFormats
from groundwatch.pipeline.sources import output_folder
from groundwatch.schemas.quantities import to_rfc3339
from groundwatch.schemas.summary import Replayed, ReplayedFile, Summary, replayed_files
from groundwatch.transforms.persistence.seen_ids import BEFORE_THE_RUN, SeenIds
from .same_run import finished_run, runs_like, what_it_holds

if TYPE_CHECKING:  # it imports Beam
    from groundwatch.pipeline.sources.splits import RecordRange

_FAILURES = "failures"
_REPLAYED = "replayed"
_READING_STEPS = frozenset({"ReadMessages", "ParseAnswers"})
_IDS_A_CLAIM = 500


def _remove_earlier_runs(config: Config, summary: Summary, overwritten: Iterable[str]) -> None:
    """Remove the files of earlier runs of the same id, which this one replaces, and their replays.

    A run that a limit has stopped replaces only runs that have not ended either, and so does a
    replay: what an earlier one has resolved is no input of it. Each is found by its summary, which
    goes last, so that an interrupted removal is repeated.
    """
    destination = config.destination
    for earlier in runs_like(summary, config.output):
        if earlier.is_complete and (config.replays or not summary.is_complete):
            continue
        if config.replays and not _is_try_of(earlier, config):
            continue
        if not config.replays:
            _remove_replays_of(destination, {*overwritten, *_failure_files(destination, earlier)})
        if earlier.name != summary.name:
            _remove_run(destination, earlier)


def announce_replacement(config: Config) -> set[str]:
    """Say which finished run a new one will replace; return the files of its failures."""
    finished = None if config.replays else finished_run(config)
    if finished is None:
        return set()
    replaced = _failure_files(config.destination, finished)
    sentence = f"{what_it_holds(finished)} of the run that finished at"
    sentence += f" {to_rfc3339(finished.finished_at_us)}"
    if replays := _replays_of(config.destination, replaced):
        records = counted(sum(replay.enriched for replay in replays), "record")
        sentence += f", and {records} of {counted(len(replays), 'replay')} of its failures"
    sys.stderr.write(f"groundwatch: when this run has ended, it replaces {sentence}\n")
    return replaced


def failures_begun(config: Config) -> set[str]:
    """Return the files of failures of interrupted runs that a run replaces when it has ended."""
    return {
        path
        for earlier in summary_file.read_summaries(config.output)
        if _is_try_of(earlier, config)
        for path in _failure_files(config.destination, earlier)
    }


def _failure_files(destination: Destination, run: Summary) -> set[str]:
    """Return the files of a run's failures, relative to the output folder."""
    listed = {entry.path for entry in publication.read_manifest(destination, run.name, _FAILURES)}
    return listed | set(_unlisted_files(destination, run, _FAILURES))


def _unlisted_files(destination: Destination, run: Summary, kind: str) -> Iterable[str]:
    """Find what an interrupted run published last; its manifest never came if it is replaced."""
    return () if run.is_complete else publication.files_named_by(destination, run.name, kind)


def _remove_run(destination: Destination, earlier: Summary) -> None:
    manifests = list(publication.manifests_of(destination, earlier.name))
    files = [each.path for path in manifests for each in publication.read_manifest_file(path)]
    for kind in RowFormats._fields:
        files += _unlisted_files(destination, earlier, kind)
    storage.remove([*map(destination.path, files), *manifests])
    summary_file.remove_summary(destination, earlier)


def _remove_replays_of(destination: Destination, failures: set[str]) -> None:
    """Remove the replays of files of failures, of which a run has made all answers again.

    What they have resolved of other runs is put back among the failures.
    """
    for replay in _replays_of(destination, failures):
        _remove_replays_of(destination, _failure_files(destination, replay))
        for file in replayed_files([replay.replayed]):
            if file.moved_to is None:
                continue
            moved = destination.path(file.moved_to)
            if file.path in failures:
                storage.remove([moved])
            elif storage.exists(moved):
                storage.publish(moved, destination.path(file.path))
        _remove_run(destination, replay)
        _drop_results(replace(destination, run=replay.run).temporary_folder, replay)


def _drop_results(folder: str, removed: Summary) -> None:
    """Keep only the paid replies of a run that was stopped, if its state is here."""
    if removed.is_complete or not storage.is_local(folder) or not may_hold(folder, removed.run):
        return
    # A process that has the folder ends by itself: its output is not its own any more.
    with (
        suppress(OSError, RunFailed),
        folder_held(folder),
        closing(EngineDatabase.owned(folder)) as database,
    ):
        if database.identity == removed.journal:
            database.reset()


def _replays_of(destination: Destination, failures: set[str]) -> list[Summary]:
    return [
        summary
        for summary in summary_file.read_summaries(destination.root)
        if summary.replayed
        and not failures.isdisjoint(file.path for file in summary.replayed.files)
    ]


def remove_left_behind(config: Config) -> None:
    """Remove what finished replays of the same failures have left, killed as they removed it.

    No command finds it by their ids: each further replay has another one.
    """
    if not config.replays or not storage.is_local(config.output):
        return
    for earlier in summary_file.read_summaries(config.output):
        ended = replace(config, run=earlier.run)
        folder = ended.destination.temporary_folder
        is_same_source = earlier.source == config.source and earlier.is_complete
        if is_same_source and any(map(storage.exists, (ended.lock, folder))):
            with suppress(LockFailed), folder_held(folder):
                if remove_unused_folder(folder):
                    storage.remove([ended.lock])


def remove_unused_folder(folder: str) -> bool:
    """Remove a temporary folder, unless it has the state of a run here; return whether it went."""
    if storage.is_local(folder) and holds_run(Path(folder, DATABASE)):
        return False
    storage.remove_folder(folder)
    return True


def free_run_id(root: str, base: str, is_active: Callable[[str], bool]) -> str:
    """Choose an id that no finished replay has; a replay that was interrupted is resumed."""
    finished = {summary.run for summary in summary_file.read_summaries(root) if summary.is_complete}
    names = (f"{base}-{number}" if number > 1 else base for number in count(1))
    return next(name for name in names if name not in finished or is_active(name))


def resolve_replayed(
    config: Config, summary: Summary, waiting: Iterable["RecordRange"] = ()
) -> Summary:
    """Note in the summary of a replay which failures it has resolved: all that do not wait."""
    has_begun = summary.is_complete or summary.read
    if config.replays and has_begun and not summary.damaged_archives:
        return replace(summary, replayed=_replayed_from(config, summary, waiting))
    return summary


def publish_summary(
    config: Config, summary: Summary, overwritten: Iterable[str] = frozenset()
) -> Summary:
    """Replace earlier runs, write the summary, and move failures away that the run has resolved.

    `overwritten` are files of failures of the earlier run whose manifest this run has overwritten.
    """
    _remove_earlier_runs(config, summary, overwritten)
    summary_file.write_summary(config.destination, summary)
    move_replayed(config.output, [summary])
    return summary


def end_publication(config: Config, finished: Summary) -> None:
    """Publish what a finished run was killed before; change nothing if that is nothing."""
    summary_file.update_folder_summary(config.destination, finished.name)
    move_replayed(config.output, [finished])


def move_replayed(root: str, summaries: Iterable[Summary]) -> None:
    """Move files of resolved failures out of `failures/`, unless they are moved already."""
    for file in replayed_files(summary.replayed for summary in summaries):
        path = storage.join(root, file.path)
        if file.moved_to and storage.exists(path):
            storage.publish(path, storage.join(root, file.moved_to))


def taken_over(config: Config, runs: Iterable[Summary] | None = None) -> dict[str, str]:
    """Map inputs of a replay that another one has moved, as it had resolved what waits in them.

    It is named by its run's id.
    """
    if not config.replays:
        return {}
    moved = {
        file.path: run.run
        for run in (summary_file.read_summaries(config.output) if runs is None else runs)
        for file in replayed_files([run.replayed])
        if file.moved_to
    }
    found = {
        path: moved.get(storage.name_below(path, config.output) or "") for path in config.inputs
    }
    return {path: run for path, run in found.items() if run and not storage.exists(path)}


def _replayed_from(
    config: Config, summary: Summary, waiting: Iterable["RecordRange"]
) -> Replayed | None:
    """Count the failures in those of the files that belong to the output folder; None if none.

    What another replay has resolved, which a budget has stopped, is counted by that one. A file
    that another one has moved is counted as this one has left it.
    """
    folder = storage.join(config.output, _FAILURES, "")
    runs = summary_file.read_summaries(config.output)
    others = list(replayed_files(run.replayed for run in runs if not _is_try_of(run, config)))
    tries = replayed_files(run.replayed for run in runs if _is_try_of(run, config))
    left = {file.path: file.waiting for file in tries}
    moved = taken_over(config, runs)
    ranges: defaultdict[str, list[RecordRange]] = defaultdict(list)
    for each in waiting:
        ranges[each.path].append(each)
    files: list[ReplayedFile] = []
    errors: Counter[str] = Counter()
    retryable = unreadable = 0
    for path in config.inputs:
        name = storage.name_below(path, folder)
        if name is None:
            continue
        file = ReplayedFile(
            path=f"{_FAILURES}/{name}",
            moved_to=f"{_REPLAYED}/{name}" if summary.is_complete else None,
            rows=0,
            waiting=_rows_of(ranges[path]),
        )
        is_at, resolved = path, others
        if path in moved and file.path not in left:
            continue
        if path in moved:
            file = replace(file, moved_to=None, waiting=left[file.path])
            is_at = storage.join(config.output, _REPLAYED, name)
            resolved = [
                replace(each, path=f"{_REPLAYED}/{name}")
                for each in others
                if each.path == file.path
            ]
        try:
            found = enumerate(output_folder.read_failures(is_at, resolved))
            failures = [failure for row, failure in found if failure and file.has_resolved(row)]
        except output_folder.UnreadableFile as error:
            raise OSError(str(error)) from None
        errors.update(failure.error_class for failure in failures)
        retryable += sum(failure.retryable for failure in failures)
        unreadable += sum(failure.step in _READING_STEPS for failure in failures)
        files.append(replace(file, rows=len(failures)))
    if not files:
        return None
    return Replayed(
        files=tuple(files),
        failures=errors.total(),
        retryable=retryable,
        unreadable=unreadable,
        failures_by_error=dict(errors),
    )


def _rows_of(ranges: Iterable["RecordRange"]) -> tuple[tuple[int, int], ...]:
    """Return which rows of a file are in its record ranges, joined where one follows another."""
    joined: list[tuple[int, int]] = []
    for each in sorted(ranges, key=attrgetter("first")):
        if joined and sum(joined[-1]) == each.first:
            joined[-1] = joined[-1][0], joined[-1][1] + each.messages
        else:
            joined.append((each.first, each.messages))
    return tuple(joined)


def _is_try_of(run: Summary, config: Config) -> bool:
    """Return whether a run is this one, or is replaced by it.

    A replay does not replace what was made of files that it does not read.
    """
    if run.is_complete or (run.run, run.source) != (config.run, config.source):
        return False
    read = storage.identify(run.planned.inputs if config.replays and run.planned else ())
    return read.keys() <= storage.identify(config.inputs).keys()


def unfinished_replay(config: Config) -> Summary | None:
    """Find another replay that may have answers of the same failures in no file yet; None if none.

    Both would write them. Only different files of failures of the output folder are surely others.
    """
    folder = storage.join(config.output, _FAILURES, "")
    files = storage.identify(config.inputs)
    for other in summary_file.read_summaries(config.output):
        if not (other.unfinished and other.planned and other.planned.replays):
            continue
        read = storage.identify(other.planned.inputs)
        are_failures = all(storage.name_below(path, folder) for path in (files | read).values())
        are_others = are_failures and files.keys().isdisjoint(read)
        if other.run != config.run and not are_others:
            return other
    return None


def resolving_files(config: Config) -> list[str]:
    """List the files of records that all other replays into the output folder have written.

    Deleted files are left out: who deletes results wants them again.
    """
    paths = (
        config.destination.path(entry.path)
        for run in summary_file.read_summaries(config.output)
        # Earlier releases noted it only where failures of the folder itself were resolved.
        if (run.replayed or (run.planned and run.planned.replays)) and not _is_try_of(run, config)
        for entry in publication.read_manifest(config.destination, run.name, "enriched")
    )
    return [path for path in paths if storage.exists(path)]


def claim_resolved(config: Config, path: str) -> None:
    """Claim the resolved record ids in the database of a replay, which then drops them.

    Raises:
      OSError: a file of an earlier replay is damaged: what it has resolved is unknown.
    """
    with closing(SeenIds(path)) as seen:
        # What an earlier attempt found may be gone.
        seen.start_batch(BEFORE_THE_RUN, is_retry=True)
        ids = chain.from_iterable(map(output_folder.read_record_ids, resolving_files(config)))
        while claimed := list(islice(ids, _IDS_A_CLAIM)):
            seen.claim(claimed)
