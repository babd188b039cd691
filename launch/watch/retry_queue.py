"""Keep messages that are processed again: after a failed batch, or after a long check."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from groundwatch.pipeline.sinks.outcomes import DeferredAnswer
from groundwatch.schemas.message import Message
from groundwatch.transforms.runtime.retry_schedule import RetrySchedule

_SCHEDULE = RetrySchedule(first_s=1.0, longest_s=30.0)


class DeferredMessage(NamedTuple):
    """A message, as it was delivered, and those of its answers that are being checked."""

    message: Message
    answers: Sequence[DeferredAnswer]


class RetryQueue:
    """Keep messages whose batch failed, for a growing time, or whose checks go on."""

    def __init__(self, has_ended: Callable[[str], bool]) -> None:
        self._has_ended = has_ended
        # By place.
        self._failed: dict[str, tuple[float, Message]] = {}
        self._deferred: dict[str, DeferredMessage] = {}
        self._failures = 0

    def __len__(self) -> int:
        return len(self._failed) + len(self._deferred)

    def add_failed(self, messages: Sequence[Message]) -> None:
        self._failures += 1
        due_at_s = time.monotonic() + _SCHEDULE.wait_s(self._failures)
        self._failed |= {message.place: (due_at_s, message) for message in messages}

    def reset(self) -> None:
        """Let the next messages wait for the shortest time: a batch has succeeded."""
        self._failures = 0

    def take_due(self, max_messages: int) -> list[Message]:
        """Take messages of failed batches whose time has come."""
        now_s = time.monotonic()
        due = (message for due_at_s, message in self._failed.values() if due_at_s <= now_s)
        taken = list(islice(due, max(0, max_messages)))
        for message in taken:
            del self._failed[message.place]
        return taken

    def add_deferred(self, messages: Iterable[Message], answers: Iterable[DeferredAnswer]) -> None:
        """Keep those of these messages that have deferred answers."""
        by_place: dict[str, list[DeferredAnswer]] = defaultdict(list)
        for answer in answers:
            by_place[answer.place].append(answer)
        self._deferred |= {
            message.place: DeferredMessage(message, by_place[message.place])
            for message in messages
            if message.place in by_place
        }

    def take_checked(self, max_messages: int) -> list[DeferredMessage]:
        """Take messages whose checks have all ended, successful or not."""
        ended = (
            deferred
            for deferred in self._deferred.values()
            if all(self._has_ended(answer.record_id) for answer in deferred.answers)
        )
        taken = list(islice(ended, max_messages))
        for deferred in taken:
            del self._deferred[deferred.message.place]
        return taken
