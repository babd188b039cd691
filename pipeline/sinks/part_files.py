"""Write part files, which a runner publishes later."""

import uuid

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Destination
from groundwatch.pipeline.sinks.folder_writer import FolderWriter, OpenRows, WrittenRows
from groundwatch.pipeline.sinks.row_formats import RowFormat


class Part(WrittenRows, frozen=True, kw_only=True):
    """A finished file that is not published yet."""

    path: str
    size_bytes: int


class PartWriter(FolderWriter[Part]):
    """Write rows to uniquely named files; all methods raise OSError if that fails."""

    def __init__(self, destination: Destination, row_format: RowFormat) -> None:
        super().__init__(row_format, destination.file_bytes)
        self._destination = destination

    def open_rows(self, folder: str) -> OpenRows:
        """Create a file, with its header."""
        name = f"{self._format.kind}-{uuid.uuid4().hex}.{self._format.extension}"
        path = self._destination.temporary_path(name)
        with storage.describing_errors(f"cannot write {path}"):
            stream = storage.create(path)
            stream.write(self._format.header)
        return OpenRows(stream, path, folder, self._format)

    def finish_rows(self, rows: OpenRows) -> Part:
        with storage.describing_errors(f"cannot write {rows.place}"):
            fields = rows.finish()
            size = rows.stream.tell()
            rows.stream.close()
        return Part(path=rows.place, size_bytes=size, **fields)
