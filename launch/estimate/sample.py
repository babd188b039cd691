"""Draw a sample from everywhere in an archive, and extrapolate from it."""

import heapq
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from hashlib import sha256
from itertools import chain

from launch.estimate.distinct_keys import DistinctKeys
from launch.estimate.outcome import Outcome, outcomes_of
from launch.estimate.tally import Tally, count
from pipeline.settings.config import Config
from schemas import Record
from schemas.message import Message
from transforms.rules.sampling import Total, estimate_total

_KEY_BYTES = 16


class Sample(Record, frozen=True, kw_only=True):
    """Some of the distinct messages, each as likely as any other.

    Attributes:
      read: how many messages there are.
      distinct: how many of them repeat none byte for byte.
      outcomes: for each message in the sample, what becomes of its answers.
    """

    read: int
    distinct: int
    outcomes: tuple[tuple[Outcome, ...], ...]


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
    least: list[tuple[int, tuple[Outcome, ...]]] = []
    with DistinctKeys() as digests:
        for message in messages:
            read += 1
            digest = sha256(message.payload).digest()[:_KEY_BYTES]
            if not digests.add(digest):
                continue
            distinct += 1
            rank = -int.from_bytes(digest)
            if len(least) < size:
                heapq.heappush(least, (rank, tuple(outcomes_of(message, config))))
            elif rank > least[0][0]:
                heapq.heapreplace(least, (rank, tuple(outcomes_of(message, config))))
    return Sample(read=read, distinct=distinct, outcomes=tuple(outcomes for _, outcomes in least))


def tally_of(sample: Sample) -> Tally:
    """Extrapolate the counts of all answers, except those of what is paid for.

    The answers of a message that repeats another byte for byte count as duplicates.
    """
    tally = count(chain.from_iterable(sample.outcomes), pays_once=True)
    sampled = len(sample.outcomes) or 1
    scale = sample.distinct / sampled
    repeated = (sample.read - sample.distinct) * tally.read / sampled
    return Tally(
        read=round(sample.read * tally.read / sampled),
        failures=round(tally.failures * scale),
        duplicates=round(tally.duplicates * scale + repeated),
        sampled_out=round(tally.sampled_out * scale),
        decided=Counter({name: round(times * scale) for name, times in tally.decided.items()}),
        to_check=round(tally.to_check * scale),
        planned_calls=round(tally.planned_calls * scale),
        recheck_calls=round(tally.recheck_calls * scale),
        recheck_characters=round(tally.recheck_characters * scale),
        faults=tally.faults,
    )


def paid_for(sample: Sample, *, pays_once: bool) -> tuple[Total, Total]:
    """Extrapolate how many calls and characters are paid for.

    A call that is in the sample once stands for many. One that is there more often is so frequent
    in the whole that it would be in any sample; it is paid for once, and stands for itself. What
    repeats too seldom to be met twice is counted as often as it occurs, so the archive may take
    less.

    Args:
      sample: of the distinct messages.
      pays_once: whether identical calls are paid for once.

    Returns:
      The calls, and their characters.
    """
    messages = _calls_by_message(sample.outcomes, pays_once=pays_once)
    times = Counter(key for calls in messages for key in calls)
    unique = [[calls[key] for key in calls if times[key] == 1] for calls in messages]
    frequent = {key: calls[key] for calls in messages for key in calls if times[key] > 1}
    calls = estimate_total([len(characters) for characters in unique], sample.distinct)
    characters = estimate_total([sum(characters) for characters in unique], sample.distinct)
    return _raised(calls, len(frequent)), _raised(characters, sum(frequent.values()))


def _calls_by_message(
    messages: Sequence[Sequence[Outcome]], *, pays_once: bool
) -> list[dict[Hashable, int]]:
    """Map the calls of each message, by their keys, to their characters.

    Of answers with one record id, only the first needs its calls.
    """
    seen: set[str | None] = set()
    found: list[dict[Hashable, int]] = []
    for number, outcomes in enumerate(messages):
        calls: dict[Hashable, int] = {}
        for index, outcome in enumerate(outcomes):
            if outcome.forecast and outcome.record_id not in seen:
                for place, call in enumerate(outcome.forecast.calls):
                    key = call.key if pays_once else (number, index, place)
                    calls[key] = call.characters
            seen.add(outcome.record_id)
        found.append(calls)
    return found


def _raised(total: Total, certain: float) -> Total:
    return Total(
        expected=total.expected + certain, low=total.low + certain, high=total.high + certain
    )
