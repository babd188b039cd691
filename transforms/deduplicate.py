"""Deduplicate: let each record id pass once."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import apache_beam as beam
from apache_beam.pvalue import PCollection

from schemas.answer import Answer
from transforms import counters
from transforms.drop_repeated import DropRepeated
from transforms.seen_ids import SEEN_FOR_S, SeenIds
from transforms.shared import SharedResources


class Deduplicate(beam.PTransform):
    """Drop and count answers whose record id has been seen in this run.

    Input: PCollection[Answer], bounded or not.
    Output: PCollection[Answer], the first of each record id as they come.
    Failures: an OSError, where ids cannot be kept, fails the bundle.
    Delivery: on one machine the ids are kept in a file, which processes share. On many machines
      the answers are grouped by record id, which holds them all in the runner's shuffle; of a
      stream each id is remembered for a while, so that it may pass again after that.

    Args:
      seen_ids: a local file for the ids; None where the work is done on many machines.
      seen_for_s: seconds for which an id is remembered in a stream.
    """

    def __init__(self, seen_ids: str | None, seen_for_s: int = SEEN_FOR_S) -> None:
        super().__init__()
        self.seen_ids = seen_ids
        self.seen_for_s = seen_for_s

    def expand(self, answers: PCollection[Answer]) -> PCollection[Answer]:
        """Apply the step."""
        if self.seen_ids is not None:
            return answers | "DropSeen" >> beam.ParDo(_DropSeen(self.seen_ids))
        # (record_id, Answer)
        keyed = answers | "ByRecordId" >> beam.Map(_with_record_id)
        if not answers.is_bounded:
            return keyed | "DropRepeated" >> beam.ParDo(DropRepeated(self.seen_for_s))
        # (record_id, Iterable[Answer])
        grouped = keyed | "GroupByRecordId" >> beam.GroupByKey()
        return grouped | "KeepFirst" >> beam.FlatMapTuple(_keep_first)


_SEEN_IDS: SharedResources[SeenIds] = SharedResources()


@contextmanager
def seen_ids_open(path: str) -> Iterator[SeenIds]:
    """Hold the file of a run's ids open, as the steps of this process use it.

    Raises:
      OSError: it cannot be opened.
    """
    seen = _SEEN_IDS.acquire(path, lambda: SeenIds(path))
    try:
        yield seen
    finally:
        _SEEN_IDS.release(path)


class _DropSeen(beam.DoFn):
    def __init__(self, path: str) -> None:
        self._path = path

    def setup(self) -> None:
        self._opened = seen_ids_open(self._path)
        self._seen = self._opened.__enter__()

    def process(self, answer: Answer) -> Iterator[Answer]:
        if self._seen.claim(answer.record_id):
            yield answer
        else:
            counters.DUPLICATES_SEEN.inc()

    def finish_bundle(self) -> None:
        self._seen.settle()

    def teardown(self) -> None:
        self._opened.__exit__(None, None, None)


def _with_record_id(answer: Answer) -> tuple[str, Answer]:
    return answer.record_id, answer


def _keep_first(_: str, answers: Iterable[Answer]) -> Iterator[Answer]:
    """Keep the one that stands first in its archive, so that a rerun keeps the same."""
    first, *others = sorted(answers, key=_place)
    counters.DUPLICATES_SEEN.inc(len(others))
    yield first


def _place(answer: Answer) -> tuple[str, int, str, int]:
    """Order by file, in a file by number (record 9 before record 10), and in a message by index."""
    path, _, number = answer.message.place.rpartition("#")
    return path, len(number), number, answer.message.element or 0
