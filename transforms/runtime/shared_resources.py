"""Share one resource among the threads of a process, and close it when the last one is done."""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    """An object with connections or threads to close."""

    def close(self) -> None:
        """Close them."""


Resource = TypeVar("Resource", bound=Closable)


class SharedResources(Generic[Resource]):
    """One resource for each key, opened by its first user and closed by its last.

    Beam's `Shared` leaves closing to the garbage collector, and sockets open until then.
    """

    def __init__(self) -> None:
        # The garbage collector may end a user while its thread opens a resource for another.
        self._lock = threading.RLock()
        self._resources: dict[Hashable, tuple[Resource, int]] = {}

    @contextmanager
    def using(self, key: Hashable, open_resource: Callable[[], Resource]) -> Iterator[Resource]:
        """Use the key's resource during a `with` block."""
        with self._lock:
            resource, users = self._resources.get(key) or (open_resource(), 0)
            self._resources[key] = resource, users + 1
        try:
            yield resource
        finally:
            with self._lock:
                _, users = self._resources.pop(key)
                if users > 1:
                    self._resources[key] = resource, users - 1
            if users == 1:
                resource.close()
