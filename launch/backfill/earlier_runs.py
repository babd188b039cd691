"""Replace earlier runs of the same id."""

import sys
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

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
from groundwatch.schemas.quantities import to_rfc3339
from groundwatch.schemas.summary import Summary, replayed_files
from .replayed_failures import FAILURES, is_try_of, move_replayed
from .same_run import finished_run, runs_like, what_it_holds


def _remove_earlier_runs(config: Config, summary: Summary, overwritten: Iterable[str]) -> None:
    """Remove the files of earlier runs of the same id, which this one replaces, and their replays.

    A run that a limit has stopped replaces only runs that have not ended either, and so does a
    replay: what an earlier one has resolved is not its input. Each is found by its summary, which
    goes last, so that an interrupted removal is repeated.
    """
    destination = config.destination
    for earlier in runs_like(summary, config.output):
        if earlier.is_complete and (config.replays or not summary.is_complete):
            continue
        if config.replays and not is_try_of(earlier, config):
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
        if is_try_of(earlier, config)
        for path in _failure_files(config.destination, earlier)
    }


def _failure_files(destination: Destination, run: Summary) -> set[str]:
    """Return the files of a run's failures, relative to the output folder."""
    listed = {entry.path for entry in publication.read_manifest(destination, run.name, FAILURES)}
    return listed | set(_unlisted_files(destination, run, FAILURES))


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
