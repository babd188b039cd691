"""Keep the state of an unfinished run on disk, so that it can be resumed."""

import fcntl
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import IO

import msgspec
from msgspec.structs import replace

from pipeline import storage
from pipeline.errors import LockFailed
from pipeline.settings.checker import REPLY_STORE
from pipeline.sinks.part_files import Part
from pipeline.sources.splits import Segment
from schemas import Record
from schemas.summary import RunCounts
from transforms.grounding.reply_cache import ReplyStore
from transforms.persistence.private_files import create_file, make_folder
from transforms.rules.rate_counts import EngineCounts

_LOCK = ".lock"
_LOCK_TIMEOUT_S = 10.0
_POLL_S = 0.05


class Plan(Record, frozen=True, kw_only=True):
    """The segments of a run, in order, and the fingerprint of its input and settings."""

    fingerprint: str
    segments: tuple[Segment, ...]

    @property
    def messages(self) -> int:
        """Count the messages in the input."""
        return sum(segment.messages for segment in self.segments)


class SegmentDone(Record, frozen=True, kw_only=True):
    """The results of a segment, which is finished when these are on disk."""

    parts: tuple[Part, ...]
    rates: tuple[EngineCounts, ...]
    counts: RunCounts


class WorkFolder:
    """The local folder of one run: its plan, and the files and results of each segment."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._plan = self._path / "plan.json"
        with storage.describing_errors(f"cannot write {path}"):
            make_folder(self._path)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs out while a `with` block lasts, or raise LockFailed after 10 s."""
        with self._lock("lock", fcntl.LOCK_EX):
            self._lock("processes", fcntl.LOCK_EX).close()
            yield

    def join(self) -> IO[bytes]:
        """Register this process as one of the run's until the returned file is closed."""
        return self._lock("processes", fcntl.LOCK_SH)

    def owner(self) -> str:
        """Return the unique name of this folder, chosen when it was created."""
        path = self._path / f"owner{_LOCK}"
        if not path.exists():
            _write(path, uuid.uuid4().hex.encode())
        return path.read_text()

    def read_plan(self) -> Plan | None:
        """Read the plan of the run in this folder, None if there is none of this version."""
        with suppress(FileNotFoundError, msgspec.ValidationError):
            return msgspec.json.decode(self._plan.read_bytes(), type=Plan)
        return None

    def begin(self, plan: Plan) -> None:
        """Start a run, and delete the state of an earlier one except its paid replies."""
        for entry in self._path.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.suffix != _LOCK and not entry.name.startswith(REPLY_STORE):
                entry.unlink()
        _write(self._plan, msgspec.json.encode(plan))

    def paid(self) -> AbstractContextManager[ReplyStore] | None:
        """Open the run's paid replies; None if there are none yet."""
        path = self._path / REPLY_STORE
        return closing(ReplyStore(str(path))) if path.exists() else None

    def done(self, number: int) -> SegmentDone | None:
        """Read the results of a segment, None if it is not finished."""
        with suppress(FileNotFoundError):
            done = msgspec.json.decode(self._done_path(number).read_bytes(), type=SegmentDone)
            return _in_folder(done, self._segment_folder(number))
        return None

    def begin_segment(self, number: int) -> tuple[str, bool]:
        """Return an empty folder for a segment's files, and whether it was started before."""
        folder = self._segment_folder(number)
        again = folder.exists()
        if again:
            self.clear_segment(number)
        make_folder(folder)
        return str(folder), again

    def clear_segment(self, number: int) -> None:
        """Remove the files of a failed segment; its folder marks that it was started."""
        self._done_path(number).unlink(missing_ok=True)
        for entry in self._segment_folder(number).iterdir():
            entry.unlink()

    def finish_segment(self, number: int, done: SegmentDone) -> None:
        """Flush a segment's files to the disk, then the record that it is finished."""
        for part in done.parts:
            storage.fsync(part.path)
        # Only the names of the files are kept, since the folder may be moved.
        _write(self._done_path(number), msgspec.json.encode(_in_folder(done, Path())))

    def remove(self) -> None:
        """Delete the folder of a finished run."""
        shutil.rmtree(self._path)

    def _segment_folder(self, number: int) -> Path:
        return self._path / f"segment-{number:06d}"

    def _done_path(self, number: int) -> Path:
        return self._path / f"segment-{number:06d}.json"

    def _lock(self, name: str, kind: int) -> IO[bytes]:
        """Wait for a lock, which the processes of a killed run release a moment later."""
        lock = create_file(self._path / f"{name}{_LOCK}")
        deadline_s = time.monotonic() + _LOCK_TIMEOUT_S
        while True:
            try:
                fcntl.flock(lock, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline_s:
                    lock.close()
                    raise LockFailed(
                        f"another run of the same id is active: it holds {self._path}"
                    ) from None
                time.sleep(_POLL_S)
            else:
                return lock


def _in_folder(done: SegmentDone, folder: Path) -> SegmentDone:
    parts = (replace(part, path=str(folder / Path(part.path).name)) for part in done.parts)
    return replace(done, parts=tuple(parts))


def _write(path: Path, content: bytes) -> None:
    storage.write_whole(str(path), content, str(path.with_suffix(".unfinished")))
