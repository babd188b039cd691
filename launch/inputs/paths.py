"""Finding the files of the input, and a place for the output, before a run begins."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from pipeline import storage
from pipeline.sinks.destination import Destination


def find_inputs(flag: str, patterns: Sequence[str], problems: list[str]) -> list[str]:
    """Find the files that patterns match, each once, sorted by path.

    A file that several paths lead to, by links or otherwise, is read under one of them.

    Args:
      flag: the option that names them, for what is wrong.
      patterns: paths or globs, local or gs://.
      problems: what is wrong is added to it.
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
    """See whether the output folder can be written to.

    Args:
      destination: the run's.
      problems: what is wrong is added to it.
    """
    probe = destination.temporary_path("probe")
    try:
        storage.probe(probe)
    except OSError as error:
        reason = error.strerror or str(error)
        problems.append(f"--output {destination.root}: cannot be written to: {reason}")


def default_run_id(patterns: Sequence[str]) -> str:
    """Name a run after its input, so that the same command again replaces its own files.

    The same words in another folder mean other files, so they name another run.
    """
    places = [
        path if not storage.is_local(path) else str(Path(path).absolute()) for path in patterns
    ]
    return hashlib.sha256("\n".join(sorted(places)).encode()).hexdigest()[:12]


def default_run_id_of(subscription: str) -> str:
    """Name a run after its subscription, the same wherever it is started."""
    return default_run_id([f"pubsub://{subscription}"])


def default_work_folder(destination: Destination) -> str:
    """Choose where an unfinished run keeps things: in the output, or at home for a bucket's."""
    if storage.is_local(destination.root):
        return destination.temporary_folder
    place = hashlib.sha256(destination.temporary_folder.encode()).hexdigest()[:12]
    return str(Path.home() / ".cache" / "groundwatch" / f"{destination.run}-{place}")
