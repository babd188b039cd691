"""Lock an output folder, on disk or in a bucket, against other processes and machines."""

import logging
import os
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from groundwatch.pipeline import storage
from groundwatch.pipeline.errors import LockFailed
from groundwatch.transforms.persistence.private_files import make_folder
from groundwatch.transforms.runtime.waiting import waiting_for
from . import buckets
from .local_files import NoLocks, open_locked

_BUCKET_POLL_S = 1.0  # Cloud Storage takes one write a second of one object
LOCK_WAIT_S = 90.0  # Long enough for the lease of a killed run on another machine to end
_RENEWALS_A_LEASE = 4
_MODE = 0o640
_log = logging.getLogger(__name__)


class Lock:
    """A lock that this process holds, unless `is_lost`."""

    is_lost = False

    def check(self) -> None:
        if self.is_lost:
            raise LockFailed("the lock of the output folder was not renewed in time; start again")


@contextmanager
def lock_output(
    path: str, wait_s: float, lease_s: float = 60.0, owner: str | None = None
) -> Iterator[Lock]:
    """Hold a lock while a `with` block lasts, or raise LockFailed after a wait for its holder.

    On disk the operating system holds the lock until the process ends. In a bucket the holder
    renews an object; another process takes over an object that did not change for a lease. A holder
    with the name of an `owner` may restart, and takes over its own lock at once. A disk without
    locks is a warning.
    """
    if storage.is_local(path):
        make_folder(Path(path).parent)
        flags = os.O_RDWR | os.O_CREAT
        open_path = partial(os.open, path, flags, _MODE)
        try:
            descriptor = open_locked(open_path, path, wait_s)
        except NoLocks as error:
            _log.warning("cannot lock %s: %s: start no other run that writes there", path, error)
            descriptor = open_path()
        if descriptor is None:
            raise LockFailed(f"another process holds {path}")
        try:
            yield Lock()
        finally:
            # Network file systems may keep an open file, which holds no lock when it is closed.
            with suppress(OSError):
                Path(path).unlink()
            os.close(descriptor)
    else:
        lease = _Lease(path, lease_s, owner or uuid.uuid4().hex)
        with waiting_for(f"another process, which holds {path}"):
            lease.acquire(time.monotonic() + wait_s)
        try:
            yield lease
        finally:
            lease.release()


class _Lease(Lock):
    """An object that its holder renews."""

    def __init__(self, path: str, lease_s: float, owner: str) -> None:
        self._path = path
        self._lease_s = lease_s
        self._content = owner.encode()
        self._generation = buckets.NO_OBJECT
        self._released = threading.Event()
        self._renewer = threading.Thread(target=self._renew, name="output-lock", daemon=True)

    def acquire(self, deadline_s: float) -> None:
        generation = buckets.NO_OBJECT
        while not self._write(generation):
            generation = self._wait_until_free(deadline_s)
        self._renewer.start()

    def release(self) -> None:
        self._released.set()
        self._renewer.join()
        if not self.is_lost:
            buckets.remove(self._path)

    def _wait_until_free(self, deadline_s: float) -> int:
        seen, since_s = buckets.generation(self._path), time.monotonic()
        while seen != buckets.NO_OBJECT and time.monotonic() - since_s < self._lease_s:
            if time.monotonic() > deadline_s:
                raise LockFailed(f"another process holds {self._path}")
            time.sleep(min(_BUCKET_POLL_S, self._lease_s))
            current = buckets.generation(self._path)
            if current != seen:
                seen, since_s = current, time.monotonic()
        return seen

    def _renew(self) -> None:
        renewed_s = time.monotonic()
        while not self._released.wait(self._lease_s / _RENEWALS_A_LEASE):
            try:
                self.is_lost = not self._write(self._generation)
                renewed_s = time.monotonic()
            except OSError:
                # The bucket may answer again before the lease ends.
                self.is_lost = time.monotonic() - renewed_s > self._lease_s
            if self.is_lost:
                return

    def _write(self, generation: int) -> bool:
        """Write the object if it has this generation, or is this owner's; return whether it was."""
        try:
            self._generation = buckets.replace(self._path, self._content, generation)
        except FileExistsError:
            # A reply was lost, or the owner restarted.
            current = buckets.generation(self._path)
            with suppress(FileNotFoundError):
                if storage.read_whole(self._path) == self._content:
                    self._generation = current
                    return True
            return False
        return True
