"""Keep the parts of each batch in a folder of their own until they are published."""

import itertools
import logging
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from pipeline import storage
from pipeline.sinks.part_files import Part
from transforms.persistence.private_files import make_folder

_FOLDER = re.compile(r"batch-(?:([0-9a-f]+)-)?(\d{10})")
_log = logging.getLogger(__name__)


class BatchFolders:
    """Give each batch of a journal a folder of its own below the work folder.

    Attributes:
      sizes: bytes of the parts that were kept, by output folder; the publisher clears it.
    """

    def __init__(self, work_folder: str, journal: str) -> None:
        self._work_folder = Path(work_folder)
        self._aside = self._work_folder / "set-aside"
        self._journal = journal
        self.sizes: Counter[str] = Counter()

    def begin(self, number: int) -> str:
        """Make an empty folder for a batch's parts."""
        folder = self._folder(number)
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        return str(folder)

    def keep(self, number: int, parts: Iterable[Part]) -> None:
        """Make a batch's parts durable."""
        for part in parts:
            storage.fsync(part.path)
            self.sizes[part.folder] += part.size_bytes
        storage.fsync(str(self._folder(number)))
        storage.fsync(str(self._work_folder))

    def placed(self, number: int, part: Part) -> Part:
        """Find a batch's part by its name: the work folder may have been moved."""
        return replace(part, path=str(self._folder(number) / Path(part.path).name))

    def remove_all_but(self, needed: Iterable[int], *, up_to: int | None = None) -> None:
        """Remove this journal's folders of batches that are published or were never finished.

        Args:
          needed: the numbers of batches to keep.
          up_to: batches above this number are kept, too.
        """
        kept = set(needed)
        for folder, journal, number in self._found():
            is_old = up_to is None or number <= up_to
            if journal == self._journal and number not in kept and is_old:
                shutil.rmtree(folder, ignore_errors=True)

    def set_aside_unknown(self, waiting: Iterable[int]) -> None:
        """Set aside the folders of other journals' batches, whose rows may be nowhere else.

        A folder that version 1.0 named by the number of a waiting batch is renamed.
        """
        known = set(waiting)
        moved = 0
        for folder, journal, number in self._found():
            if journal is None and number in known:
                folder.rename(self._folder(number))
            elif journal != self._journal:
                self._move_aside(folder)
                moved += 1
        if moved:
            _log.error(
                "%d batch folders belong to another journal; they were moved to %s. Their files may"
                " contain rows that are not in the output",
                moved,
                self._aside,
            )

    def set_aside(self, part: Part) -> Part:
        """Set aside a damaged part, which may be gone; return where it is now."""
        source = Path(part.path)
        return replace(part, path=str(self._move_aside(source))) if source.exists() else part

    def _move_aside(self, source: Path) -> Path:
        make_folder(self._aside)
        copies = (self._aside / f"{source.name}-{number}" for number in itertools.count(2))
        names = itertools.chain([self._aside / source.name], copies)
        return source.rename(next(name for name in names if not name.exists()))

    def _found(self) -> list[tuple[Path, str | None, int]]:
        return [
            (folder, match[1], int(match[2]))
            for folder in sorted(self._work_folder.glob("batch-*"))
            if (match := _FOLDER.fullmatch(folder.name))
        ]

    def _folder(self, number: int) -> Path:
        return self._work_folder / f"batch-{self._journal}-{number:010d}"
