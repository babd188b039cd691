"""Estimate a backfill, print the estimate, and write it to the backfill's output folder."""

import sys

from launch.estimate.backfill_estimate import Terms, estimate_backfill
from launch.estimate.estimate_file import estimate_destination, write_estimate
from launch.estimate.estimate_table import show_estimate
from launch.inputs.paths import default_run_id, find_inputs, try_output
from launch.job.beam_options import is_on_this_machine, read_beam_options, worker_count
from launch.terminal.exit_status import DONE, fail
from launch.terminal.unreadable_input import SHOWN_FAULTS, fail_unreadable, fail_with
from pipeline.settings.commands import EstimateSettings
from pipeline.settings.config import Config, job_config
from pipeline.settings.load import Loaded


def estimate(loaded: Loaded[EstimateSettings]) -> int:
    """Estimate what a backfill takes, without a call.

    Returns:
      0 done, 1 failed, an archive is damaged, or nothing could be read.

    Raises:
      UsageError: the settings have problems, or the input or output is not there.
    """
    settings = loaded.settings
    output = settings.estimate.output
    beam_options = read_beam_options(loaded, settings.job)
    inputs = find_inputs("input", settings.input.input, loaded.problems)
    if output:
        try_output(estimate_destination(output), loaded.problems)
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
    return _print_estimate(settings, config, workers)


def _print_estimate(settings: EstimateSettings, config: Config, workers: int) -> int:
    terms = Terms(
        price_per_1k_chars=settings.job.costs.price_per_1k_chars,
        requests_per_minute=settings.job.checker.requests_per_minute,
        workers=workers,
        assumed_latency_ms=settings.estimate.assumed_latency_ms,
    )
    output = settings.estimate.output
    try:
        estimated = estimate_backfill(config, terms, settings.estimate.estimate_from)
        show_estimate(estimated.estimate)
        if output:
            sys.stdout.write(f"  {write_estimate(output, estimated.estimate)}\n\n")
    except (OSError, KeyboardInterrupt) as error:
        return fail(f"the estimate failed: {str(error) or 'interrupted'}")
    if estimated.damaged:
        sentence = f"damaged archives: {len(estimated.damaged)}"
        return fail_with(sentence, estimated.damaged[:SHOWN_FAULTS])
    if estimated.is_unreadable:
        return fail_unreadable(estimated.faults, config.inputs)
    return DONE
