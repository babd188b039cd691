"""Keep standard input in a file while a run reads it."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline import storage
from schemas.quantities import MEGABYTE
from transforms.persistence.private_files import create_file, make_folder

STANDARD_INPUT = "-"
"""The path that means standard input, which is JSON Lines."""


@contextmanager
def standard_input_kept(folder: str) -> Iterator[str]:
    """Copy standard input to a file, since a run reads its input twice; delete it in the end."""
    path = Path(folder) / "standard-input.jsonl"
    with storage.describing_errors(f"cannot write {path}"):
        make_folder(path.parent)
        with create_file(path) as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream, MEGABYTE)
    try:
        yield str(path)
    finally:
        path.unlink()
        path.parent.rmdir()
