"""Process the batches of a plan, on the threads of one process."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from multiprocessing.synchronize import Event as ProcessEvent
from operator import attrgetter

from msgspec.structs import replace

from groundwatch.launch.engine.batches import Batches, Work
from groundwatch.launch.engine.plan import Plan
from groundwatch.pipeline.sinks.outcomes import Outcome, finished_beside
from groundwatch.pipeline.sources.read_batch import MessageRange
from groundwatch.pipeline.sources.splits import RecordRange, Segment, SegmentReader
from groundwatch.schemas.message import Message
from groundwatch.transforms.parse_answers import TooManyAnswers

AnyEvent = threading.Event | ProcessEvent
_Places = defaultdict[str, list[tuple[RecordRange, int]]]
"""Where in its files each message of a batch was read, by the message's place."""


class Stopped(Exception):
    """A batch was stopped because another one failed."""


class ArchiveSource:
    """Process planned batches in turn; while one waits for its last calls, the next one begins.

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
        self.errors: list[BaseException] = []

    def process_next(self, batches: Callable[[], Batches]) -> bool:
        """Wait until the batch before is read, and process the next one; return False for none.

        A batch with too many answers waits again, in halves; any other error is raised.
        """
        claimed = self._claim()
        if claimed is None:
            return False
        segment, is_retry = claimed
        places: _Places = defaultdict(list)
        ranges = self._ranges_of(segment, places)
        finished = segment.finished_answers
        try:
            outcome, _ = batches().run(
                Work(segment.number, ranges, is_retry, finished_answers=finished),
                read=self._reading.release,
                advance=partial(self._advance, segment, places),
            )
        except TooManyAnswers:
            self._plan.halve(segment, self._attempt)
            # Its reading was not ended.
            self._reading.release()
        else:
            if outcome.deferred:
                # The budget is used up.
                self._stop.set()
        return True

    def end(self, error: BaseException) -> None:
        """Take no further batch; whoever waits to read one learns of it."""
        self.errors.append(error)
        self._reading.release()

    def _claim(self) -> tuple[Segment, bool] | None:
        self._reading.acquire()
        claimed = None if self._stop.is_set() or self.errors else self._plan.claim(self._attempt)
        if claimed is None:
            self._reading.release()
        return claimed

    def _advance(self, segment: Segment, places: _Places, outcome: Outcome) -> None:
        """Record that a batch is done, but for its messages with deferred answers."""
        finished = finished_beside(outcome.deferred)
        deferred = [
            replace(source, first=number, count=1)
            for place in finished
            for source, number in places[place]
        ]
        # In the order of their files.
        deferred.sort(key=attrgetter("path", "first"))
        self._plan.advance(segment.number, self._attempt, deferred, finished.total())

    def _ranges_of(self, segment: Segment, places: _Places) -> Iterator[MessageRange]:
        read = self._reader.messages_of(segment)
        for each, messages in zip(segment.ranges, read, strict=True):
            yield messages._replace(messages=self._noting(places, each, messages.messages))

    def _noting(
        self, places: _Places, source: RecordRange, messages: Iterable[Message]
    ) -> Iterator[Message]:
        """Pass messages of a record range until a batch fails, and note where each was read."""
        for number, message in enumerate(messages, source.first):
            if self.errors:
                raise Stopped
            places[message.place].append((source, number))
            yield message
