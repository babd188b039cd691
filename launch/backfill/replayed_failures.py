"""Resolve the failures that replays have processed again."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import chain, count, islice
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks import publication, summary_file
from groundwatch.pipeline.sources import output_folder
from groundwatch.schemas.summary import Replayed, ReplayedFile, Summary, replayed_files
from groundwatch.transforms.persistence.seen_ids import BEFORE_THE_RUN, SeenIds

if TYPE_CHECKING:  # it imports Beam
    from groundwatch.pipeline.sources.splits import RecordRange

FAILURES = "failures"
_REPLAYED = "replayed"
_READING_STEPS = frozenset({"ReadMessages", "ParseAnswers"})
_IDS_A_CLAIM = 500


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
    folder = storage.join(config.output, FAILURES, "")
    runs = summary_file.read_summaries(config.output)
    others = list(replayed_files(run.replayed for run in runs if not is_try_of(run, config)))
    tries = replayed_files(run.replayed for run in runs if is_try_of(run, config))
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
            path=f"{FAILURES}/{name}",
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


def is_try_of(run: Summary, config: Config) -> bool:
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
    folder = storage.join(config.output, FAILURES, "")
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
        if (run.replayed or (run.planned and run.planned.replays)) and not is_try_of(run, config)
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
