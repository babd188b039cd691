"""A sample of an archive, from everywhere in it, and what it tells of the whole."""

import heapq
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from hashlib import sha256

from launch.estimate.distinct_keys import DistinctKeys
from launch.estimate.outcome import Outcome, outcome_of
from launch.estimate.tally import Tally, count
from pipeline.config import Config
from schemas.message import Message
from schemas.record import Record
from transforms.rules.extrapolation import Total, extrapolate

_KEY_BYTES = 16


class Sample(Record, frozen=True, kw_only=True):
    """Some of the distinct messages, each as likely as any other.

    Attributes:
      read: how many messages there are.
      distinct: how many of them repeat none byte for byte.
      outcomes: what becomes of those in the sample.
    """

    read: int
    distinct: int
    outcomes: tuple[Outcome, ...]


def draw(messages: Iterable[Message], size: int, config: Config) -> Sample:
    """Draw a sample in one pass: the messages whose digests are least.

    A digest is as even as chance, so every set of distinct messages of this size is as likely,
    every run draws the same, and a larger sample holds a smaller one.

    Only the sample is kept, and only little more is parsed: of m messages about
    size · (1 + ln(m / size)).

    Args:
      messages: all of them.
      size: how many to draw.
      config: of the main job.

    Raises:
      OSError: a file cannot be read, or the disk is full.
    """
    read = distinct = 0
    # The greatest digest stands first, negated.
    least: list[tuple[int, Outcome]] = []
    with DistinctKeys() as digests:
        for message in messages:
            read += 1
            digest = sha256(message.payload).digest()[:_KEY_BYTES]
            if not digests.add(digest):
                continue
            distinct += 1
            rank = -int.from_bytes(digest)
            if len(least) < size:
                heapq.heappush(least, (rank, outcome_of(message, config)))
            elif rank > least[0][0]:
                heapq.heapreplace(least, (rank, outcome_of(message, config)))
    return Sample(read=read, distinct=distinct, outcomes=tuple(outcome for _, outcome in least))


def tally_of(sample: Sample) -> Tally:
    """Tell the counts of the whole but for what is paid for.

    A message that repeats another byte for byte counts as a duplicate.
    """
    tally = count(sample.outcomes, pays_once=True)
    scale = sample.distinct / (len(sample.outcomes) or 1)
    repeated = sample.read - sample.distinct
    return Tally(
        read=sample.read,
        failures=round(tally.failures * scale),
        duplicates=round(tally.duplicates * scale) + repeated,
        sampled_out=round(tally.sampled_out * scale),
        decided=Counter({name: round(times * scale) for name, times in tally.decided.items()}),
        to_check=round(tally.to_check * scale),
        planned_calls=round(tally.planned_calls * scale),
        recheck_calls=round(tally.recheck_calls * scale),
        recheck_characters=round(tally.recheck_characters * scale),
        faults=tally.faults,
    )


def paid_for(sample: Sample, *, pays_once: bool) -> tuple[Total, Total]:
    """Tell how many calls and characters of the whole are paid for.

    A call that stands in the sample once stands for many. One that stands there more often is so
    frequent in the whole that it would be in any sample; it is paid for once, and stands for
    itself. What repeats too seldom to be met twice is counted as often as it occurs, so the
    archive may take less.

    Args:
      sample: of the distinct messages.
      pays_once: whether identical calls are paid for once.

    Returns:
      The calls, and their characters.
    """
    answers = _calls_by_answer(sample.outcomes, pays_once=pays_once)
    times = Counter(key for calls in answers for key in calls)
    unique = [[calls[key] for key in calls if times[key] == 1] for calls in answers]
    frequent = {key: calls[key] for calls in answers for key in calls if times[key] > 1}
    calls = extrapolate([len(characters) for characters in unique], sample.distinct)
    characters = extrapolate([sum(characters) for characters in unique], sample.distinct)
    return _raised(calls, len(frequent)), _raised(characters, sum(frequent.values()))


def _calls_by_answer(outcomes: Sequence[Outcome], *, pays_once: bool) -> list[dict[Hashable, int]]:
    """The characters of each outcome's calls by their keys; none where there is no check."""
    first = {outcome.record_id: number for number, outcome in reversed([*enumerate(outcomes)])}
    return [
        {
            call.key if pays_once else (number, place): call.characters
            for place, call in enumerate(outcome.forecast.calls)
        }
        if outcome.forecast and first[outcome.record_id] == number
        else {}
        for number, outcome in enumerate(outcomes)
    ]


def _raised(total: Total, certain: float) -> Total:
    return Total(
        expected=total.expected + certain, low=total.low + certain, high=total.high + certain
    )
