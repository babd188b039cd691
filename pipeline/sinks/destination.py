"""Name the files of a run."""

from pipeline import storage
from pipeline.settings.job import FILE_BYTES
from schemas import Record


class Destination(Record, frozen=True, kw_only=True):
    """The output folder and the id of a run, which is part of the name of all of its files.

    A file longer than `file_bytes` is followed by another.
    """

    root: str
    run: str
    file_bytes: int = FILE_BYTES

    def path(self, relative: str) -> str:
        """Return the path of a file below the output folder."""
        return storage.join(self.root, relative)

    def file_path(
        self, folder: str, shard: int, extension: str, window: str = "batch", pane: int = 0
    ) -> str:
        """Return the final path of one of the run's files, relative to the output folder."""
        return f"{folder}/{self.run}-{window}-{pane}-{shard:05d}.{extension}"

    @property
    def temporary_folder(self) -> str:
        """Return the folder of files that are not published yet."""
        return self.path(f".groundwatch-{self.run}")

    def temporary_path(self, name: str) -> str:
        """Return the path of a file that is not published yet."""
        return storage.join(self.temporary_folder, name)
