"""Deduplicate: pass each record id once."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from itertools import compress

import apache_beam as beam
from apache_beam.coders import BooleanCoder
from apache_beam.pvalue import PCollection
from apache_beam.transforms import userstate
from apache_beam.transforms.timeutil import TimeDomain
from apache_beam.transforms.window import GlobalWindow
from apache_beam.utils.timestamp import MIN_TIMESTAMP, Timestamp
from apache_beam.utils.windowed_value import WindowedValue

from groundwatch.schemas.answer import Answer
from .persistence.seen_ids import SeenIds
from .runtime import counters
from .runtime.shared_resources import SharedResources

KeepFirst = Callable[[PCollection[Answer]], PCollection[Answer]]
"""How the ids are remembered: `in_file`, `in_groups`, `in_groups_beside` or `in_state`."""


class Deduplicate(beam.PTransform):
    """Drop and count answers whose record id has been seen in this run.

    Input: PCollection[Answer], bounded or not.
    Output: PCollection[Answer], the first answer of each record id.
    Failures: an OSError, if the ids cannot be stored, fails the bundle.
    Delivery: as `keep_first` says.

    Args:
      keep_first: passes the first answer of each record id; by default `in_groups`.
    """

    def __init__(self, keep_first: KeepFirst | None = None) -> None:
        super().__init__()
        self.keep_first = keep_first or in_groups

    def expand(self, answers: PCollection[Answer]) -> PCollection[Answer]:
        return self.keep_first(answers)


def in_file(path: str) -> KeepFirst:
    """Remember the ids of a bounded collection in a file that this machine's processes share."""
    return lambda answers: answers | "DropSeen" >> beam.ParDo(_DropSeen(path))


def in_state(seen_for_s: int) -> KeepFirst:
    """Remember each id of a stream in the runner's state for a while; then it passes again."""
    drop = _DropRepeated(seen_for_s)
    return lambda answers: _with_ids(answers) | "DropRepeated" >> beam.ParDo(drop)


def in_groups(answers: PCollection[Answer]) -> PCollection[Answer]:
    """Group the answers of a bounded collection by record id, on any number of machines."""
    # (record_id, Iterable[Answer])
    grouped = _with_ids(answers) | "GroupByRecordId" >> beam.GroupByKey()
    return grouped | "KeepFirst" >> beam.FlatMapTuple(_keep_first)


def in_groups_beside(ended: Callable[[beam.Pipeline], PCollection[str]]) -> KeepFirst:
    """Group as `in_groups` does, and drop the answers of record ids that have ended before.

    `ended` reads these ids in the same pipeline.
    """

    def keep_first(answers: PCollection[Answer]) -> PCollection[Answer]:
        # (record_id, None)
        ids = ended(answers.pipeline) | "ByEndedId" >> beam.Map(_with_nothing)
        # (record_id, {"answers": [Answer], "ended": [None]})
        keyed = {"answers": _with_ids(answers), "ended": ids}
        grouped = keyed | "GroupByRecordId" >> beam.CoGroupByKey()
        return grouped | "KeepFirst" >> beam.FlatMapTuple(_keep_first_unended)

    return keep_first


def _with_ids(answers: PCollection[Answer]) -> PCollection[tuple[str, Answer]]:
    return answers | "ByRecordId" >> beam.Map(_with_record_id)


_ANSWERS_A_CLAIM = 100
_BYTES_A_CLAIM = 2_000_000
_SEEN_IDS: SharedResources[SeenIds] = SharedResources()


def seen_ids_open(path: str) -> AbstractContextManager[SeenIds]:
    """Open the file of a run's ids, shared with the steps of this process."""
    return _SEEN_IDS.using(path, partial(SeenIds, path))


class _DropSeen(beam.DoFn):
    """Claim the ids of many answers at a time: a transaction takes longer than a claim."""

    def __init__(self, path: str) -> None:
        self._path = path

    def setup(self) -> None:
        self._opened = seen_ids_open(self._path)
        self._seen = self._opened.__enter__()

    def start_bundle(self) -> None:
        self._answers: list[Answer] = []
        self._size_bytes = 0

    def process(self, answer: Answer) -> Iterator[Answer]:
        self._answers.append(answer)
        self._size_bytes += len(answer.message.payload)
        is_full = len(self._answers) >= _ANSWERS_A_CLAIM or self._size_bytes >= _BYTES_A_CLAIM
        return self._claim() if is_full else iter(())

    def finish_bundle(self) -> Iterator[WindowedValue]:
        for answer in self._claim():
            yield WindowedValue(answer, MIN_TIMESTAMP, (GlobalWindow(),))
        self._seen.finish_claims()

    def _claim(self) -> Iterator[Answer]:
        """Claim the ids of the answers taken so far; yield those that are new."""
        answers, self._answers, self._size_bytes = self._answers, [], 0
        are_new = self._seen.claim([answer.record_id for answer in answers])
        counters.DUPLICATES_SEEN.inc(are_new.count(False))
        return compress(answers, are_new)

    def teardown(self) -> None:
        self._opened.__exit__(None, None, None)


_SEEN = beam.DoFn.StateParam(userstate.ReadModifyWriteStateSpec("seen", BooleanCoder()))
# In event time: a timer in processing time holds the watermark at its element's timestamp until it
# fires, and so delays the windows of all files (apache_beam bundle_processor.py, TimerInfo.set).
_EXPIRE = userstate.TimerSpec("forget", TimeDomain.WATERMARK)
_EXPIRE_TIMER = beam.DoFn.TimerParam(_EXPIRE)


class _DropRepeated(beam.DoFn):
    """Pass the first answer of each record id. Beam's DeduplicatePerKey does not count drops."""

    def __init__(self, seen_for_s: int) -> None:
        self._seen_for_s = seen_for_s

    def process(
        self,
        keyed: tuple[str, Answer],
        timestamp: Timestamp = beam.DoFn.TimestampParam,
        seen: userstate.ReadModifyWriteRuntimeState = _SEEN,
        expire: userstate.RuntimeTimer = _EXPIRE_TIMER,
    ) -> Iterator[Answer]:
        if seen.read():
            counters.DUPLICATES_SEEN.inc()
            return
        seen.write(True)
        # The id of a late answer is kept as long as any other.
        expire.set(max(timestamp, Timestamp(time.time())) + self._seen_for_s)
        yield keyed[1]

    @userstate.on_timer(_EXPIRE)
    def expire(self, seen: userstate.ReadModifyWriteRuntimeState = _SEEN) -> Iterator[Answer]:
        seen.clear()
        return iter(())


def _with_record_id(answer: Answer) -> tuple[str, Answer]:
    return answer.record_id, answer


def _keep_first(_: str, answers: Iterable[Answer]) -> Iterator[Answer]:
    """Keep the answer that comes first in its archive, so that a rerun keeps the same."""
    first, *others = sorted(answers, key=_place)
    counters.DUPLICATES_SEEN.inc(len(others))
    yield first


def _with_nothing(record_id: str) -> tuple[str, None]:
    return record_id, None


def _keep_first_unended(record_id: str, found: dict[str, list[Answer]]) -> Iterator[Answer]:
    answers = found["answers"]
    if found["ended"]:
        counters.DUPLICATES_SEEN.inc(len(answers))
    elif answers:
        yield from _keep_first(record_id, answers)


def _place(answer: Answer) -> tuple[str, int, str, int]:
    """Order by file, then by record number (9 before 10), then by the index in the message."""
    path, _, number = answer.message.place.rpartition("#")
    return path, len(number), number, answer.message.element or 0
