"""Resolve the failures of an output folder after a replay into the same folder."""

from collections import Counter
from collections.abc import Iterable
from itertools import count

import msgspec
from msgspec.structs import replace

from pipeline import storage
from pipeline.settings.config import Config
from pipeline.sinks.summary_file import read_summaries, write_summary
from schemas.summary import Replayed, ReplayedFile, Summary

_FAILURES = "failures"
_REPLAYED = "replayed"
_READING_STEPS = frozenset({"ReadMessages", "ParseAnswers"})


class _Failure(msgspec.Struct):
    """The counted fields of a failure's JSON."""

    error_class: str
    retryable: bool
    step: str


def free_run_id(root: str, base: str) -> str:
    """Choose an id for a replay that no finished replay has.

    Args:
      root: the output folder.
      base: the name of the input; a replay of this name that a limit stopped is resumed.
    """
    finished = {summary.run for summary in read_summaries(root) if not summary.deferred}
    names = (f"{base}-{number}" if number > 1 else base for number in count(1))
    return next(name for name in names if name not in finished)


def publish_summary(config: Config, summary: Summary) -> Summary:
    """Write the summary of a run; a complete replay resolves the failures that it has read."""
    if config.replays and not (summary.deferred or summary.damaged_archives):
        summary = replace(summary, replayed=_replayed_from(config.inputs, config.output))
    write_summary(config.destination, summary)
    move_replayed(config.output, [summary])
    return summary


def move_replayed(root: str, summaries: Iterable[Summary]) -> None:
    """Move files of resolved failures out of `failures/`, unless they are moved already.

    Raises:
      OSError: a file cannot be moved.
    """
    resolved = (summary.replayed.files for summary in summaries if summary.replayed)
    for file in (file for files in resolved for file in files):
        path = storage.join(root, file.path)
        if storage.exists(path):
            storage.publish(path, storage.join(root, file.moved_to))


def _replayed_from(paths: Iterable[str], root: str) -> Replayed | None:
    """Count the failures in those of the files that belong to the output folder; None if none."""
    folder = storage.join(root, _FAILURES, "")
    files: list[ReplayedFile] = []
    errors: Counter[str] = Counter()
    retryable = unreadable = 0
    for path in paths:
        name = storage.name_below(path, folder)
        if name is None:
            continue
        failures = _failures_in(path)
        errors.update(failure.error_class for failure in failures)
        retryable += sum(failure.retryable for failure in failures)
        unreadable += sum(failure.step in _READING_STEPS for failure in failures)
        own = f"{_FAILURES}/{name}"
        files.append(ReplayedFile(path=own, moved_to=f"{_REPLAYED}/{name}", rows=len(failures)))
    if not files:
        return None
    return Replayed(
        files=tuple(files),
        failures=errors.total(),
        retryable=retryable,
        unreadable=unreadable,
        failures_by_error=dict(errors),
    )


def _failures_in(path: str) -> list[_Failure]:
    decoder = msgspec.json.Decoder(_Failure)
    with storage.describing_errors(f"cannot read {path}"), storage.read(path) as stream:
        return [decoder.decode(line) for line in stream]
