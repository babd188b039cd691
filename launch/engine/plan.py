"""Plan a bounded run: its batches of record ranges, each claimed by one process at a time."""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.pipeline.errors import RunFailed
from groundwatch.pipeline.sources.splits import RecordRange, Segment, halve
from groundwatch.schemas.planned_run import Budget, PlannedRun

_CLAIM = """
UPDATE plan SET state = 'running', attempt = ?, tries = tries + 1
WHERE number = (SELECT min(number) FROM plan WHERE state = 'waiting')
RETURNING number, messages, ended, ranges, tries
"""
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
        """Write the plan of a new run."""
        with self._database.transaction():
            for each in batches:
                self._add(each.messages, 0, each.ranges)
            self._database.keep_note(_PLAN, planned)

    def keep_budget(self, budget: Budget) -> None:
        """Note the budget of another try of the run."""
        if planned := self.planned():
            self._database.keep_note(_PLAN, replace(planned, budget=budget))

    def resume(self) -> None:
        """Let batches that an interrupted process has claimed wait again."""
        running = "SELECT number FROM plan WHERE state = 'running'"
        with self._database.transaction():
            self._database.write(f"DELETE FROM seen WHERE owner IN ({running})")  # noqa: S608
            self._database.write("UPDATE plan SET state = 'waiting' WHERE state = 'running'")

    def claim(self, attempt: str) -> tuple[Segment, bool] | None:
        """Take the next batch that waits, and whether it was interrupted; None if there is none."""
        rows = self._database.write_returning(_CLAIM, attempt)
        if not rows:
            return None
        [(number, messages, ended, encoded, tries)] = rows
        ranges = _RANGES.decode(encoded)
        return Segment(number=number, messages=messages, ended=ended, ranges=ranges), tries > 1

    def advance(
        self, number: int, attempt: str, deferred: Sequence[RecordRange], ended: int
    ) -> None:
        """End a batch, as part of the transaction that commits its outcome.

        The messages with deferred answers become a batch of their own, for the next attempt;
        `ended` of their answers have ended.
        """
        query = "UPDATE plan SET state = 'done', ranges = '' WHERE number = ? AND attempt = ?"
        query += " AND state = 'running'"
        if self._database.write(query, number, attempt) != 1:
            raise RunFailed(_TAKEN_OVER)
        if deferred:
            messages = sum(each.count or 0 for each in deferred)
            self._add(messages, ended, tuple(deferred))

    def halve(self, segment: Segment, attempt: str) -> None:
        """Let the halves of a batch that this attempt has claimed wait, each as one of its own."""
        query = "UPDATE plan SET state = 'waiting', messages = ?, ranges = ?"
        query += " WHERE number = ? AND attempt = ? AND state = 'running'"
        first, second = halve(segment)
        with self._database.transaction():
            ranges = msgspec.json.encode(first.ranges)
            written = self._database.write(query, first.messages, ranges, segment.number, attempt)
            if written != 1:
                raise RunFailed(_TAKEN_OVER)
            self._database.write("DELETE FROM seen WHERE owner = ?", segment.number)
            self._add(second.messages, 0, second.ranges)

    def waiting(self) -> int:
        """Count the messages of batches that are not done."""
        query = "SELECT total(messages) FROM plan WHERE state != 'done'"
        return int(next(self._database.read(query))[0])

    def is_done(self) -> bool:
        query = "SELECT 1 FROM plan WHERE state != 'done' LIMIT 1"
        return next(self._database.read(query), None) is None

    def _add(self, messages: int, ended: int, ranges: Sequence[RecordRange]) -> None:
        query = "INSERT INTO plan (messages, ended, ranges, state) VALUES (?, ?, ?, 'waiting')"
        self._database.write(query, messages, ended, msgspec.json.encode(ranges))
