"""Damage each file of the work folder of a killed job, run the job again, and reconcile.

A file is removed, cut to a length, or has one bit flipped. The next run either refuses with a
sentence, and leaves the database as it is, or everything is right: nothing is lost, doubled or
unreadable. With `--removed`, the whole work folder is removed after a kill at each point of a run,
as a person does who starts again after a refusal. A worker is left out: no other place has what it
acknowledged and has not yet written to a file.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from groundwatch.launch.watch.owned_paths import OwnershipLost
from groundwatch.pipeline.errors import RunFailed
from groundwatch.pipeline.settings.checker import DATABASE
from tests.support.crash_points import (
    CountingChecker,
    count_points,
    in_child,
    prepare,
    print_sweep,
    problems_of,
    rehearse,
    run_job,
)
from tests.support.outputs import record_ids_in
from tests.support.system_calls import require_tracing, run_killed_at

_READ_AGAIN = ("backfill", "replay")
DAMAGED_JOBS = (*_READ_AGAIN, "worker")
_PAGE_BYTES = 4_096
_FRAME_BYTES = _PAGE_BYTES + 24
_PAGE_HEADER_BYTES = 40
_KILLED_AT = (0.35, 0.6, 0.85)  # of the points of a whole run
_REFUSALS = (1, 2)


class Damage(NamedTuple):
    """What is done to a file of the work folder, or to the folder."""

    path: str
    kind: str
    at: int = 0

    def apply(self, folder: Path) -> None:
        """Damage the file."""
        path = folder / self.path
        if self.kind == "remove folder":
            shutil.rmtree(path)
        elif self.kind == "remove":
            path.unlink()
        elif self.kind == "cut":
            with path.open("rb+") as stream:
                stream.truncate(self.at)
        else:
            content = bytearray(path.read_bytes())
            content[self.at // 8] ^= 1 << self.at % 8
            path.write_bytes(content)


def damages_of(folder: Path, flips: int) -> Iterator[Damage]:
    """List the damages of all files of work folders, with so many flipped bits a page."""
    chance = Random(1)  # noqa: S311 - the same damages in every run
    for path in sorted(folder.rglob("*")):
        work_folder = next((each for each in path.parents if is_work_folder(each)), None)
        if work_folder is None or not path.is_file():
            continue
        name, size = str(path.relative_to(folder)), path.stat().st_size
        yield Damage(name, "remove")
        yield from (Damage(name, "cut", length) for length in _lengths(size))
        for start in range(0, size, _PAGE_BYTES):
            of_page = min(_PAGE_BYTES, size - start)
            header = min(of_page, _PAGE_HEADER_BYTES)
            offsets = {chance.randrange(header) for _ in range(-(-flips // 4))}
            offsets |= {chance.randrange(of_page) for _ in range(flips - flips // 4)}
            for offset in sorted(offsets):
                yield Damage(name, "flip", (start + offset) * 8 + chance.randrange(8))


def is_work_folder(path: Path) -> bool:
    """Return whether a folder is one that a run keeps its state in."""
    return path.name.startswith(".groundwatch-")


def _lengths(size: int) -> list[int]:
    steps = max(1, size // _FRAME_BYTES // 8)
    frames = range(32, size, _FRAME_BYTES * steps)
    pages = range(_PAGE_BYTES, size, _PAGE_BYTES * steps)
    lengths = {0, 1, 50, 100, 1_000, size // 2, size - 1, *frames, *pages}
    return sorted(length for length in lengths if 0 <= length < size)


class Interrupted:
    """A job that was killed at a point, as often as it is wanted.

    Attributes:
      was_killed: False if it ended before the point.
    """

    def __init__(self, job: str, point: int, folder: Path, checker: str) -> None:
        self._job = job
        self._checker = checker
        self._folder = folder / "job"
        self._copy = folder / "copy"
        self._said = folder / "said"
        self._folder.mkdir()
        prepare(job, self._folder, checker)
        killed = run_killed_at(point, lambda: run_job(job, self._folder, checker))
        # How many points there are differs by one or two between runs.
        self.was_killed = killed.status == -signal.SIGKILL
        shutil.copytree(self._folder, self._copy)

    def removal(self) -> Damage | None:
        """Remove its work folder; None if it has none."""
        found = (path for path in self._copy.rglob("*") if is_work_folder(path) and path.is_dir())
        path = next(found, None)
        return path and Damage(str(path.relative_to(self._copy)), "remove folder")

    def damages(self, flips: int) -> list[Damage]:
        """List what can be done to its work folder."""
        return list(damages_of(self._copy, flips))

    def after(self, damage: Damage) -> dict[str, Any]:
        """Damage a file, run the job again, and say how it went."""
        shutil.rmtree(self._folder)
        shutil.copytree(self._copy, self._folder)
        damage.apply(self._folder)
        before = self._database_bytes()
        status = in_child(self._run)
        said = self._said.read_text()
        problems = []
        if status in _REFUSALS:
            result = "refused"
            if self._database_bytes() != before:
                problems.append("a refused database was changed")
            if "Traceback" in said or not said.strip():
                problems.append("no sentence")
            problems += self._of_files(lambda: _doubled(self._folder / "out"))
        elif status:
            result, problems = "failed", [f"the run ended with {status}"]
        else:
            problems += self._of_files(lambda: problems_of(self._job, self._folder))
            result = "wrong" if problems else "right"
        said = said.strip().splitlines()[-1][:300] if problems and said.strip() else ""
        found = {"result": result, "problems": problems, "said": said}
        return {"job": self._job, **damage._asdict(), **found}

    def _run(self) -> int:
        with self._said.open("w") as said, redirect_stderr(said):
            try:
                return run_job(self._job, self._folder, self._checker)
            except (OSError, RunFailed, OwnershipLost) as error:
                said.write(f"{error}\n")
                return 1
            except BaseException:
                said.write(traceback.format_exc())
                raise

    def _database_bytes(self) -> dict[str, bytes]:
        paths = self._folder.rglob(f"{DATABASE}*")
        return {path.name: path.read_bytes() for path in paths if path.suffix != ".sqlite-shm"}

    def _of_files(self, find: Callable[[], list[str]]) -> list[str]:
        try:
            return find()
        except Exception as error:  # noqa: BLE001 - whatever a reader of damaged files raises
            return [f"unreadable: {type(error).__name__}"]


def _doubled(output: Path) -> list[str]:
    ids = Counter(record_ids_in(output))
    doubled = sum(each > 1 for each in ids.values())
    return [f"{doubled} answers are doubled"] if doubled else []


def sweep(job: str, flips: int, step: int, checker: CountingChecker) -> Iterator[dict[str, Any]]:
    """Damage the files of a job that was killed early, in its midst and late."""
    points = count_points(job, checker)
    numbers = count()
    for share in _KILLED_AT:
        with tempfile.TemporaryDirectory() as name:
            killed_at = round(points * share)
            interrupted = Interrupted(job, killed_at, Path(name), checker.address)
            if not interrupted.was_killed:
                raise RuntimeError(f"the {job} was not killed at point {killed_at}")
            for damage in interrupted.damages(flips):
                if not next(numbers) % step:
                    yield {"killed_at": share, **interrupted.after(damage)}


def sweep_removals(job: str, step: int, checker: CountingChecker) -> Iterator[dict[str, Any]]:
    """Remove the work folder of a job that was killed at each so-manyth point."""
    for point in range(1, count_points(job, checker) + 1, step):
        with tempfile.TemporaryDirectory() as name:
            interrupted = Interrupted(job, point, Path(name), checker.address)
            removal = interrupted.removal() if interrupted.was_killed else None
            if removal:
                yield {"killed_at": point, **interrupted.after(removal)}


def main_of_sweep(arguments: Sequence[str]) -> int:
    """Sweep jobs; return 1 if there was a problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", nargs="*", help=", ".join(DAMAGED_JOBS))
    parser.add_argument("--flips", type=int, default=12, help="bits flipped a page")
    parser.add_argument("--step", type=int, default=1, help="try each so many damages, or points")
    parser.add_argument("--removed", action="store_true", help="remove the work folder instead")
    given = parser.parse_args(arguments)
    jobs = given.jobs or (_READ_AGAIN if given.removed else DAMAGED_JOBS)
    require_tracing()
    problems = 0
    with CountingChecker.started() as checker:
        rehearse(checker)
        for job in jobs:
            results = (
                sweep_removals(job, given.step, checker)
                if given.removed
                else sweep(job, given.flips, given.step, checker)
            )
            problems += print_sweep(job, results)
    return int(problems > 0)


if __name__ == "__main__":
    sys.exit(main_of_sweep(sys.argv[1:]))
