"""Commit the outcomes of batches in one transaction each, and keep their counts."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from msgspec.structs import asdict, astuple, replace

from groundwatch.pipeline.errors import RunFailed
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.folder_writer import Chunk, encode_chunks
from groundwatch.pipeline.sinks.outcomes import Outcome
from groundwatch.pipeline.sinks.row_formats import RowFormat, restrict_row, row_formats
from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import HOUR_US
from groundwatch.schemas.summary import RunCounts, total_counts
from groundwatch.transforms.persistence.seen_ids import record_key
from groundwatch.transforms.rules.rate_counts import RateCounts, add_counts
from groundwatch.transforms.runtime import clock
from . import statements
from .engine_database import EngineDatabase
from .outbox_rows import KINDS, Delivered, OutboxRows

FOLDERS = {KINDS[Alert]: "alerts", KINDS[Failure]: "failures"}
"""The folder that has the rows of a kind without a topic."""

MAX_ENGINES = 1_000
OTHER_ENGINES = "(other engines)"  # counts the rates of all further engines
_MOVED_AT_ONCE = 1_000
_LAST_NUMBER, _TOTALS, _ALERTS = "last_number", "totals", "alerts"
FILE_AGE = "file_age_s"
"""The note after how many seconds a worker publishes a row."""


class LedgerHour(Record, frozen=True, kw_only=True):
    """Where the messages that were read in one hour of the worker's clock ended."""

    hour_us: int
    first_batch: int
    read: int = 0
    enriched: int = 0
    failures: int = 0
    duplicates: int = 0
    sampled_out: int = 0

    @property
    def gap(self) -> int:
        """How many messages ended nowhere; negative when some ended twice."""
        ended = self.enriched + self.failures + self.duplicates + self.sampled_out
        return self.read - ended

    def __add__(self, other: "LedgerHour") -> "LedgerHour":
        sums = {name: value + getattr(other, name) for name, value in asdict(self).items()}
        first_batch = min(self.first_batch, other.first_batch)
        return LedgerHour(**sums | {"hour_us": self.hour_us, "first_batch": first_batch})


def hour_of_batch(number: int, outcome: Outcome, counts: RunCounts, now_us: int) -> LedgerHour:
    """Count one batch in the hour in which it ends."""
    return LedgerHour(
        hour_us=now_us // HOUR_US * HOUR_US,
        first_batch=number,
        read=counts.read,
        enriched=outcome.enriched,
        failures=len(outcome.failures),
        duplicates=counts.duplicates,
        sampled_out=counts.sampled_out,
    )


class Unaccounted(RunFailed):
    """Messages ended nowhere, or twice."""


class WaitingRows(NamedTuple):
    """Rows of a kind that are in no final file yet, their batches, and the first one's time."""

    rows: int
    batches: int
    oldest_committed_at_us: int


class Journal:
    """Commit outcomes to a database; every method may raise OSError.

    Args:
      database: the run's or worker's.
      config: says how the rows that go to files are encoded.
      topics: types of rows, alerts or failures, that are published to a topic, not to files.
    """

    def __init__(
        self, database: EngineDatabase, config: Config, topics: Collection[type] = ()
    ) -> None:
        self.database = database
        self.formats = formats = row_formats(config)
        policy = "/".join(row_format.policy for row_format in formats)
        self.outbox = OutboxRows(database, topics, policy, partial(restrict_row, formats=formats))
        self._config = config
        self._topics = topics
        self._engines = {_engine(key) for (key,) in database.read(statements.LIST_ENGINES)}

    def reopen(self) -> "Journal":
        """Open the database on another connection, for another thread."""
        database = EngineDatabase(self.database.folder)
        journal = Journal(database, self._config, self._topics)
        journal.outbox.destinations = self.outbox.destinations
        return journal

    def close(self) -> None:
        self.database.close()

    def next_number(self) -> int:
        """Return the number of the next batch of a subscription."""
        return (self.database.note(_LAST_NUMBER, int) or 0) + 1

    def commit(
        self,
        number: int,
        outcome: Outcome,
        counts: RunCounts,
        *,
        messages: Sequence[Message] = (),
        advance: Callable[[], None] = lambda: None,
    ) -> None:
        """Make a batch's outcome durable, all of it or nothing; `advance` is part of it.

        Raises:
          Unaccounted: the counts do not add up; nothing is committed.
        """
        now_us = clock.now_us()
        counts = replace(
            counts,
            failures_by_error=dict(Counter(each.error_class for each in outcome.failures)),
            retryable_failures=sum(each.retryable for each in outcome.failures),
        )
        hour = hour_of_batch(number, outcome, counts, now_us)
        if hour.gap:
            ended = f"{hour.gap} of {hour.read} messages ended nowhere"
            raise Unaccounted(f"the counts do not add up: {ended}")
        arrived_us = [m.arrived_us for m in messages if m.arrived_us is not None]
        with self.database.transaction():
            advance()
            self.database.keep_note(_LAST_NUMBER, max(number, self.next_number() - 1))
            for answer in outcome.deferred:
                self.database.write(statements.RELEASE_ID, record_key(answer.record_id))
            if counts.read:
                row = number, now_us, max(arrived_us, default=0)
                self.database.write(statements.PUT_BATCH, *row)
                self._count(hour, counts)
            self._add_chunks(outcome.chunks, now_us)
            for engine, rates in outcome.rates:
                self._add_rate(engine, rates)
            self._raise(outcome.alerts, now_us)
            self._add_rows(self.formats.failures, Failure, outcome.failures, now_us)
            self.outbox.add(outcome.results)
            self.outbox.add(outcome.messages)

    def raise_alerts(
        self, alerts: Sequence[Alert], notes: Mapping[str, object] | None = None
    ) -> None:
        """Commit alerts, and replace notes by name, in one transaction."""
        with self.database.transaction():
            for name, content in (notes or {}).items():
                self.database.keep_note(name, content)
            self._raise(alerts, clock.now_us())

    def waiting(self) -> dict[str, WaitingRows]:
        """Count the rows that are in no final file yet, by kind."""
        found = self.database.read(statements.COUNT_WAITING_ROWS)
        return {kind: WaitingRows(int(rows), *others) for kind, rows, *others in found}

    def posted_messages(self) -> int:
        """Count the messages that came by HTTP and wait to be processed."""
        tables = {name for (name,) in self.database.read(statements.LIST_TABLES)}
        if "posted" not in tables:
            return 0
        [(count,)] = self.database.read(statements.COUNT_POSTED)
        return int(count)

    def undelivered(self) -> dict[str, int]:
        """Count the rows that are durable, and not yet where they go.

        Those of files and of topics are counted under their folder's name, as ``alerts``; those of
        further destinations under the destination's; messages that came by HTTP as ``messages``.
        """
        counts = Counter({kind: each.rows for kind, each in self.waiting().items()})
        for kind, rows in self.outbox.pending().items():
            counts[FOLDERS.get(kind, kind)] += rows
        if posted := self.posted_messages():
            counts["messages"] = posted
        return dict(counts)

    def published_to_topics(self) -> dict[str, int]:
        """Count the alerts and failures that their topics have taken, under their folder's name."""
        delivered = self.outbox.delivered()
        return {
            folder: sum(astuple(delivered.get(kind, Delivered())))
            for kind, folder in FOLDERS.items()
        }

    def move_to_files(self, row_type: type[Alert] | type[Failure]) -> int:
        """Let alerts or failures that wait for a topic go to files; return how many did."""
        row_format = self.formats.alerts if row_type is Alert else self.formats.failures
        moved = 0
        while rows := self.outbox.rows(row_type, _MOVED_AT_ONCE):
            with self.database.transaction():
                chunks = encode_chunks(row_format, [row for _, row in rows])
                self._add_chunks(chunks, clock.now_us())
                self.outbox.delete(identity for identity, _ in rows)
            moved += len(rows)
        return moved

    def ledger(self) -> list[LedgerHour]:
        """List all hours, the oldest first."""
        rows = self.database.read(statements.LIST_HOURS)
        return [msgspec.json.decode(content, type=LedgerHour) for (content,) in rows]

    def totals(self) -> RunCounts:
        """Return all counts since the database was created."""
        return self.database.note(_TOTALS, RunCounts) or RunCounts()

    def alerts_raised(self) -> int:
        """Return how many alerts there were since the database was created."""
        return self.database.note(_ALERTS, int) or 0

    def rates(self, since_us: int = 0) -> dict[str | None, list[RateCounts]]:
        """List each engine's counts by time, for the buckets from a moment on."""
        by_engine: dict[str | None, list[RateCounts]] = {}
        for engine, content in self.database.read(statements.LIST_RATES, since_us):
            counts = msgspec.json.decode(content, type=RateCounts)
            by_engine.setdefault(_engine(engine), []).append(counts)
        return by_engine

    def delete_rates(self, engine: str | None, before_us: int) -> None:
        key = _engine_key(engine)
        self.database.write(statements.DELETE_OLD_RATES, key, before_us)
        if not list(self.database.read(statements.FIND_ENGINE, key)):
            self._engines.discard(engine)

    def delete_old_batches(self, window_us: int) -> None:
        """Delete the times of old batches, and the record ids that they have claimed.

        A batch is old when both its messages were published, and it was committed, that long before
        the latest: a clock of this machine that is wrong for a while deletes nothing, and the other
        batches do not wait for the one that was committed under it.
        """
        with self.database.transaction():
            if self.database.write(statements.DELETE_OLD_BATCHES, window_us):
                self.database.write(statements.DELETE_OLD_IDS, self.next_number())

    def _raise(self, alerts: Sequence[Alert], now_us: int) -> None:
        self.database.keep_note(_ALERTS, self.alerts_raised() + len(alerts))
        self._add_rows(self.formats.alerts, Alert, alerts, now_us)

    def _add_rows(
        self, row_format: RowFormat, row_type: type, rows: Sequence[Record], now_us: int
    ) -> None:
        """Add rows for files, or for their topic, and for further destinations."""
        self.outbox.add(rows)
        if row_type not in self._topics:
            self._add_chunks(encode_chunks(row_format, rows), now_us)

    def _add_chunks(self, chunks: Iterable[Chunk], now_us: int) -> None:
        for chunk in chunks:
            times = chunk.first_event_us, chunk.last_event_us
            counted = chunk.rows, len(chunk.content)
            place = chunk.folder, chunk.kind, chunk.policy
            row = *place, *counted, *times, now_us, chunk.content
            self.database.write(statements.ADD_CHUNK, *row)

    def _count(self, hour: LedgerHour, counts: RunCounts) -> None:
        earlier = self.database.read_content(LedgerHour, statements.READ_HOUR, hour.hour_us)
        content = msgspec.json.encode(earlier + hour if earlier else hour)
        self.database.write(statements.PUT_HOUR, hour.hour_us, content)
        self.database.keep_note(_TOTALS, total_counts([self.totals(), counts]))

    def _add_rate(self, engine: str | None, counts: RateCounts) -> None:
        # A producer with a new engine name for each answer must not fill the disk.
        if engine not in self._engines and len(self._engines) >= MAX_ENGINES:
            engine = OTHER_ENGINES
        self._engines.add(engine)
        key = _engine_key(engine), counts.start_us
        earlier = self.database.read_content(RateCounts, statements.READ_RATE, *key)
        content = msgspec.json.encode(add_counts(earlier, counts) if earlier else counts)
        self.database.write(statements.PUT_RATE, *key, content)


def _engine_key(engine: str | None) -> bytes:
    """Distinguish no engine from an engine with an empty name."""
    return b"" if engine is None else b"=" + engine.encode()


def _engine(key: bytes) -> str | None:
    return key[1:].decode() if key else None
