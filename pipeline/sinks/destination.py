"""Where a run's files go."""

from pipeline import storage
from pipeline.sources.read_batch import batch_under_way
from pipeline.stream import Windows
from schemas import Record
from schemas.quantities import MEGABYTE

FILE_BYTES = 128 * MEGABYTE


class Destination(Record, frozen=True, kw_only=True):
    """Where a run's files go.

    Attributes:
      root: the output folder, local or gs://.
      run: the run's id, part of every file's name.
      file_bytes: a file that has grown so long is followed by another.
      batch: the key of this process's batches, which keep the files until somebody puts the
        batches together; None where the pipeline publishes its files itself.
      announces: whether a batch keeps its alerts and failures in memory, for whoever announces
        them, instead of in files.
      windows: how the rows of a stream are gathered into files.
      alert_topic, failure_topic: where alerts and failures go instead of into files, such as
        ``projects/P/topics/T``.
    """

    root: str
    run: str
    file_bytes: int = FILE_BYTES
    batch: str | None = None
    announces: bool = False
    windows: Windows = Windows()
    alert_topic: str | None = None
    failure_topic: str | None = None

    def path(self, relative: str) -> str:
        """The path of a file below the output folder."""
        return storage.join(self.root, relative)

    def file_path(
        self, folder: str, shard: int, extension: str, window: str = "batch", pane: int = 0
    ) -> str:
        """The final path of one of the run's files, relative to the output folder."""
        return f"{folder}/{self.run}-{window}-{pane}-{shard:05d}.{extension}"

    @property
    def temporary_folder(self) -> str:
        """The folder of files that are no output yet."""
        return storage.join(self.root, f".groundwatch-{self.run}")

    def temporary_path(self, name: str) -> str:
        """The path of a file that is no output yet."""
        folder = batch_under_way(self.batch).folder if self.batch else self.temporary_folder
        return storage.join(folder, name)
