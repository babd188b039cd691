"""Share one resource among the threads of a process, and close it when the last one is done."""

import threading
from collections.abc import Callable, Hashable
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
        self._lock = threading.Lock()
        self._resources: dict[Hashable, Resource] = {}
        self._users: dict[Hashable, int] = {}

    def acquire(self, key: Hashable, open_resource: Callable[[], Resource]) -> Resource:
        """Return the key's resource; open it for the first user.

        Raises:
          Exception: what `open_resource` raises; the key then has no resource.
        """
        with self._lock:
            if key not in self._resources:
                self._resources[key] = open_resource()
                self._users[key] = 0
            self._users[key] += 1
            return self._resources[key]

    def release(self, key: Hashable) -> None:
        """End one use; the last one closes the resource."""
        with self._lock:
            self._users[key] -= 1
            if self._users[key]:
                return
            del self._users[key]
            resource = self._resources.pop(key)
        resource.close()
