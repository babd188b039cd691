"""Estimate the calls, the cost and the duration of a backfill."""

from launch.estimate.answer_counts import AnswerCounts, count_outcomes, outcomes_of
from launch.estimate.sample import counts_of, draw, paid_for
from launch.inputs.archive_messages import ArchiveMessages
from pipeline.settings.config import Config
from schemas import Record
from schemas.cost_estimate import Amounts, Estimate, Interval, Intervals
from transforms.rules.sampling import Total
from transforms.runtime import clock

_MS_A_MINUTE = 60_000


class Terms(Record, frozen=True, kw_only=True):
    """The price and the rate of calls.

    Attributes:
      price_per_1k_chars: of checked characters, None if unknown.
      requests_per_minute: the quota of the whole job, None for none.
      workers: processes that share the work.
      assumed_latency_ms: of a call.
    """

    price_per_1k_chars: float | None
    requests_per_minute: float | None
    workers: int
    assumed_latency_ms: float


class _Finding(Record, frozen=True, kw_only=True):
    """The counts; and the sample size and the extrapolated totals, None if all were counted."""

    counts: AnswerCounts
    sampled_messages: int | None = None
    calls: Total | None = None
    characters: Total | None = None


class Estimated(Record, frozen=True, kw_only=True):
    """An estimate, and the faults of the input.

    Attributes:
      estimate: of the backfill.
      damaged: the damaged archives, with the place of the damage.
      faults: of the first messages that cannot be read.
      is_unreadable: whether no message can be read.
    """

    estimate: Estimate
    damaged: tuple[str, ...]
    faults: tuple[str, ...]
    is_unreadable: bool


def estimate_backfill(config: Config, terms: Terms, sample_size: int | None) -> Estimated:
    """Estimate a backfill without a call.

    Args:
      config: the backfill's settings.
      terms: price and rate.
      sample_size: distinct messages to extrapolate from; None plans the calls of all messages.

    Raises:
      OSError: a file cannot be read, or the disk is full.
    """
    messages = ArchiveMessages(config.inputs, salvage=config.salvage)
    if sample_size is None:
        finding = _find_in_all(messages, config)
    else:
        finding = _find_in_sample(messages, config, sample_size)
    return Estimated(
        estimate=_estimate(finding, len(messages.damaged), config, terms),
        damaged=tuple(messages.damaged),
        faults=tuple(finding.counts.faults),
        is_unreadable=finding.counts.is_unreadable,
    )


def _find_in_all(messages: ArchiveMessages, config: Config) -> _Finding:
    outcomes = (outcome for message in messages for outcome in outcomes_of(message, config))
    return _Finding(counts=count_outcomes(outcomes, pays_once=config.check.pays_once))


def _find_in_sample(messages: ArchiveMessages, config: Config, size: int) -> _Finding:
    sample = draw(messages, size, config)
    calls, characters = paid_for(sample, pays_once=config.check.pays_once)
    counts = counts_of(sample)
    counts.calls, counts.characters = round(calls.expected), round(characters.expected)
    return _Finding(
        counts=counts, sampled_messages=len(sample.outcomes), calls=calls, characters=characters
    )


def _estimate(finding: _Finding, damaged: int, config: Config, terms: Terms) -> Estimate:
    counts, price = finding.counts, terms.price_per_1k_chars
    in_flight = config.check.max_in_flight * terms.workers
    minutes = counts.calls * terms.assumed_latency_ms / in_flight / _MS_A_MINUTE
    quota = terms.requests_per_minute
    return Estimate(
        run=config.run,
        read=counts.read + damaged,
        sampled_messages=finding.sampled_messages,
        failures=counts.failures + damaged,
        damaged_archives=damaged,
        duplicates=counts.duplicates,
        sampled_out=counts.sampled_out,
        decided=dict(sorted(counts.decided.items())),
        to_check=counts.to_check,
        planned_calls=counts.planned_calls,
        calls=counts.calls,
        characters=counts.characters,
        cost=_cost(counts.characters, price),
        intervals=_intervals(finding, price),
        most_rechecks=Amounts(
            calls=counts.recheck_calls,
            characters=counts.recheck_characters,
            cost=_cost(counts.recheck_characters, price),
        ),
        minutes_at_quota=None if quota is None else max(counts.calls / quota, minutes),
        minutes_without_quota=minutes,
        price_per_1k_chars=price,
        requests_per_minute=quota,
        max_in_flight=config.check.max_in_flight,
        workers=terms.workers,
        assumed_latency_ms=terms.assumed_latency_ms,
        estimated_at_us=clock.now_us(),
    )


def _intervals(finding: _Finding, price: float | None) -> Intervals | None:
    calls, characters = finding.calls, finding.characters
    if calls is None or characters is None:
        return None
    return Intervals(
        calls=Interval(low=round(calls.low), high=round(calls.high)),
        characters=Interval(low=round(characters.low), high=round(characters.high)),
        cost=None if price is None else _cost_interval(characters, price),
    )


def _cost_interval(characters: Total, price: float) -> Interval:
    return Interval(low=characters.low / 1000 * price, high=characters.high / 1000 * price)


def _cost(characters: float, price_per_1k_chars: float | None) -> float | None:
    return None if price_per_1k_chars is None else characters / 1000 * price_per_1k_chars
