"""Count answers and the calls of their checks without a call, in all messages or in a sample."""

import heapq
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from hashlib import sha256
from itertools import chain

import msgspec
from msgspec.structs import asdict, replace

from groundwatch.launch.backfill.estimate.planned_answers import PlanAnswers, PlannedAnswer
from groundwatch.launch.backfill.estimate.sample_totals import Total, estimate_total
from groundwatch.launch.cli.terminal.unreadable_input import SHOWN_FAULTS
from groundwatch.schemas import Record
from groundwatch.schemas.message import Message
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.grounding.forecast import Forecast

_DIGEST_BYTES = 16
_TABLE = """
PRAGMA journal_mode = OFF;
PRAGMA cache_size = -32768;
CREATE TABLE keys (key BLOB PRIMARY KEY) WITHOUT ROWID;
BEGIN;
"""
"""32 MB stay in memory; the rest goes to a file."""


class EstimateCounts(msgspec.Struct, kw_only=True):
    """Counts as in `Estimate`."""

    read: int = 0
    failures: int = 0
    duplicates: int = 0
    sampled_out: int = 0
    decided: Counter[str] = msgspec.field(default_factory=Counter)
    to_check: int = 0
    escalated: int = 0
    audited: int = 0
    screen_calls: int = 0
    planned_calls: int = 0
    calls: int = 0
    characters: int = 0
    faults: list[str] = msgspec.field(default_factory=list)


def count_outcomes(outcomes: Iterable[PlannedAnswer], *, pays_once: bool) -> EstimateCounts:
    """Count outcomes in the order of the archives; with `pays_once`, identical calls count once."""
    counts = EstimateCounts()
    with closing(DistinctKeys()) as record_ids, closing(DistinctKeys()) as paid:
        is_paid = paid.add if pays_once else lambda _: True
        for outcome in outcomes:
            counts.read += 1
            if outcome.record_id and not record_ids.add(bytes.fromhex(outcome.record_id)):
                counts.duplicates += 1
            elif outcome.fault:
                counts.failures += 1
                if len(counts.faults) < SHOWN_FAULTS:
                    counts.faults.append(outcome.fault)
            elif outcome.is_sampled_out:
                counts.sampled_out += 1
            elif outcome.forecast is None:
                counts.decided[str(outcome.verdict)] += 1
            else:
                counts.to_check += 1
                counts.escalated += outcome.escalation is Tag.ESCALATED
                counts.audited += outcome.escalation is Tag.AUDITED
                counts.screen_calls += outcome.screen_calls
                _count_calls(counts, outcome.forecast, is_paid)
    return counts


def _count_calls(
    counts: EstimateCounts, forecast: Forecast, is_paid: Callable[[bytes], bool]
) -> None:
    counts.planned_calls += len(forecast)
    for call in forecast:
        if is_paid(call.key):
            counts.calls += 1
            counts.characters += call.characters


class DistinctKeys:
    """A set of keys that may be larger than memory, in a temporary file that SQLite deletes."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(_TABLE)
        self.close = self._database.close

    def add(self, key: bytes) -> bool:
        """Add a key; return whether it is new, or raise OSError if the disk is full."""
        try:
            added = self._database.execute("INSERT OR IGNORE INTO keys VALUES (?)", (key,))
        except sqlite3.Error as error:
            raise OSError(f"cannot store the keys of the input: {error}") from None
        return added.rowcount == 1


class Sample(Record, frozen=True, kw_only=True):
    """The outcomes of a uniform sample of the messages that differ in their bytes."""

    read: int
    distinct: int
    outcomes: tuple[tuple[PlannedAnswer, ...], ...]


def draw(messages: Iterable[Message], size: int, plan: PlanAnswers) -> Sample:
    """Draw a sample in one pass: the messages with the lowest digests.

    Digests are uniform, so every set of distinct messages of this size is equally likely, every run
    draws the same sample, and a larger sample includes a smaller one. Of m messages, only about
    size · (1 + ln(m / size)) are parsed.
    """
    read = distinct = 0
    # A heap has its least first: the negated greatest digest.
    least: list[tuple[int, tuple[PlannedAnswer, ...]]] = []
    with closing(DistinctKeys()) as digests:
        for message in messages:
            read += 1
            digest = sha256(message.payload).digest()[:_DIGEST_BYTES]
            if not digests.add(digest):
                continue
            distinct += 1
            rank = -int.from_bytes(digest)
            if len(least) < size:
                heapq.heappush(least, (rank, tuple(plan([message]))))
            elif rank > least[0][0]:
                heapq.heapreplace(least, (rank, tuple(plan([message]))))
    return Sample(read=read, distinct=distinct, outcomes=tuple(outcomes for _, outcomes in least))


def counts_of(sample: Sample) -> EstimateCounts:
    """Extrapolate the counts, without paid calls; answers of repeated messages are duplicates."""
    counts = count_outcomes(chain.from_iterable(sample.outcomes), pays_once=True)
    sampled = len(sample.outcomes) or 1
    scale = sample.distinct / sampled
    repeated = (sample.read - sample.distinct) * counts.read / sampled
    numbers = {name: n for name, n in asdict(counts).items() if isinstance(n, int)}
    scaled = {name: round(number * scale) for name, number in numbers.items()} | {
        "read": round(sample.read * counts.read / sampled),
        "duplicates": round(counts.duplicates * scale + repeated),
    }
    decided = Counter({name: round(times * scale) for name, times in counts.decided.items()})
    return replace(counts, **scaled, decided=decided)


def paid_for(sample: Sample, *, pays_once: bool) -> tuple[Total, Total]:
    """Extrapolate the paid calls, and their characters.

    A call that is in the sample once is extrapolated. One that is there more often is so frequent
    that any sample would hold it: it is paid once and not extrapolated. Rarer repetitions are
    missed, so the actual number may be lower.
    """
    messages = _calls_by_message(sample.outcomes, pays_once=pays_once)
    times = Counter(key for calls in messages for key in calls)
    unique = [[calls[key] for key in calls if times[key] == 1] for calls in messages]
    frequent = {key: calls[key] for calls in messages for key in calls if times[key] > 1}
    population = sample.distinct
    return (
        estimate_total([len(characters) for characters in unique], population, len(frequent)),
        estimate_total(list(map(sum, unique)), population, sum(frequent.values())),
    )


def _calls_by_message(
    messages: Sequence[Sequence[PlannedAnswer]], *, pays_once: bool
) -> list[dict[object, int]]:
    """Map the calls of each message to their characters; a repeated record id needs no calls."""
    seen: set[str | None] = set()
    found: list[dict[object, int]] = []
    for outcomes in messages:
        calls: dict[object, int] = {}
        for outcome in outcomes:
            if outcome.forecast and outcome.record_id not in seen:
                for call in outcome.forecast:
                    calls[call.key if pays_once else object()] = call.characters
            seen.add(outcome.record_id)
        found.append(calls)
    return found
