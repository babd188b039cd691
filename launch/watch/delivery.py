"""Deliver the outbox rows of one target on a thread: a slow target delays nothing else."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Generic

from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.outbox_rows import Delivered, OutboxRow
from groundwatch.launch.targets import target as targets
from groundwatch.schemas import Record
from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.transforms.persistence.database import DamagedDatabase
from groundwatch.transforms.runtime.retry_schedule import RetrySchedule

_POLL_S = 0.5
_TRIM_EVERY_S = 15.0
_SCHEDULE = RetrySchedule(first_s=1.0, longest_s=60.0)
_log = logging.getLogger(__name__)


class OutboxLimits(Record, frozen=True, kw_only=True):
    """How much may wait for a target that is away; the oldest rows beyond it are dropped."""

    max_rows: int = 100_000
    max_bytes: int = 256 * MEGABYTE


class Delivery(Generic[OutboxRow]):
    """Deliver rows to a target, at least once, with exponential backoff while it is away.

    The rows are those of the outbox's kind of the target's name. What the target refuses, or why it
    is away, is the `problem` until it takes rows again. Without `limits` no row is ever dropped.
    """

    def __init__(
        self,
        journal: Journal,
        row_type: type[OutboxRow],
        target: targets.Target[OutboxRow],
        limits: OutboxLimits | None = OutboxLimits(),  # noqa: B008 - it is frozen
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.kind = target.name
        self._journal = journal
        self._row_type = row_type
        self._target = target
        self._limits = limits
        self._clock = clock
        self._failures = 0
        self._oldest: int | None = None
        self._oldest_since_s = clock()
        self.problem: str | None = None
        self._delivered: tuple[list[int], Delivered] | None = None
        self._not_before_s = self._paused_to_s = self._trim_at_s = clock()
        self._ending = threading.Event()
        # A daemon: a target that hangs must not keep the process.
        self._thread = threading.Thread(target=self._run, name=f"deliver-{self.kind}", daemon=True)

    @property
    def waiting_for_s(self) -> float:
        """Return how long the oldest row has waited since this process first saw it; 0 for none."""
        return 0.0 if self._oldest is None else self._clock() - self._oldest_since_s

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Let the thread deliver what the target still takes, and end."""
        self._ending.set()

    def join(self, within_s: float) -> None:
        """Wait for the end; rows that are left wait in the journal."""
        self._thread.join(max(0.0, within_s))

    def close(self) -> None:
        """Disconnect a target that is not delivered to on a thread."""
        self._target.close()

    def step(self, journal: Journal, *, at_once: bool = False) -> None:
        """Deliver all rows that are due, and drop those beyond the limits.

        What fails is the `problem`, and is tried again later, if not `at_once`. Only a damaged
        database is raised.
        """
        if at_once:
            self._not_before_s = self._clock()
        try:
            self._trim(journal)
            while self._is_due() and self._deliver_some(journal):
                pass
        except targets.TargetUnavailable as error:
            self._put_off(str(error), error.retry_after_s or _SCHEDULE.wait_s(self._failures + 1))
        except targets.TargetMisconfigured as error:
            self._put_off(str(error), _SCHEDULE.longest_s)
        except OSError as error:
            self._put_off(str(error), _SCHEDULE.wait_s(self._failures + 1))
            if isinstance(error, DamagedDatabase):
                raise
        except Exception as error:  # noqa: BLE001 - a defect must not end the deliveries
            # The error's own words could contain text of an answer.
            self._put_off(f"a bug of groundwatch: {type(error).__name__}", _SCHEDULE.longest_s)

    def _run(self) -> None:
        with (
            suppress(DamagedDatabase),
            closing(self._journal.reopen()) as journal,
            closing(self._target),
        ):
            while not self._ending.wait(_POLL_S):
                self.step(journal)
            self.step(journal, at_once=True)

    def _is_due(self) -> bool:
        """Return whether rows may be sent; at the end no target's pause is waited for."""
        now_s = self._clock()
        return now_s >= self._not_before_s and (self._ending.is_set() or now_s >= self._paused_to_s)

    def _deliver_some(self, journal: Journal) -> bool:
        self._delete_delivered(journal)
        rows = journal.outbox.rows(self._row_type, self._target.max_rows, kind=self.kind)
        oldest = rows[0][0] if rows else None
        if oldest != self._oldest:
            self._oldest, self._oldest_since_s = oldest, self._clock()
        if not rows:
            return False
        rows.sort(key=lambda each: self._target.group_of(each[1]))
        ids = [identity for identity, _ in rows]
        try:
            self._delivered = ids, targets.deliver(self._target, [row for _, row in rows])
        except targets.TargetFailed as error:
            if error.stored:
                self._delivered = ids[: error.stored], error.delivered
                self._delete_delivered(journal)
            raise
        self._delete_delivered(journal)
        if self.problem:
            _log.warning("%s: rows are delivered again", self.kind)
        self._failures, self.problem, self._oldest = 0, None, None
        self._paused_to_s = self._clock() + self._target.pause_s
        return True

    def _delete_delivered(self, journal: Journal) -> None:
        """Delete what is delivered; rows that a full disk keeps are not sent again for that."""
        if self._delivered:
            journal.outbox.record_delivered(self.kind, *self._delivered)
            self._delivered = None

    def _put_off(self, problem: str, wait_s: float) -> None:
        if problem != self.problem:
            _log.error("%s; its rows are kept, and sent again", problem)
        self._failures, self.problem = self._failures + 1, problem
        self._not_before_s = self._clock() + wait_s

    def _trim(self, journal: Journal) -> None:
        limits = self._limits
        if limits and self._clock() >= self._trim_at_s:
            self._trim_at_s = self._clock() + _TRIM_EVERY_S
            dropped = journal.outbox.trim(self.kind, limits.max_rows, limits.max_bytes)
            if dropped:
                _log.error(
                    "%d of the oldest rows for %s are dropped: at most %d rows and %d MB wait; the"
                    " output folder has them",
                    dropped,
                    self.kind,
                    limits.max_rows,
                    limits.max_bytes // MEGABYTE,
                )
