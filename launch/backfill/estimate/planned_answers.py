"""Apply the steps before a paid check to messages, and plan and count its calls."""

import sqlite3
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain, tee

import msgspec

from groundwatch.launch.cli.terminal.unreadable_input import SHOWN_FAULTS
from groundwatch.pipeline.settings.config import Config
from groundwatch.schemas import Record
from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.message import Message
from groundwatch.schemas.planned_run import Budget
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.check_one import check_in_order
from groundwatch.transforms.formats.parser import ParseFailure
from groundwatch.transforms.grounding.check_session import CheckSession
from groundwatch.transforms.grounding.errors import is_of_answer
from groundwatch.transforms.grounding.planned_check import Forecast, forecast_check, plan_check
from groundwatch.transforms.grounding.settings import CheckSettings, Screening
from groundwatch.transforms.grounding.two_checkers import open_session
from groundwatch.transforms.lexical.claims.claim_forms import has_hard_claim
from groundwatch.transforms.rules.escalation import screen_answer
from groundwatch.transforms.step_order import Routed, SampledOut, route_answers

_TABLE = """
PRAGMA journal_mode = OFF;
PRAGMA cache_size = -32768;
CREATE TABLE keys (key BLOB PRIMARY KEY) WITHOUT ROWID;
BEGIN;
"""
"""32 MB stay in memory; the rest goes to a file."""


_OF_FIRST = b"first"
"""Distinguishes equal calls of two checkers, which are paid for each."""


class PlannedAnswer(Record, frozen=True, kw_only=True):
    """The outcome of an answer before any paid call.

    Attributes:
      record_id: None if the message cannot be read.
      fault: why the answer is a failure; empty for others.
      verdict: what an answer without a forecast gets without a call.
      forecast: the calls; of two checkers those that are paid, none of the embedded one. A failure
        has those of a first checker that cannot check it.
      screen_calls: of the first of two checkers.
      escalation: why the second one checks the answer, if it does.
    """

    record_id: str | None = None
    fault: str = ""
    is_sampled_out: bool = False
    verdict: Verdict = Verdict.UNSCORABLE
    forecast: Forecast | None = None
    screen_calls: int = 0
    escalation: Tag | None = None


def plan_answers(
    messages: Iterable[Message], config: Config
) -> Generator[PlannedAnswer, None, None]:
    """Plan the calls of the answers in messages, in their order.

    Of two checkers the first one checks the answers for it, since its replies decide which calls
    the second one gets. Closing the generator closes its connections.

    Raises:
      CheckFailed: the first one cannot be opened, or refuses every call.
    """
    routed = chain.from_iterable(
        route_answers(message, config.parsing, config.sampling, config.moved_reasons)
        for message in messages
    )
    check, screening = config.check, config.check.screen
    if screening is None:
        for each in routed:
            if isinstance(each, CheckedAnswer) and each.decision is None:
                forecast = forecast_check(each.answer, check)
                yield PlannedAnswer(record_id=each.answer.record_id, forecast=forecast)
            else:
                yield _plan_none(each)
        return
    # The estimate keeps nothing, and its own calls are in no budget.
    first = msgspec.structs.replace(screening.first, reply_store=None, budget=Budget())
    with closing(open_session(first)) as session:
        yield from _plan_for_two(routed, check, screening, session)


def _plan_for_two(
    routed: Iterable[Routed], check: CheckSettings, screening: Screening, session: CheckSession
) -> Iterator[PlannedAnswer]:
    routed, given = tee(routed)
    outcomes = check_in_order(routed, session.submit, screening.first.max_in_flight)
    for each, outcome in zip(given, outcomes, strict=True):
        if not isinstance(each, CheckedAnswer) or each.decision is not None:
            yield _plan_none(each)
        elif isinstance(outcome, CheckedAnswer):
            yield _plan_second(outcome, check, screening)
        elif is_of_answer(outcome):
            yield PlannedAnswer(
                record_id=each.answer.record_id,
                fault=f"{each.answer.message.place}: {outcome}",
                forecast=_forecast_first(each.answer, screening),
            )
        elif isinstance(outcome, Exception):
            raise outcome


def _plan_none(routed: Routed) -> PlannedAnswer:
    if isinstance(routed, ParseFailure):
        return PlannedAnswer(fault=f"{routed.message.place}: {routed.error}")
    record_id = routed.answer.record_id
    if isinstance(routed, SampledOut):
        return PlannedAnswer(record_id=record_id, is_sampled_out=True)
    verdict = routed.decision.verdict if routed.decision else Verdict.UNSCORABLE
    return PlannedAnswer(record_id=record_id, verdict=verdict)


def _plan_second(
    checked: CheckedAnswer, check: CheckSettings, screening: Screening
) -> PlannedAnswer:
    answer = checked.answer
    escalation = screen_answer(checked, screening.rule, has_hard_claim).escalation
    planned = plan_check(answer, screening.first)
    if planned is None:
        return _plan_none(checked)  # It needs too many calls.
    of_second = (escalation and forecast_check(answer, check)) or ()
    return PlannedAnswer(
        record_id=answer.record_id,
        forecast=_forecast_first(answer, screening) + of_second,
        screen_calls=len(planned.calls),
        escalation=escalation,
    )


def _forecast_first(answer: Answer, screening: Screening) -> Forecast:
    """Forecast the calls of the first of two checkers that are paid."""
    calls = (screening.pays_first and forecast_check(answer, screening.first)) or ()
    return tuple(call._replace(key=_OF_FIRST + call.key) for call in calls)


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
                continue
            if outcome.fault:
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
            for call in outcome.forecast or ():
                counts.planned_calls += 1
                if is_paid(call.key):
                    counts.calls += 1
                    counts.characters += call.characters
    return counts


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
