"""Find the input files and validate the output folder before a run."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from pipeline import storage
from pipeline.sinks.destination import Destination


def find_inputs(flag: str, patterns: Sequence[str], problems: list[str]) -> list[str]:
    """Find the files that patterns match, sorted by path; links to one file count once.

    Args:
      flag: the option, for problems.
      patterns: paths or globs, local or gs://.
      problems: problems are appended to it.
    """
    found: set[str] = set()
    for pattern in patterns:
        try:
            matches = storage.find(pattern)
        except OSError as error:
            problems.append(f"--{flag} {pattern}: {error}")
            continue
        if not matches:
            problems.append(f"--{flag} {pattern}: no file matches")
        found.update(matches)
    return storage.distinct(found)


def try_output(destination: Destination, problems: list[str]) -> None:
    """Check that the output folder can be written to.

    Args:
      destination: the run's.
      problems: problems are appended to it.
    """
    probe = destination.temporary_path("probe")
    try:
        storage.probe(probe)
    except OSError as error:
        reason = error.strerror or str(error)
        problems.append(f"--output {destination.root}: cannot be written to: {reason}")


def default_run_id(patterns: Sequence[str]) -> str:
    """Derive a run id from the input, so that the same command replaces its own files.

    Local paths are absolute: the same relative path in another folder gives another id.
    """
    places = [
        path if not storage.is_local(path) else str(Path(path).absolute()) for path in patterns
    ]
    return hashlib.sha256("\n".join(sorted(places)).encode()).hexdigest()[:12]


def default_run_id_of(subscription: str) -> str:
    """Derive a run id from the subscription."""
    return default_run_id([f"pubsub://{subscription}"])


def default_work_folder(destination: Destination) -> str:
    """Choose the work folder: in the output folder, or in the home folder if that is a bucket."""
    if storage.is_local(destination.root):
        return destination.temporary_folder
    place = hashlib.sha256(destination.temporary_folder.encode()).hexdigest()[:12]
    return str(Path.home() / ".cache" / "groundwatch" / f"{destination.run}-{place}")
