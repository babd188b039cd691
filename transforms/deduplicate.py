"""Deduplicate: let each record id pass once."""

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.pvalue import PCollection
from apache_beam.utils.shared import Shared

from schemas.answer import Answer
from transforms import counters


class Deduplicate(beam.PTransform):
    """Drop and count answers whose record id has been seen in this run.

    Input: PCollection[Answer], bounded.
    Output: PCollection[Answer], the first of each record id as they come.
    Failures: none.
    Delivery: on many workers the answers are grouped by record id, which holds them all in the
      runner's shuffle. In one process a set of ids does, and memory grows by some 100 bytes an
      answer instead.

    Args:
      in_one_process: whether the run has a single process, which reads every message once.
    """

    def __init__(self, *, in_one_process: bool) -> None:
        super().__init__()
        self.in_one_process = in_one_process

    def expand(self, answers: PCollection[Answer]) -> PCollection[Answer]:
        """Apply the step."""
        if self.in_one_process:
            return answers | "DropSeen" >> beam.ParDo(_DropSeen())
        # (record_id, Answer)
        keyed = answers | "ByRecordId" >> beam.WithKeys(_record_id)
        # (record_id, Iterable[Answer])
        grouped = keyed | "GroupByRecordId" >> beam.GroupByKey()
        return grouped | "KeepFirst" >> beam.FlatMapTuple(_keep_first)


class _SeenIds(set[bytes]):
    """Record ids, 32 bytes each; a class of its own since Beam shares by weak reference."""


class _DropSeen(beam.DoFn):
    """Keeps the ids of one run: FnApiRunner reads each message once and retries no bundle."""

    def __init__(self) -> None:
        self._shared = Shared()

    def setup(self) -> None:
        self._seen = self._shared.acquire(_SeenIds)

    def process(self, answer: Answer) -> Iterator[Answer]:
        key = bytes.fromhex(answer.record_id)
        if key in self._seen:
            counters.DUPLICATES_SEEN.inc()
            return
        self._seen.add(key)
        yield answer


def _record_id(answer: Answer) -> str:
    return answer.record_id


def _keep_first(_: str, answers: Iterable[Answer]) -> Iterator[Answer]:
    """Keep the one that stands first in its archive, so that a rerun keeps the same."""
    first, *others = sorted(answers, key=_place)
    counters.DUPLICATES_SEEN.inc(len(others))
    yield first


def _place(answer: Answer) -> tuple[str, int, str]:
    """Order by file, and in a file by number: record 9 before record 10."""
    path, _, number = answer.message.place.rpartition("#")
    return path, len(number), number
