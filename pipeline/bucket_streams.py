"""Streams of Cloud Storage's objects that fail as files on disk do, with an OSError."""

import io
from typing import Any, Self

from pipeline.bucket_errors import as_os_errors


class Download(io.RawIOBase):
    """An object that is read.

    Args:
      reader: Google's stream.
      path: for what is wrong.
    """

    def __init__(self, reader: Any, path: str) -> None:
        super().__init__()
        self._reader = reader
        self._path = path

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes, or all that are left."""
        with as_os_errors(self._path):
            content: bytes = self._reader.read(size)
            return content

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; returns how many bytes."""
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def tell(self) -> int:
        """How many bytes have been read."""
        position: int = self._reader.tell()
        return position

    def close(self) -> None:
        """Let go of it."""
        self._reader.close()
        super().close()


class Upload(io.RawIOBase):
    """An object that is written: it comes into being, whole, when it is closed.

    One that is never closed, or fails, or is left by an exception, never does. Google's own stream
    would be finished as it is by the collection of garbage.

    Args:
      writer: Google's stream.
      path: for what is wrong.
    """

    def __init__(self, writer: Any, path: str) -> None:
        super().__init__()
        self._writer = writer
        self._path = path

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, content: Any) -> int:
        """Add bytes."""
        try:
            with as_os_errors(self._path):
                written: int = self._writer.write(content)
                return written
        except OSError:
            self._give_up()
            raise

    def tell(self) -> int:
        """How many bytes were written."""
        position: int = self._writer.tell()
        return position

    def close(self) -> None:
        """Have the object be there."""
        try:
            with as_os_errors(self._path):
                self._writer.close()
        finally:
            self._give_up()

    def __exit__(self, exception_type: type[BaseException] | None, *_: object) -> None:
        if exception_type is None:
            self.close()
        else:
            self._give_up()

    def __enter__(self) -> Self:
        return self

    def __del__(self) -> None:
        self._give_up()

    def _give_up(self) -> None:
        # Its public way of giving up asks the service, which may be what has failed.
        self._writer._buffer.close()  # noqa: SLF001
        super().close()
