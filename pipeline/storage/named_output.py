"""Write to a path that a person named: a file, an object, a device, a pipe, or standard output."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import IO

from groundwatch.pipeline import storage

_STDOUT = 1
_STANDARD_OUTPUT = frozenset({"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})


def is_standard_output(path: str | None) -> bool:
    """Return whether a path means this process's standard output."""
    return path in _STANDARD_OUTPUT


def is_stream(path: str) -> bool:
    """Return whether a path is a device, a pipe, a socket or standard output.

    It is written to as it is: a file in its place would hide it from all other programs.
    """
    if is_standard_output(path):
        return True
    is_there = storage.is_local(path) and Path(path).exists()
    return is_there and not (Path(path).is_file() or Path(path).is_dir())


@contextmanager
def writing(path: str) -> Iterator[IO[bytes]]:
    """Write to a path while a `with` block lasts; raise OSError.

    A file appears when the block ends without an error, and replaces an earlier one, also where the
    path is a link to that. A stream gets at once what is written.
    """
    if is_standard_output(path):
        with open(_STDOUT, "wb", closefd=False) as stream:
            yield stream
        return
    if is_stream(path):
        # No file is made if the pipe has gone.
        with open(path, "wb", opener=lambda name, _: os.open(name, os.O_WRONLY)) as stream:
            yield stream
        return
    with storage.replacing(os.path.realpath(path) if storage.is_local(path) else path) as stream:
        yield stream


def text_beside(path: str | None) -> AbstractContextManager[object]:
    """Print to standard error while a `with` block lasts, if a path is standard output."""
    return redirect_stdout(sys.stderr) if is_standard_output(path) else nullcontext()
