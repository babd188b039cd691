"""What is remembered of an engine's rates while its answers come in, and when to look at them."""

from msgspec.structs import replace

from schemas import Record
from schemas.alert import Alert
from transforms.rules.burn_rate import OpenEpisode, RateRule
from transforms.rules.rate_counts import BUCKET_US, RateCounts, bucket_of, in_order
from transforms.rules.rate_episodes import first_bucket_us, judge_rates


class RateMemory(Record, frozen=True, kw_only=True):
    """What is remembered of an engine between two looks at its rates.

    Attributes:
      counts: of the buckets that still matter, in the order of time.
      open_episodes: those that have opened and not closed.
      judged_us: the moment of the last look, microseconds since 1970 UTC; 0 before the first.
      look_at_us: the moment of the next, None where nothing is worth one.
    """

    counts: tuple[RateCounts, ...] = ()
    open_episodes: tuple[OpenEpisode, ...] = ()
    judged_us: int = 0
    look_at_us: int | None = None


def with_counts(memory: RateMemory, counts: RateCounts, published_us: int) -> RateMemory:
    """Remember counts.

    Args:
      memory: what is remembered so far.
      counts: of one bucket. One that lies in the future, by a producer's clock, counts now.
      published_us: when the last of them was published, microseconds since 1970 UTC.
    """
    start_us = min(counts.start_us, bucket_of(published_us))
    look_at_us = max(start_us, memory.judged_us) + BUCKET_US
    if memory.look_at_us is not None:
        look_at_us = min(look_at_us, memory.look_at_us)
    return replace(
        memory,
        counts=tuple(in_order([*memory.counts, replace(counts, start_us=start_us)])),
        look_at_us=look_at_us,
    )


def judged(
    engine: str | None, memory: RateMemory, rule: RateRule
) -> tuple[list[Alert], RateMemory]:
    """Look at what is remembered, at the moment that was set for it; then forget what is over.

    Args:
      engine: whose rates these are.
      memory: with a moment to look.
      rule: when an episode opens and closes.

    Returns:
      The alerts; and what is remembered from now on, with the next moment: the end of the next
      bucket that holds answers, or of the very next while an incident is open, or the one at which
      no counts are needed any more. Nothing is remembered where there is no next moment.
    """
    now_us = memory.look_at_us
    if now_us is None:
        return [], memory
    alerts, open_episodes = judge_rates(engine, memory.counts, rule, memory.open_episodes, now_us)
    first_us = first_bucket_us(rule, now_us + BUCKET_US)
    counts = tuple(bucket for bucket in memory.counts if bucket.start_us >= first_us)
    looks_us = [bucket.start_us + BUCKET_US for bucket in counts if bucket.start_us >= now_us]
    if open_episodes:
        looks_us.append(now_us + BUCKET_US)
    if counts:
        # The last look, after which nothing is remembered.
        looks_us.append(counts[-1].start_us + rule.slow_window_us + BUCKET_US)
    return alerts, RateMemory(
        counts=counts,
        open_episodes=open_episodes,
        judged_us=now_us,
        look_at_us=min(looks_us, default=None),
    )
