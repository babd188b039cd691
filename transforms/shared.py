"""What the threads of a process share, as long as one of them needs it."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    """Something that holds connections or threads."""

    def close(self) -> None:
        """Let go of them."""


Resource = TypeVar("Resource", bound=Closable)


class SharedResources(Generic[Resource]):
    """One resource for each key, opened by its first user and closed by its last.

    Beam's `Shared` leaves the end to the garbage collector, and sockets open until then.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._resources: dict[Hashable, Resource] = {}
        self._users: dict[Hashable, int] = {}

    def acquire(self, key: Hashable, open_resource: Callable[[], Resource]) -> Resource:
        """Return the key's resource, opening it for the first user.

        Raises:
          Exception: what opening raises; there is no resource then.
        """
        with self._lock:
            if key not in self._resources:
                self._resources[key] = open_resource()
                self._users[key] = 0
            self._users[key] += 1
            return self._resources[key]

    def release(self, key: Hashable) -> None:
        """Take back one acquisition; the last one closes the resource."""
        with self._lock:
            self._users[key] -= 1
            is_last = not self._users[key]
            if is_last:
                del self._users[key]
                resource = self._resources.pop(key)
        if is_last:
            resource.close()
