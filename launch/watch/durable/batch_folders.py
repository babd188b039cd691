"""Keep the parts of each batch in a folder of their own until they are published."""

import itertools
import logging
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from launch.watch.durable.journal import Journal
from pipeline import storage
from pipeline.sinks.part_files import Part
from transforms.persistence.private_files import make_folder

_FOLDER = re.compile(r"batch-(?:([0-9a-f]+)-)?(\d{10})")
_log = logging.getLogger(__name__)


class BatchFolders:
    """Give each batch of a journal a folder below the work folder, which is cleaned first.

    The publisher clears `sizes`, the bytes of the parts that were kept, by output folder.
    """

    def __init__(self, work_folder: str, journal: Journal) -> None:
        self._work_folder = Path(work_folder)
        self._aside = self._work_folder / "set-aside"
        self._journal = journal.identity
        self.sizes: Counter[str] = Counter()
        self._clean({number for number, _ in journal.waiting_batches()})

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

    def remove(self, up_to: int) -> None:
        """Remove the folders of this journal's batches up to a number: they are published."""
        for folder, journal, number in self._found():
            if journal == self._journal and number <= up_to:
                shutil.rmtree(folder, ignore_errors=True)

    def set_aside(self, part: Part) -> str:
        """Set aside a damaged part, which may be gone; return where it is now."""
        source = Path(part.path)
        return str(self._move_aside(source) if source.exists() else source)

    def _clean(self, waiting: set[int]) -> None:
        """Remove batches that were never finished, and set aside those of other journals.

        The rows of other journals may be nowhere else. A folder that version 1.0 named by the
        number of a waiting batch is renamed.
        """
        moved = 0
        for folder, journal, number in self._found():
            if journal is None and number in waiting:
                folder.rename(self._folder(number))
            elif journal != self._journal:
                self._move_aside(folder)
                moved += 1
            elif number not in waiting:
                shutil.rmtree(folder, ignore_errors=True)
        if moved:
            _log.error(
                "%d batch folders belong to another journal; they were moved to %s. Their files may"
                " contain rows that are not in the output",
                moved,
                self._aside,
            )

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
