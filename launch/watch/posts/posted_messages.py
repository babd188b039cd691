"""Keep messages that came by HTTP in the worker's database, and let the worker pull them."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from threading import Lock

import msgspec
from msgspec.structs import replace

from groundwatch.launch.engine import statements
from groundwatch.launch.engine.pubsub import outstanding
from groundwatch.schemas import Record
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.transforms.formats.carriers.otlp_json import concerns_model
from groundwatch.transforms.persistence.database import Database
from .otlp_requests import joined

_QUIET_S = 10.0
"""A trace without its root ends so long after its last part: exporters send every five seconds."""

_LONGEST_S = 60.0

LIMITS = outstanding.PullSettings(
    max_messages=20_000, max_bytes=64 * MEGABYTE, max_lease_s=float("inf")
)
"""How much may wait: it is in memory, too."""

_PLACE_DIGITS = 32
_MOST_IDS = 100_000


class PostedMessage(Record, frozen=True, kw_only=True):
    """A message that was posted, or a part of the trace that `trace` names.

    Attributes:
      place: the same each time the message is posted, if it has an id.
      is_complete: whether the trace ends with this part.
      is_of_model: whether a span of the part is of a model's call, or of what gives it facts.
    """

    payload: bytes
    place: str
    attributes: dict[str, str]
    trace: str = ""
    is_complete: bool = False
    is_of_model: bool = True


class _Trace:
    """The parts of a trace that have arrived, by their places, and all their numbers."""

    def __init__(self, now_s: float) -> None:
        self.parts: dict[str, PostedMessage] = {}
        self.numbers: list[int] = []
        self.first_s = self.last_s = now_s
        self.is_complete = False

    def is_due(self, now_s: float) -> bool:
        is_quiet = now_s - self.last_s >= _QUIET_S or now_s - self.first_s >= _LONGEST_S
        return self.is_complete or is_quiet


class TraceParts(dict[str, _Trace]):
    """Keep the parts of each trace until its root span has come, or none comes any more.

    The root ends last, so its exporter sends it last. One in another application never comes.
    """

    size_bytes = 0

    def add(self, number: int, part: PostedMessage, now_s: float) -> None:
        """Keep a part that comes now, under its number in the database."""
        trace = self.setdefault(part.trace, _Trace(now_s))
        trace.numbers.append(number)
        trace.last_s = now_s
        trace.is_complete = trace.is_complete or part.is_complete
        if part.place not in trace.parts:  # an exporter may send it again
            trace.parts[part.place] = part
            self.size_bytes += len(part.payload)

    def due(self, now_s: float) -> dict[str, tuple[Sequence[int], Sequence[PostedMessage]]]:
        """Return the numbers and the parts of each trace that is complete, or quiet for long."""
        return {
            name: (trace.numbers, [*trace.parts.values()])
            for name, trace in self.items()
            if trace.is_due(now_s)
        }

    def remove(self, traces: Iterable[str]) -> None:
        for name in traces:
            parts = self.pop(name).parts.values()
            self.size_bytes -= sum(len(part.payload) for part in parts)


class QueueFull(Exception):
    """As much waits as may."""


class PostedMessages:
    """A subscription of messages that are posted; `add` makes them durable.

    What was added is pulled once, and by the next worker again if its outcome was not durable. The
    parts of a trace become one message. One thread may add while another one pulls. Every method
    raises an OSError if the database cannot be used.
    """

    def __init__(
        self,
        path: str,
        limits: outstanding.PullSettings = LIMITS,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = Database(path, statements.CREATE_POSTED, durable=True)
        self._outstanding = outstanding.OutstandingMessages(limits, clock, wall_clock)
        self._limits, self._clock, self._lock = limits, clock, Lock()
        self._parts = TraceParts()
        for number, *row, attributes in list(self._database.read(statements.LIST_POSTED)):
            place, trace, payload = row
            given = msgspec.json.decode(attributes, type=dict[str, str])
            kept = PostedMessage(payload=payload, place=place, trace=trace, attributes=given)
            self._take(number, kept)

    def add(self, messages: Sequence[PostedMessage]) -> None:
        """Make messages durable, all or none, then let them be pulled; raise `QueueFull`."""
        waiting_bytes = self._outstanding.size_bytes + self._parts.size_bytes
        if not self._outstanding.has_room or waiting_bytes >= self._limits.max_bytes:
            raise QueueFull
        with self._lock:
            kept = [each for message in messages for each in self._kept(message)]
        with self._database.transaction():
            numbers = [self._write(each) for each in kept]
        for number, message in zip(numbers, kept, strict=True):
            self._take(number, message)

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> Sequence[Message]:
        self._join_due()
        return self._outstanding.pull(max_messages, max_bytes, wait_s)

    def acknowledge(self, places: Iterable[str]) -> None:
        """Delete messages whose outcome is durable; ignore those of another subscription."""
        self._outstanding.mark(places, outstanding.Settlement.ACK)
        if numbers := self._outstanding.unsent(outstanding.Settlement.ACK, _MOST_IDS):
            self._delete(map(int, numbers))
            self._outstanding.remove(numbers)

    def stats(self) -> outstanding.SubscriptionStats:
        """Count the messages; a trace that is not complete waits, too."""
        stats = self._outstanding.stats()
        return replace(stats, waiting=stats.waiting + len(self._parts))

    def close(self, within_s: float = 0.0) -> None:  # noqa: ARG002 - as any subscription
        """Keep what waits for the next worker."""
        self._outstanding.close()
        self._database.close()

    def _kept(self, message: PostedMessage) -> Iterator[PostedMessage]:
        """Yield what is kept of a message: a trace that is whole waits for no other part."""
        if not message.is_complete or message.trace in self._parts:
            yield message
        elif message.is_of_model:
            yield replace(message, trace="")

    def _take(self, number: int, message: PostedMessage) -> None:
        if message.trace:
            with self._lock:
                self._parts.add(number, message, self._clock())
            return
        taken = Message(payload=message.payload, place=message.place, attributes=message.attributes)
        self._outstanding.receive([(str(number), taken, taken.size)])

    def _join_due(self) -> None:
        """Keep one message in place of the parts of each trace that is due."""
        whole: list[tuple[int, PostedMessage]] = []
        with self._lock:
            if not (due := self._parts.due(self._clock())):
                return
            with self._database.transaction():
                for numbers, parts in due.values():
                    if message := _joined(parts):
                        whole.append((self._write(message), message))
                    self._delete(numbers)
            self._parts.remove(due)
        for number, message in whole:
            self._take(number, message)

    def _write(self, message: PostedMessage) -> int:
        attributes = msgspec.json.encode(message.attributes)
        row = message.place, message.trace, message.payload, attributes
        [(number,)] = self._database.write_returning(statements.ADD_POSTED, *row)
        return int(number)

    def _delete(self, numbers: Iterable[int]) -> None:
        self._database.write(statements.DELETE_POSTED, msgspec.json.encode([*numbers]))


def _joined(parts: Sequence[PostedMessage]) -> PostedMessage | None:
    batch = joined(msgspec.json.decode(part.payload) for part in parts)
    if not concerns_model(batch):
        return None
    digest = sha256(" ".join(part.place for part in parts).encode()).hexdigest()
    return replace(
        parts[0],
        payload=msgspec.json.encode(batch),
        place=f"post-{digest[:_PLACE_DIGITS]}",
        trace="",
    )
