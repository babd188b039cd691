"""Standard output whose reader may end before the command does, such as `head`."""

import io
import sys
from typing import Any

from .exit_status import fail


class _OptionalReader(io.RawIOBase):
    """A file that drops what is written after its reader has ended, or after an error."""

    def __init__(self, file: io.FileIO) -> None:
        self._file = file
        self._is_lost = False

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._file.isatty()

    def fileno(self) -> int:
        return self._file.fileno()

    def write(self, data: Any) -> int | None:
        try:
            return len(data) if self._is_lost else self._file.write(data)
        except BrokenPipeError:
            self._is_lost = True
            return len(data)
        except OSError as error:
            self._is_lost = True
            raise SystemExit(fail(f"standard output cannot be written: {error}")) from None


def let_the_reader_end() -> None:
    """Let standard output drop what nobody reads: the exit status says what was decided."""
    stream = sys.stdout
    buffer = getattr(stream, "buffer", None)
    file = getattr(buffer, "raw", buffer)  # python -u has no buffer
    if isinstance(stream, io.TextIOWrapper) and isinstance(file, io.FileIO):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_OptionalReader(file)),
            encoding=stream.encoding,
            errors=stream.errors,
            line_buffering=stream.line_buffering or buffer is file,
        )
