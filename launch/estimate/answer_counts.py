"""Count the answers, and the calls of their checks, without a call."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing

import msgspec

from launch.terminal.unreadable_input import SHOWN_FAULTS
from pipeline.settings.config import Config
from schemas import Record
from schemas.message import Message
from schemas.verdict import Verdict
from transforms.formats import ParseFailure, parse_answers
from transforms.grounding.forecast import Forecast, forecast_check
from transforms.rules.routing import route
from transforms.rules.sampling import is_in_sample

_TABLE = """
PRAGMA journal_mode = OFF;
PRAGMA cache_size = -32768;
CREATE TABLE keys (key BLOB PRIMARY KEY) WITHOUT ROWID;
BEGIN;
"""
"""32 MB stay in memory; the rest goes to a file."""


class Outcome(Record, frozen=True, kw_only=True):
    """The outcome of an answer before any call.

    Attributes:
      record_id: None for a failure.
      fault: of a failure: where it is, and what is wrong.
      is_sampled_out: whether sampling drops the answer.
      verdict: None if the answer needs a check.
      forecast: the calls of the check.
    """

    record_id: str | None = None
    fault: str = ""
    is_sampled_out: bool = False
    verdict: Verdict | None = None
    forecast: Forecast | None = None


def outcomes_of(message: Message, config: Config) -> Iterator[Outcome]:
    """Parse, sample and route the answers of a message; yield an outcome for each."""
    parsed = parse_answers(
        message, input_format=config.input_format, facts_from_steps=config.facts_from_steps
    )
    for answer in parsed:
        if isinstance(answer, ParseFailure):
            yield Outcome(fault=f"{answer.message.place}: {answer.error}")
        elif not is_in_sample(answer.record_id, answer.engine, config.sampling):
            yield Outcome(record_id=answer.record_id, is_sampled_out=True)
        elif decision := route(answer, config.moved_reasons):
            yield Outcome(record_id=answer.record_id, verdict=decision.verdict)
        else:
            forecast = forecast_check(answer, config.check)
            verdict = None if forecast else Verdict.UNSCORABLE
            yield Outcome(record_id=answer.record_id, verdict=verdict, forecast=forecast)


class EstimateCounts(msgspec.Struct, kw_only=True):
    """Counts of answers and calls, as described in `schemas.cost_estimate.Estimate`.

    Attributes:
      recheck_calls, recheck_characters: the maximum of all second passes.
      faults: of the first failures.
    """

    read: int = 0
    failures: int = 0
    duplicates: int = 0
    sampled_out: int = 0
    decided: Counter[str] = msgspec.field(default_factory=Counter)
    to_check: int = 0
    planned_calls: int = 0
    calls: int = 0
    characters: int = 0
    recheck_calls: int = 0
    recheck_characters: int = 0
    faults: list[str] = msgspec.field(default_factory=list)

    @property
    def is_unreadable(self) -> bool:
        """Whether no message could be read."""
        return not (self.to_check or self.decided or self.sampled_out)


def count_outcomes(outcomes: Iterable[Outcome], *, pays_once: bool) -> EstimateCounts:
    """Count outcomes in the order of the archives; a repeated record id is a duplicate.

    Args:
      outcomes: of all answers.
      pays_once: whether identical calls are paid once.

    Raises:
      OSError: the disk is full.
    """
    counts = EstimateCounts()
    with closing(DistinctKeys()) as record_ids, closing(DistinctKeys()) as paid:
        for outcome in outcomes:
            counts.read += 1
            if outcome.record_id is None:
                counts.failures += 1
                if len(counts.faults) < SHOWN_FAULTS:
                    counts.faults.append(outcome.fault)
            elif not record_ids.add(bytes.fromhex(outcome.record_id)):
                counts.duplicates += 1
            elif outcome.is_sampled_out:
                counts.sampled_out += 1
            elif outcome.forecast is None:
                counts.decided[str(outcome.verdict)] += 1
            else:
                _count_calls(counts, outcome.forecast, paid if pays_once else None)
    return counts


def _count_calls(counts: EstimateCounts, forecast: Forecast, paid: "DistinctKeys | None") -> None:
    counts.to_check += 1
    counts.planned_calls += len(forecast.calls)
    for call in forecast.calls:
        if paid is None or paid.add(call.key):
            counts.calls += 1
            counts.characters += call.characters
    if forecast.most_rechecks and (paid is None or paid.add(forecast.key)):
        counts.recheck_calls += len(forecast.most_rechecks)
        counts.recheck_characters += sum(forecast.most_rechecks)


class DistinctKeys:
    """A set of keys that may be larger than memory.

    SQLite deletes the unnamed file of a temporary database with the process
    (https://www.sqlite.org/inmemorydb.html, "Temporary Databases").
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(_TABLE)
        self.close = self._database.close

    def add(self, key: bytes) -> bool:
        """Add a key; return whether it is new.

        Raises:
          OSError: the disk is full.
        """
        try:
            added = self._database.execute("INSERT OR IGNORE INTO keys VALUES (?)", (key,))
        except sqlite3.Error as error:
            raise OSError(f"cannot store the keys of the input: {error}") from None
        return added.rowcount == 1
