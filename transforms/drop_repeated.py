"""Dropping what comes again in a stream that has no end."""

import time
from collections.abc import Iterator

import apache_beam as beam
from apache_beam.coders import BooleanCoder
from apache_beam.transforms.timeutil import TimeDomain
from apache_beam.transforms.userstate import (
    ReadModifyWriteRuntimeState,
    ReadModifyWriteStateSpec,
    RuntimeTimer,
    TimerSpec,
    on_timer,
)
from apache_beam.utils.timestamp import Timestamp

from schemas.answer import Answer
from transforms import counters

_SEEN = beam.DoFn.StateParam(ReadModifyWriteStateSpec("seen", BooleanCoder()))
# Of event time: one of processing time holds the watermark at its element's timestamp until it
# fires, and with it the windows of all files (apache_beam bundle_processor.py, TimerInfo.set).
_FORGET = TimerSpec("forget", TimeDomain.WATERMARK)
_FORGET_TIMER = beam.DoFn.TimerParam(_FORGET)


class DropRepeated(beam.DoFn):
    """Lets the first answer of each record id pass; forgets the id after a while.

    Beam's DeduplicatePerKey does not count what it drops.

    Args:
      seen_for_s: seconds, of the watermark's time.
    """

    def __init__(self, seen_for_s: int) -> None:
        self._seen_for_s = seen_for_s

    def process(
        self,
        keyed: tuple[str, Answer],
        timestamp: Timestamp = beam.DoFn.TimestampParam,
        seen: ReadModifyWriteRuntimeState = _SEEN,
        forget: RuntimeTimer = _FORGET_TIMER,
    ) -> Iterator[Answer]:
        """Let an answer pass, or count it."""
        if seen.read():
            counters.DUPLICATES_SEEN.inc()
            return
        seen.write(True)
        # An answer that comes late is remembered as long as any other.
        forget.set(max(timestamp, Timestamp(time.time())) + self._seen_for_s)
        yield keyed[1]

    @on_timer(_FORGET)
    def forget(self, seen: ReadModifyWriteRuntimeState = _SEEN) -> Iterator[Answer]:
        """Forget an id."""
        seen.clear()
        return iter(())
