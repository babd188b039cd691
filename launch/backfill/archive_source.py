"""Take the batches of a plan, for the threads of one process."""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from multiprocessing.synchronize import Event as ProcessEvent
from operator import attrgetter

from msgspec.structs import replace

from groundwatch.launch.engine.batches import Work
from groundwatch.launch.engine.plan import Plan
from groundwatch.pipeline.sinks.outcomes import Outcome, finished_beside
from groundwatch.pipeline.sources.read_batch import MessageRange
from groundwatch.pipeline.sources.splits import RecordRange, Segment, SegmentReader
from groundwatch.schemas.message import Message
from groundwatch.schemas.summary import RunCounts
from groundwatch.transforms.parse_answers import TooManyAnswers

AnyEvent = threading.Event | ProcessEvent


class Stopped(Exception):
    """A batch was stopped because another one failed."""


class ArchiveSource:
    """Read one planned batch after the other; while one waits for its last calls, the next begins.

    Args:
      plan: the batches.
      attempt: a name of this attempt at the run, which all its processes share.
      stop: no batch begins after it is set.
    """

    def __init__(self, plan: Plan, attempt: str, stop: AnyEvent, *, are_failures: bool) -> None:
        self._plan = plan
        self._attempt = attempt
        self._stop = stop
        self._reader = SegmentReader(are_failures=are_failures)
        # Held by the batch that is read: a file is read by one thread from its begin to its end.
        self._reading = threading.Semaphore()
        self._segments: dict[int, tuple[Segment, _Places]] = {}
        self.errors: list[BaseException] = []

    def take(self) -> Work | None:
        """Wait until the batch before is read, and claim the next one."""
        self._reading.acquire()
        claimed = None if self._stop.is_set() or self.errors else self._plan.claim(self._attempt)
        if claimed is None:
            self._reading.release()
            return None
        segment, is_retry = claimed
        places = _Places()
        self._segments[segment.number] = segment, places
        ranges = self._ranges_of(segment, places)
        finished = segment.finished_answers
        return Work(segment.number, ranges, is_retry, finished_answers=finished)

    def read(self, work: Work) -> None:  # noqa: ARG002 - one batch is read at a time
        """Let the next batch begin."""
        self._reading.release()

    def advance(self, work: Work, outcome: Outcome) -> None:
        """Record that a batch is done, but for its messages with deferred answers."""
        _, places = self._segments[work.number]
        finished = finished_beside(outcome.deferred)
        ranges = places.ranges_of(finished)
        self._plan.advance(work.number, self._attempt, ranges, finished.total())

    def acknowledge(self, work: Work, outcome: Outcome, counts: RunCounts) -> None:  # noqa: ARG002
        """Begin no further batch if the budget is used up."""
        del self._segments[work.number]
        if outcome.deferred:
            self._stop.set()

    def fail(self, work: Work, error: Exception) -> None:
        """Process the messages in halves if they hold too many answers; else end the run."""
        if not isinstance(error, TooManyAnswers):
            raise error
        segment, _ = self._segments.pop(work.number)
        self._plan.halve(segment, self._attempt)
        # Its reading was not ended.
        self._reading.release()

    def end(self, error: BaseException) -> None:
        """Take no further batch; whoever waits to read one learns of it."""
        self.errors.append(error)
        self._reading.release()

    def _ranges_of(self, segment: Segment, places: "_Places") -> Iterator[MessageRange]:
        ranges = iter(segment.ranges)
        for each, messages in zip(ranges, self._reader.messages_of(segment), strict=True):
            noted = places.noting(each, self._until_error(messages.messages))
            yield messages._replace(messages=noted)

    def _until_error(self, messages: Iterable[Message]) -> Iterator[Message]:
        for message in messages:
            if self.errors:
                raise Stopped
            yield message


class _Places:
    """Where in its files each message of a batch was read."""

    def __init__(self) -> None:
        self._found: defaultdict[str, list[tuple[RecordRange, int]]] = defaultdict(list)

    def noting(self, source: RecordRange, messages: Iterable[Message]) -> Iterator[Message]:
        """Pass messages of a record range, and note where each was read."""
        for number, message in enumerate(messages, source.first):
            self._found[message.place].append((source, number))
            yield message

    def ranges_of(self, places: Iterable[str]) -> Sequence[RecordRange]:
        """Return the record ranges of messages, in the order of their files."""
        found = (
            replace(source, first=number, count=1)
            for place in places
            for source, number in self._found[place]
        )
        return sorted(found, key=attrgetter("path", "first"))
