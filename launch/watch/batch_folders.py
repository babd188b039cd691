"""The folders of batches: each keeps its parts until they are public."""

import re
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from pipeline import storage
from pipeline.part import Part

_FOLDER = re.compile(r"batch-(\d{10})")


class BatchFolders:
    """Gives each batch a folder of its own in the worker's.

    Args:
      work_folder: the worker's, on this machine.

    Attributes:
      sizes: bytes of the parts that were kept, by the output folder they belong to; whoever makes
        them public clears it.
    """

    def __init__(self, work_folder: str) -> None:
        self._work_folder = Path(work_folder)
        self.sizes: Counter[str] = Counter()

    def begin(self, number: int) -> str:
        """Make an empty folder for a batch's parts."""
        folder = self._folder(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return str(folder)

    def keep(self, number: int, parts: Iterable[Part]) -> None:
        """Have the disk keep a batch's parts, whatever becomes of the machine.

        Raises:
          OSError: it does not.
        """
        for part in parts:
            storage.settle(part.path)
            self.sizes[part.folder] += part.bytes
        storage.settle(str(self._folder(number)))
        storage.settle(str(self._work_folder))

    def placed(self, number: int, part: Part) -> Part:
        """Say where a batch's part is: by its name alone, since folders are moved."""
        return replace(part, path=str(self._folder(number) / Path(part.path).name))

    def remove_all_but(self, needed: Iterable[int], *, up_to: int | None = None) -> None:
        """Remove folders of batches that are public, or were never finished.

        Args:
          needed: the numbers of batches that are to stay.
          up_to: batches above this number stay, too.
        """
        kept = set(needed)
        for folder in self._work_folder.glob("batch-*"):
            match = _FOLDER.fullmatch(folder.name)
            number = int(match[1]) if match else 0
            if number not in kept and (up_to is None or number <= up_to):
                shutil.rmtree(folder, ignore_errors=True)

    def _folder(self, number: int) -> Path:
        return self._work_folder / f"batch-{number:010d}"
