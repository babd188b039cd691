"""Write to a path that a person named: a file, an object, a device, a pipe, or standard output."""

import os
import re
import sys
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from typing import IO

from groundwatch.pipeline import storage

_STDOUT = 1
_STREAMS = {"-": _STDOUT, "/dev/stdout": _STDOUT, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d{1,9})")


def _descriptor(path: str) -> int | None:
    """Return the number of this process's open file that a path names, None if it names none."""
    found = _DESCRIPTOR.fullmatch(path)
    return int(found[1]) if found else _STREAMS.get(path)


def is_standard_output(path: str | None) -> bool:
    """Return whether a path means this process's standard output."""
    return path is not None and _descriptor(path) == _STDOUT


def is_stream(path: str) -> bool:
    """Return whether a path is a device, a pipe, a socket or an open file of this process.

    It is written to as it is: a file in its place would hide it from all other programs.
    """
    if _descriptor(path) is not None:
        return True
    is_there = storage.is_local(path) and Path(path).exists()
    return is_there and not (Path(path).is_file() or Path(path).is_dir())


def writing(path: str) -> AbstractContextManager[IO[bytes]]:
    """Write to a path while a `with` block lasts; raise OSError if it cannot be written.

    A file appears when the block ends without an error, and replaces an earlier one, also where the
    path is a link to that. A stream gets at once what is written.
    """
    descriptor = _descriptor(path)
    if descriptor is not None:
        return open(descriptor, "wb", closefd=False)
    if is_stream(path):
        # No file is made if the pipe has gone.
        return open(path, "wb", opener=lambda name, _: os.open(name, os.O_WRONLY))
    final_path = os.path.realpath(path) if storage.is_local(path) else path
    return storage.replacing(final_path, storage.unshared_path(final_path))


def text_beside(path: str | None) -> AbstractContextManager[object]:
    """Print to standard error while a `with` block lasts, if a path is standard output."""
    return redirect_stdout(sys.stderr) if is_standard_output(path) else nullcontext()
