"""Estimate a backfill, print the estimate, and write it to the backfill's output folder."""

import sys

from launch.estimate.answer_counts import (
    EstimateCounts,
    count_outcomes,
    counts_of,
    draw,
    outcomes_of,
    paid_for,
)
from launch.estimate.estimate_file import write_estimate
from launch.estimate.estimate_table import show_estimate
from launch.inputs.archive_messages import ArchiveMessages
from launch.inputs.paths import default_run_id, find_inputs, try_output
from launch.job.beam_options import is_on_this_machine, read_beam_options, worker_count
from launch.terminal.exit_status import DONE, fail
from launch.terminal.unreadable_input import SHOWN_FAULTS, fail_unreadable, fail_with
from pipeline.settings.commands import EstimateSettings
from pipeline.settings.config import Config, job_config
from pipeline.settings.load import Loaded
from pipeline.sinks.destination import Destination
from schemas.cost_estimate import Amounts, Estimate, Interval, Intervals
from transforms.rules.sampling import Total
from transforms.runtime import clock

_MS_A_MINUTE = 60_000


def estimate(loaded: Loaded[EstimateSettings]) -> int:
    """Estimate what a backfill takes, without a call.

    Returns:
      0 done, 1 failed, an archive is damaged, or nothing could be read.
    """
    settings = loaded.settings
    output = settings.estimate.output
    beam_options = read_beam_options(loaded, settings.job)
    inputs = find_inputs("input", settings.input.input, loaded.problems)
    if output:
        # No run can have this name.
        try_output(Destination(root=output, run="estimate.json"), loaded.problems)
    # A quota that cannot be divided is a problem of the backfill.
    workers = worker_count(beam_options, settings.job, [])
    loaded.raise_problems()
    folder = "." if is_on_this_machine(beam_options) else None
    config = job_config(
        settings.job,
        run=settings.job.output.run_id or default_run_id(settings.input.input),
        inputs=inputs,
        salvage=settings.archives.salvage,
        workers=workers,
        work_folder=folder,
        reply_folder=folder,
    )
    messages = ArchiveMessages(config.inputs, salvage=config.salvage)
    try:
        estimated, counts = _estimate_backfill(messages, config, settings, workers)
        show_estimate(estimated)
        if output:
            sys.stdout.write(f"  {write_estimate(output, estimated)}\n\n")
    except (OSError, KeyboardInterrupt) as error:
        return fail(f"the estimate failed: {str(error) or 'interrupted'}")
    if messages.damaged:
        sentence = f"damaged archives: {len(messages.damaged)}"
        return fail_with(sentence, messages.damaged[:SHOWN_FAULTS])
    if counts.is_unreadable:
        return fail_unreadable(counts.faults, config.inputs)
    return DONE


def _estimate_backfill(
    messages: ArchiveMessages, config: Config, settings: EstimateSettings, workers: int
) -> tuple[Estimate, EstimateCounts]:
    price, quota = settings.job.costs.price_per_1k_chars, settings.job.checker.requests_per_minute
    latency_ms, size = settings.estimate.assumed_latency_ms, settings.estimate.estimate_from
    sample, intervals = None, None
    if size is None:
        outcomes = (outcome for message in messages for outcome in outcomes_of(message, config))
        counts = count_outcomes(outcomes, pays_once=config.check.pays_once)
    else:
        sample = draw(messages, size, config)
        counts = counts_of(sample)
        calls, characters = paid_for(sample, pays_once=config.check.pays_once)
        counts.calls, counts.characters = round(calls.expected), round(characters.expected)
        intervals = _intervals(calls, characters, price)
    damaged = len(messages.damaged)
    minutes = counts.calls * latency_ms / (config.check.max_in_flight * workers) / _MS_A_MINUTE
    estimated = Estimate(
        run=config.run,
        read=counts.read + damaged,
        sampled_messages=len(sample.outcomes) if sample else None,
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
        intervals=intervals,
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
        workers=workers,
        assumed_latency_ms=latency_ms,
        estimated_at_us=clock.now_us(),
    )
    return estimated, counts


def _intervals(calls: Total, characters: Total, price: float | None) -> Intervals:
    low, high = _cost(characters.low, price), _cost(characters.high, price)
    return Intervals(
        calls=Interval(low=round(calls.low), high=round(calls.high)),
        characters=Interval(low=round(characters.low), high=round(characters.high)),
        cost=None if low is None or high is None else Interval(low=low, high=high),
    )


def _cost(characters: float, price_per_1k_chars: float | None) -> float | None:
    return None if price_per_1k_chars is None else characters / 1000 * price_per_1k_chars
