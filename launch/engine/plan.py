"""Plan a bounded run: its batches of record ranges, each claimed by one process at a time."""

from collections.abc import Collection, Iterable, Sequence

import msgspec
from msgspec.structs import replace

from groundwatch.pipeline.errors import RunFailed
from groundwatch.pipeline.sources.splits import RecordRange, Segment, halve
from groundwatch.schemas.planned_run import Budget, PlannedRun
from groundwatch.transforms.persistence.seen_ids import RELEASE_IDS
from . import statements
from .engine_database import EngineDatabase

_TAKEN_OVER = "another process has taken over this run: this one ends"
_PLAN = "plan"
_RANGES = msgspec.json.Decoder(tuple[RecordRange, ...])


class Plan:
    """The batches of a run in its database. Every method may raise OSError."""

    def __init__(self, database: EngineDatabase) -> None:
        self._database = database

    def planned(self) -> PlannedRun | None:
        """Return what the plan was made for, None if there is none."""
        return self._database.note(_PLAN, PlannedRun)

    def begin(self, planned: PlannedRun, batches: Iterable[Segment]) -> None:
        with self._database.transaction():
            for each in batches:
                self._add(each.messages, 0, each.ranges)
            self._database.keep_note(_PLAN, planned)

    def note_try(self, budget: Budget, in_files: dict[str, str]) -> None:
        """Note what is in force in another try of the run."""
        if planned := self.planned():
            self._database.keep_note(_PLAN, replace(planned, budget=budget, in_files=in_files))

    def resume(self) -> None:
        """Let batches that an interrupted process has claimed wait again."""
        with self._database.transaction():
            self._database.write(statements.RELEASE_IDS_OF_RUNNING_BATCHES)
            self._database.write(statements.RETURN_RUNNING_BATCHES)

    def claim(self, attempt: str) -> tuple[Segment, bool] | None:
        """Take the next batch that waits, and whether it was interrupted; None if there is none."""
        rows = self._database.write_returning(statements.CLAIM_BATCH, attempt)
        if not rows:
            return None
        [(number, messages, finished, encoded, tries)] = rows
        ranges = _RANGES.decode(encoded)
        segment = Segment(
            number=number, messages=messages, finished_answers=finished, ranges=ranges
        )
        return segment, tries > 1

    def advance(
        self, number: int, attempt: str, deferred: Sequence[RecordRange], finished_answers: int
    ) -> None:
        """End a batch, as part of the transaction that commits its outcome.

        The messages with deferred answers become a batch of their own, for the next attempt;
        `finished_answers` of theirs have ended.
        """
        if self._database.write(statements.FINISH_BATCH, number, attempt) != 1:
            raise RunFailed(_TAKEN_OVER)
        if deferred:
            messages = sum(each.count or 0 for each in deferred)
            self._add(messages, finished_answers, tuple(deferred))

    def halve(self, segment: Segment, attempt: str) -> None:
        """Let the halves of a batch that this attempt has claimed wait, each as one of its own."""
        first, second = halve(segment)
        values = first.messages, msgspec.json.encode(first.ranges), segment.number, attempt
        with self._database.transaction():
            if self._database.write(statements.SHRINK_BATCH, *values) != 1:
                raise RunFailed(_TAKEN_OVER)
            self._database.write(RELEASE_IDS, segment.number)
            self._add(second.messages, 0, second.ranges)

    def waiting(self) -> int:
        """Count the messages of batches that are not done."""
        [(messages,)] = self._database.read(statements.COUNT_UNFINISHED_MESSAGES)
        return int(messages)

    def waiting_ranges(self) -> list[RecordRange]:
        """List the record ranges of batches that are not done."""
        rows = self._database.read(statements.LIST_UNFINISHED_BATCHES)
        return [each for _, encoded in rows for each in _RANGES.decode(encoded)]

    def leave_out(self, paths: Collection[str]) -> int:
        """Take files out of the batches that are not done; return how many messages that were."""
        left_out = 0
        with self._database.transaction():
            for number, encoded in list(self._database.read(statements.LIST_UNFINISHED_BATCHES)):
                ranges = _RANGES.decode(encoded)
                kept = [each for each in ranges if each.path not in paths]
                if len(kept) < len(ranges):
                    messages = sum(each.messages for each in kept)
                    left_out += sum(each.messages for each in ranges) - messages
                    values = "waiting" if kept else "done", messages, msgspec.json.encode(kept)
                    self._database.write(statements.REPLACE_BATCH, *values, number)
        return left_out

    def is_done(self) -> bool:
        return not list(self._database.read(statements.FIND_UNFINISHED_BATCH))

    def _add(self, messages: int, finished: int, ranges: Sequence[RecordRange]) -> None:
        self._database.write(statements.PLAN_BATCH, messages, finished, msgspec.json.encode(ranges))
