"""Keep what a command says apart from a file that it writes to standard output."""

import sys
from contextlib import AbstractContextManager, nullcontext, redirect_stdout

from groundwatch.pipeline.storage.named_output import is_standard_output


def text_beside(path: str | None) -> AbstractContextManager[object]:
    """Print to standard error while a `with` block lasts, if a path is standard output."""
    return redirect_stdout(sys.stderr) if is_standard_output(path) else nullcontext()
