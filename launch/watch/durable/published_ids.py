"""Exchange the ids of published records and failures between the workers that share an output."""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from pipeline import storage
from pipeline.settings.config import Config
from schemas.failure import Failure
from schemas.message import Message
from transforms.persistence.seen_ids import KEY_BYTES, SeenIds, record_key

_FOLDER = ".groundwatch-ids"
_TIME_DIGITS = 12
_READERS = 16
_KEPT_LONGER_S = 3_600
"""So that no worker removes a list that another, with a slower clock, still reads."""


class PublishedIds:
    """Read which records other workers have published, and list those of this one.

    Each final file has a list of the keys of its records. A list counts once its file is there, so
    a worker that dies between the two hides no record. Records are compared for `window_s` seconds.
    """

    def __init__(
        self, config: Config, journal: str, window_s: float, now_s: Callable[[], float] = time.time
    ) -> None:
        self._destination = config.destination
        self._journal = journal
        # A connection of its own: files are published on another thread.
        self._seen = SeenIds(str(config.seen_ids))
        self.close = self._seen.close
        self._window_s = window_s
        self._now_s = now_s
        self._imported: set[str] = set()

    def import_new(self, owner: int) -> None:
        """Read other workers' new lists, as of the batch `owner`, and remove old lists."""
        root = self._destination.path(_FOLDER)
        names = [path.rpartition("/")[2] for path in storage.find_below(root)]
        old = (name for name in names if self._age_s(name) > self._window_s + _KEPT_LONGER_S)
        storage.remove([f"{root}/{name}" for name in old])
        self._imported &= set(names)
        others = (name for name in names if name.split("-")[1:2] != [self._journal])
        unread = (name for name in others if name not in self._imported)
        new = [name for name in unread if self._age_s(name) <= self._window_s]
        with ThreadPoolExecutor(_READERS) as readers:
            for name, keys in zip(new, readers.map(self._read, new), strict=True):
                if keys is not None:
                    self._seen.import_keys(keys, owner)
                    self._imported.add(name)

    def among(self, keys: bytes) -> set[bytes]:
        """Return those of these keys, 16 bytes each, that another worker has published."""
        return self._seen.find_imported(split_keys(keys))

    def announce(self, path: str, keys: Iterable[bytes]) -> None:
        """List the keys of a file, by its path below the output, before it is published."""
        file = hashlib.sha256(path.encode()).hexdigest()[:16]
        name = f"{int(self._now_s()):0{_TIME_DIGITS}d}-{self._journal}-{file}.ids"
        content = path.encode() + b"\n" + b"".join(keys)
        own = self._destination.path(f"{_FOLDER}/{name}")
        storage.write_whole(own, content, self._destination.temporary_path(name))

    def _read(self, name: str) -> list[bytes] | None:
        """Read a list, None if its file is not there: its worker died, or is at work."""
        content = storage.read_whole(self._destination.path(f"{_FOLDER}/{name}"))
        path, _, keys = content.partition(b"\n")
        is_there = storage.exists(self._destination.path(path.decode()))
        return list(split_keys(keys)) if is_there else None

    def _age_s(self, name: str) -> float:
        digits = name[:_TIME_DIGITS]
        return self._now_s() - int(digits) if digits.isdigit() else 0.0


def split_keys(keys: bytes) -> Iterator[bytes]:
    """Split concatenated keys."""
    return (keys[start : start + KEY_BYTES] for start in range(0, len(keys), KEY_BYTES))


def failure_key(failure: Failure) -> bytes:
    """Return the key by which the failures of an answer, or of a message, are compared."""
    return record_key(failure.record_id or unreadable_id(failure.message))


def unreadable_id(message: Message) -> str:
    """Identify a message without an answer by its place, in the form of a record id."""
    return hashlib.sha256(f"message {message.answer_place}".encode()).hexdigest()
