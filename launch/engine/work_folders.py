"""Find and read the databases of workers and runs, which hold the rows that no file has yet."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.checker import DATABASE
from groundwatch.pipeline.settings.config import Config
from groundwatch.schemas.enriched_answer import AnswerRow
from .engine_database import EngineDatabase, holds_run
from .journal import Journal

_CONFIG = Config(output="", run="")  # nothing is written here


def find_journals(root: str, work_folders: Iterable[str] = ()) -> list[str]:
    """Find the journals of workers in and below an output folder, and in other work folders."""
    folders = [Path(folder) for folder in work_folders]
    if storage.is_local(root):
        folders += [Path(root), *sorted(Path(root).glob(".groundwatch-*"))]
    paths = {(folder / DATABASE).resolve() for folder in folders}
    return sorted(str(path) for path in paths if holds_run(path))


def read_waiting(root: str, work_folders: Iterable[str] = ()) -> Iterator[AnswerRow]:
    """Read the records that are in no file yet, without those of a database that is damaged."""
    for path in find_journals(root, work_folders):
        with suppress(OSError), journal_read(path) as journal:
            yield from journal.database.waiting_answers()


@contextmanager
def journal_read(path: str) -> Iterator[Journal]:
    """Read the journal of a worker, or of a run that has not ended, without changing it.

    All that is read in the `with` block is of one moment. Raises OSError.
    """
    database = EngineDatabase(str(Path(path).parent), is_read_only=True)
    with closing(Journal(database, _CONFIG)) as journal, database.snapshot():
        yield journal
