"""Write `summary.json`: the totals of an output folder, and the summary of each of its runs.

Each run writes its own file below `runs/`, and then `summary.json` from all files there. So runs
that end at the same time need no lock: the last writer reads every file after it has written.
"""

import logging
from contextlib import suppress

from groundwatch.pipeline import storage
from groundwatch.pipeline.errors import RunFailed
from groundwatch.pipeline.settings.config import Destination
from groundwatch.schemas.summary import (
    FolderSummary,
    Summary,
    folder_summary_from_json,
    folder_summary_to_json,
    summary_from_json,
    summary_to_json,
)

SUMMARY_NAME = "summary.json"
_FOLDER = "runs"
_MOST_ATTEMPTS = 10
_log = logging.getLogger(__name__)


def write_summary(destination: Destination, summary: Summary) -> None:
    """Write the summary of a run, replace its earlier one, and update the folder's."""
    name = f"{_FOLDER}/{summary.name}.json"
    path, temporary_path = destination.path(name), destination.temporary_path(name)
    storage.write_whole(path, summary_to_json(summary), temporary_path)
    update_folder_summary(destination, summary.name)


def remove_summary(destination: Destination, earlier: Summary) -> None:
    """Remove the summary of an earlier run, and update the folder's."""
    own = destination.path(f"{_FOLDER}/{earlier.name}.json")
    if storage.exists(own):
        storage.remove([own])
        update_folder_summary(destination, earlier.name)


def refuse_other_source(destination: Destination, source: str | None) -> None:
    """Raise RunFailed if a run of the same id over other input has written to the folder."""
    for earlier in read_summaries(destination.root):
        if earlier.run == destination.run and earlier.source not in {None, source}:
            raise RunFailed(
                f"a run {destination.run!r} over other input has written to {destination.root};"
                " choose another --run_id or --output"
            )


def read_summaries(root: str) -> list[Summary]:
    """Read the summary of each run that wrote to an output folder; log and skip other files."""
    return _decoded(_contents(root))


def read_folder_summary(root: str) -> FolderSummary | None:
    """Read the summary of an output folder, None if it has no `summary.json`."""
    path = storage.join(root, SUMMARY_NAME)
    if not storage.exists(path):
        return None
    try:
        return folder_summary_from_json(storage.read_whole(path))
    except ValueError as error:
        raise OSError(f"{path}: {error}") from None


def update_folder_summary(destination: Destination, run: str) -> None:
    """Write `summary.json` from the runs' files, again until no file has changed meanwhile.

    It is not written again if it is as it should be.
    """
    path = destination.path(SUMMARY_NAME)
    written: dict[str, bytes] | None = None
    for _ in range(_MOST_ATTEMPTS):
        contents = _contents(destination.root)
        if contents == written:
            return
        if summaries := _decoded(contents):
            content = folder_summary_to_json(summaries)
            if not (storage.exists(path) and storage.read_whole(path) == content):
                temporary_path = destination.temporary_path(f"{run}-{SUMMARY_NAME}")
                storage.write_whole(path, content, temporary_path)
        else:
            storage.remove([path])
        written = contents


def _contents(root: str) -> dict[str, bytes]:
    contents = {}
    for path in storage.find_visible(storage.join(root, _FOLDER), ".json"):
        # Another run may remove its own file meanwhile.
        with suppress(FileNotFoundError):
            contents[path] = storage.read_whole(path)
    return contents


def _decoded(contents: dict[str, bytes]) -> list[Summary]:
    summaries = []
    for path, content in contents.items():
        try:
            summaries.append(summary_from_json(content))
        except ValueError as error:
            _log.error("%s is not in the folder's summary: %s", path, error)
    return summaries
