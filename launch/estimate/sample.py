"""Draw a sample from all of an archive, and extrapolate from it."""

import heapq
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from contextlib import closing
from hashlib import sha256
from itertools import chain

from msgspec.structs import asdict, replace

from launch.estimate.answer_counts import (
    DistinctKeys,
    EstimateCounts,
    Outcome,
    count_outcomes,
    outcomes_of,
)
from pipeline.settings.config import Config
from schemas import Record
from schemas.message import Message
from transforms.rules.sampling import Total, estimate_total

_KEY_BYTES = 16


class Sample(Record, frozen=True, kw_only=True):
    """A uniform sample of the distinct messages.

    Attributes:
      read: how many messages there are.
      distinct: how many of them differ in their bytes.
      outcomes: of the answers of each message in the sample.
    """

    read: int
    distinct: int
    outcomes: tuple[tuple[Outcome, ...], ...]


def draw(messages: Iterable[Message], size: int, config: Config) -> Sample:
    """Draw a sample in one pass: the messages with the lowest digests.

    Digests are uniform, so every set of distinct messages of this size is equally likely, every run
    draws the same sample, and a larger sample includes a smaller one. Of m messages, only about
    size · (1 + ln(m / size)) are parsed.

    Raises:
      OSError: a file cannot be read, or the disk is full.
    """
    read = distinct = 0
    # A heap has its least first: the negated greatest digest.
    least: list[tuple[int, tuple[Outcome, ...]]] = []
    with closing(DistinctKeys()) as digests:
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


def counts_of(sample: Sample) -> EstimateCounts:
    """Extrapolate the counts of all answers, without paid calls and characters.

    The answers of a message that repeats another byte for byte count as duplicates.
    """
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

    Args:
      sample: of the distinct messages.
      pays_once: whether identical calls are paid once.
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
