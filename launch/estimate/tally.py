"""Counting what becomes of messages."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from launch.estimate.distinct_keys import DistinctKeys
from launch.estimate.outcome import Outcome
from launch.terminal.unreadable_input import SHOWN_FAULTS
from transforms.grounding.forecast import Forecast


class Tally(msgspec.Struct, kw_only=True):
    """Counts of messages and calls; what each means says `schemas.estimate.Estimate`.

    Attributes:
      recheck_calls, recheck_characters: of the longest second passes there could be.
      faults: what is wrong with the first messages that cannot be read, and where they stand.
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


def count(outcomes: Iterable[Outcome], *, pays_once: bool) -> Tally:
    """Count outcomes, the first of each record id and the first of identical calls.

    Args:
      outcomes: of the messages, in the order of the archives.
      pays_once: whether identical calls are paid for once.

    Raises:
      OSError: the disk is full.
    """
    tally = Tally()
    with DistinctKeys() as record_ids, DistinctKeys() as paid:
        for outcome in outcomes:
            tally.read += 1
            if outcome.record_id is None:
                tally.failures += 1
                if len(tally.faults) < SHOWN_FAULTS:
                    tally.faults.append(outcome.fault)
            elif not record_ids.add(bytes.fromhex(outcome.record_id)):
                tally.duplicates += 1
            elif outcome.is_sampled_out:
                tally.sampled_out += 1
            elif outcome.forecast is None:
                tally.decided[str(outcome.verdict)] += 1
            else:
                _count_calls(tally, outcome.forecast, paid if pays_once else None)
    return tally


def _count_calls(tally: Tally, forecast: Forecast, paid: DistinctKeys | None) -> None:
    tally.to_check += 1
    tally.planned_calls += len(forecast.calls)
    for call in forecast.calls:
        if paid is None or paid.add(call.key):
            tally.calls += 1
            tally.characters += call.characters
    if forecast.most_rechecks and (paid is None or paid.add(forecast.key)):
        tally.recheck_calls += len(forecast.most_rechecks)
        tally.recheck_characters += sum(forecast.most_rechecks)
