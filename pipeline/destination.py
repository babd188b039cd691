"""Where a run's files go."""

from pipeline import storage
from schemas.record import Record


class Destination(Record, frozen=True, kw_only=True):
    """Where a run's files go.

    Attributes:
      root: the output folder, local or gs://.
      run: the run's id, part of every file's name.
    """

    root: str
    run: str

    def path(self, relative: str) -> str:
        """The path of a file below the output folder."""
        return storage.join(self.root, relative)

    @property
    def temporary_folder(self) -> str:
        """The folder of files that are no output yet."""
        return storage.join(self.root, f".groundwatch-{self.run}")

    @property
    def paid_folder(self) -> str:
        """The folder of what an unfinished run has paid for."""
        return storage.join(self.root, f".groundwatch-{self.run}-paid")

    def temporary_path(self, name: str) -> str:
        """The path of a file that is no output yet."""
        return storage.join(self.temporary_folder, name)
