"""Resolve the failures of an output folder after a replay into the same folder."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from pipeline import storage
from pipeline.sinks.summary_file import read_summaries
from schemas.summary import Replayed, ReplayedFile

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

    Raises:
      OSError: the summaries of earlier runs cannot be read.
    """
    finished = {summary.run for summary in read_summaries(root) if not summary.deferred}
    number, run = 1, base
    while run in finished:
        number += 1
        run = f"{base}-{number}"
    return run


def finish_moves(root: str) -> None:
    """Move resolved files of failures that an interrupted replay did not move.

    Args:
      root: the output folder.

    Raises:
      OSError: a file cannot be moved.
    """
    for summary in read_summaries(root):
        if summary.replayed:
            move_replayed(root, summary.replayed)


def move_replayed(root: str, replayed: Replayed) -> None:
    """Move resolved files of failures out of `failures/`; those that are moved are skipped.

    Args:
      root: the output folder.
      replayed: the files.

    Raises:
      OSError: a file cannot be moved.
    """
    for file in replayed.files:
        path = storage.join(root, file.path)
        if storage.exists(path):
            storage.publish(path, storage.join(root, file.moved_to))


def replayed_from(paths: Iterable[str], root: str) -> Replayed | None:
    """Count the failures among the input of a replay that belong to its output folder.

    Args:
      paths: the files that were replayed.
      root: the output folder.

    Returns:
      None where there are none.

    Raises:
      OSError: a file cannot be read.
    """
    folder = storage.join(root, _FAILURES, "")
    files: list[ReplayedFile] = []
    errors: Counter[str] = Counter()
    retryable = unreadable = 0
    for path in paths:
        name = storage.name_below(path, folder)
        if name is None:
            continue
        failures = list(_failures_in(path))
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


def _failures_in(path: str) -> Iterable[_Failure]:
    decoder = msgspec.json.Decoder(_Failure)
    with storage.describing_errors(f"cannot read {path}"), storage.read(path) as stream:
        for line in stream:
            yield decoder.decode(line)
