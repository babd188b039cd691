"""Store the rows that wait for a destination, each destination's under a kind of its own."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from operator import add
from typing import Any, TypeVar

import msgspec
from msgspec.structs import astuple

from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.transforms.persistence.database import Database
from . import statements

_MAX_BYTES = 32 * MEGABYTE  # a failure holds its message, of up to 10 MB
KINDS: Mapping[type, str] = {Alert: "alert", Failure: "failure"}
"""The kind of the rows that go to a topic in place of a file, by their type."""

OutboxRow = TypeVar("OutboxRow", bound=Record)


class Delivered(Record, frozen=True):
    """How many rows were sent, refused by the target, skipped, and dropped because it was away."""

    sent: int = 0
    refused: int = 0
    skipped: int = 0
    dropped: int = 0

    def __add__(self, other: "Delivered") -> "Delivered":
        return Delivered(*map(add, astuple(self), astuple(other)))


class OutboxRows:
    """Keep alerts and failures for their topics, and copies for further destinations.

    What a method has written survives a power failure. Every method may raise OSError. `policy`
    names how much text rows hold now; those of another one are passed through `restrict`.
    """

    def __init__(
        self,
        database: Database,
        topics: Collection[type] = (),
        policy: str = "",
        restrict: Callable[[Any], Any] = lambda row: row,
    ) -> None:
        self._policy = policy
        self._restrict = restrict
        self._database = database
        self.destinations: dict[type, list[tuple[str, Callable[[Any], bool]]]] = defaultdict(list)
        for row_type in topics:
            self.add_destination(KINDS[row_type], row_type)

    def add_destination(
        self,
        kind: str,
        row_type: type[OutboxRow],
        accepts: Callable[[OutboxRow], bool] = lambda _: True,
    ) -> None:
        """Also keep the rows of a type that `add` gets from now on, if accepted, under a kind."""
        self.destinations[row_type].append((kind, accepts))

    def add(self, rows: Iterable[Record]) -> None:
        """Add rows once for each destination of their type; for use in a transaction."""
        for row in rows:
            content = msgspec.json.encode(row)
            for kind, accepts in self.destinations[type(row)]:
                if accepts(row):
                    self._database.write(statements.ADD_ROW, kind, self._policy, content)

    def rows(
        self, row_type: type[OutboxRow], most: int, kind: str = ""
    ) -> list[tuple[int, OutboxRow]]:
        """List the oldest rows of a kind, by default of the type's own.

        Fewer, but at least one, of large ones.
        """
        decoder, size_bytes = msgspec.json.Decoder(row_type), 0
        rows: list[tuple[int, OutboxRow]] = []
        found = self._database.read(statements.LIST_ROWS, kind or KINDS[row_type], most)
        for identity, policy, content in found:
            size_bytes += len(content)
            if rows and size_bytes > _MAX_BYTES:
                break
            row = decoder.decode(content)
            # The settings in force when a row leaves decide how much text it has.
            rows.append((identity, row if policy == self._policy else self._restrict(row)))
        return rows

    def count(self, kind: str) -> int:
        [(count,)] = self._database.read(statements.COUNT_ROWS, kind)
        return int(count)

    def delete(self, ids: Iterable[int]) -> None:
        self._database.write(statements.DELETE_ROWS, msgspec.json.encode(list(ids)).decode())

    def record_delivered(self, kind: str, ids: Iterable[int], delivered: Delivered) -> None:
        """Delete the rows of a destination that are delivered, and count them."""
        with self._database.transaction():
            self.delete(ids)
            self._database.write(statements.ADD_DELIVERED, kind, *astuple(delivered))

    def trim(self, kind: str, max_rows: int, max_bytes: int) -> int:
        """Drop and count the oldest rows of a destination beyond the limits."""
        # Found before the transaction, which the batches wait for.
        newest = self._newest_beyond(kind, max_rows, max_bytes)
        if newest is None:
            return 0
        with self._database.transaction():
            dropped = self._database.write(statements.DELETE_OLDEST_ROWS, kind, newest)
            counts = astuple(Delivered(dropped=dropped))
            self._database.write(statements.ADD_DELIVERED, kind, *counts)
        return dropped

    def _newest_beyond(self, kind: str, max_rows: int, max_bytes: int) -> int | None:
        """Find the newest row that does not fit into the limits together with all later ones."""
        excess_rows, excess_bytes = self.count(kind) - max_rows, 0
        [(used_bytes,)] = self._database.read(statements.MEASURE_USED_BYTES)
        if used_bytes > max_bytes:  # else the sum, which reads each row, cannot be above
            [(size_bytes,)] = self._database.read(statements.SUM_ROW_SIZES, kind)
            excess_bytes = int(size_bytes) - max_bytes
        if excess_rows <= 0 and excess_bytes <= 0:
            return None
        for identity, size_bytes in self._database.read(statements.LIST_ROW_SIZES, kind):
            excess_rows, excess_bytes = excess_rows - 1, excess_bytes - size_bytes
            if excess_rows <= 0 and excess_bytes <= 0:
                return int(identity)
        return None

    def pending(self) -> dict[str, int]:
        """Count the rows that wait for each destination, and for the topics of `KINDS`."""
        return dict(self._database.read(statements.COUNT_ROWS_BY_KIND))

    def delivered(self) -> dict[str, Delivered]:
        """Return what has become of each destination's rows since the journal was created."""
        found = self._database.read(statements.LIST_DELIVERED)
        return {kind: Delivered(*counts) for kind, *counts in found}
