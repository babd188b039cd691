"""Find input files and the user's own folder, keep standard input, and try the output of a run."""

import getpass
import glob
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from msgspec.structs import replace

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Destination
from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.transforms.persistence.private_files import make_folder

STANDARD_INPUT = "-"
"""The path that means standard input, which is JSON Lines."""

_ARCHIVE_NAME = re.compile(
    r"[.](avro|parquet|(jsonl|ndjson|json|csv|tsv)([.]gz|[.]zst)?)$", re.IGNORECASE
)
_HASH_DIGITS = 12
_RESULT = re.compile(
    "(enriched|alerts|failures|replayed|manifest|runs|(summary|estimate).json)(/|$)"
)
"""What the output folder of an earlier run holds, apart from pages and tables."""

_ROOT = Path("/")


def find_inputs(
    argument: str, patterns: Sequence[str], problems: list[str], output: str | None = None
) -> list[str]:
    """Find the files that paths or globs match, and the archives in folders; each file once.

    Problems name the `argument`, as it is written on the command line. Results in the `output`
    folder of the run are left out, unless a pattern names them.
    """
    found: set[str] = set()
    # A missing argument is empty, and a problem already.
    for pattern in filter(None, patterns):
        try:
            matches = storage.find(pattern) or _known_files(pattern)
        except OSError as error:
            problems.append(f"{argument} {pattern}: {error}")
            continue
        if not matches:
            problems.append(f"{argument} {pattern}: no file matches{_hint(pattern)}")
        is_asked = _is_result(pattern, output)
        found.update(each for each in matches if is_asked or not _is_result(each, output))
    return storage.distinct(found)


def _is_result(path: str, output: str | None) -> bool:
    name = storage.name_below(path, output) if output else None
    return bool(name and _RESULT.match(name))


def _hint(pattern: str) -> str:
    """Name a local file of nearly the same name, or say what is searched for in a folder."""
    path = Path(pattern)
    if not storage.is_local(pattern) or glob.has_magic(pattern):
        return ""
    if path.is_dir():
        return "; in a folder, only .jsonl, .ndjson, .json, .csv, .tsv, .avro and .parquet count"
    names = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    # An ending that many have in common says nothing; of equal names, that with the ending counts.
    names.sort(key=lambda name: (name.endswith(path.suffix), name))
    stems = {_ARCHIVE_NAME.sub("", name): name for name in names}
    near = get_close_matches(_ARCHIVE_NAME.sub("", path.name), stems, n=1)
    return f"; did you mean {path.parent / stems[near[0]]}?" if near else ""


def _known_files(folder: str) -> list[str]:
    """List the archives in a folder and its subfolders, by their names."""
    plain = glob.escape(folder) if storage.is_local(folder) else folder
    return list(filter(_ARCHIVE_NAME.search, storage.find(f"{plain.rstrip('/')}/**")))


class KeptInput(NamedTuple):
    """The file with what came from standard input, and the id of the run that reads it."""

    path: str
    run: str


@contextmanager
def standard_input_kept(destination: Destination) -> Iterator[KeptInput]:
    """Copy standard input to a file, since a run reads its input twice; delete it in the end.

    The id of the run is that of the destination and a hash of the content: what is piped another
    day is another run, and the same content continues its run.
    """
    folder = Path(default_work_folder(destination)).parent
    with storage.describing_errors(f"cannot write to {folder}"):
        make_folder(folder)
        with TemporaryFile(dir=folder) as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy, MEGABYTE)
            copy.seek(0)
            digest = hashlib.file_digest(copy, "sha256").hexdigest()[:_HASH_DIGITS]
            run = f"{destination.run}-{digest}"
            path = Path(default_work_folder(replace(destination, run=run)), "standard-input.jsonl")
            copy.seek(0)
            with storage.replacing(str(path), storage.unshared_path(str(path))) as stream:
                shutil.copyfileobj(copy, stream, MEGABYTE)
                stream.flush()
                # The same content is the same version of the file.
                os.utime(stream.fileno(), ns=(0, 0))
    try:
        yield KeptInput(str(path), run)
    finally:
        path.unlink(missing_ok=True)
        # The state of a run that was interrupted stays.
        with suppress(OSError):
            path.parent.rmdir()


def try_output(destination: Destination, problems: list[str]) -> None:
    """Append a problem if the output folder of a run cannot be written to."""
    try:
        storage.probe(destination.temporary_path("probe"))
    except OSError as error:
        reason = error.strerror or str(error)
        if isinstance(error, FileExistsError | NotADirectoryError):
            reason = "a file has this name, or that of a folder above it"
        problems.append(
            f"--output {destination.root}: cannot be written to: {reason}; choose another folder"
        )


def default_run_id(patterns: Sequence[str]) -> str:
    """Derive a run id from the resolved input, so that the same command replaces its own files."""
    places = {os.path.realpath(each) if storage.is_local(each) else each for each in patterns}
    return _short_hash("\n".join(sorted(places)))


def default_work_folder(destination: Destination) -> str:
    """Choose the work folder: in the output folder, or in the home folder if that is a bucket."""
    if storage.is_local(destination.root):
        return destination.temporary_folder
    place = _short_hash(destination.temporary_folder)
    return str(user_folder() / f"{destination.run}-{place}")


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_DIGITS]


def user_name() -> str:
    """Return the name of this process's user, or the number of one without an entry.

    Kubernetes and OpenShift run containers under numbers that no entry names.
    """
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def user_folder() -> Path:
    """Return the user's folder for caches, and for the state of runs whose output is a bucket.

    Without a home that can be written to, it is below the system's folder for temporary files.
    """
    try:
        home = Path.home()
    except RuntimeError:
        home = _ROOT
    if home != _ROOT and os.access(home, os.W_OK):
        return home / ".cache" / "groundwatch"
    folder = Path(tempfile.gettempdir()) / f"groundwatch-{os.getuid()}"
    # Whoever made it before could read what is kept there.
    is_own = not folder.exists() or folder.lstat().st_uid == os.getuid()
    return folder if is_own else Path(tempfile.mkdtemp(prefix="groundwatch-"))
