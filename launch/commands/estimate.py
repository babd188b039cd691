"""`groundwatch estimate`: what a backfill would take."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from launch.beam_flags import read_job_flags
from launch.command_help import wants_help, write_help
from launch.estimate.estimating import Terms, estimate_backfill
from launch.estimate.file import estimate_destination, write_estimate
from launch.estimate.screen import show_estimate
from launch.flags import UsageError
from launch.inputs.paths import default_run_id, find_inputs, try_output
from launch.start import options_from
from launch.terminal.exit_status import DONE, fail
from launch.terminal.unreadable_input import SHOWN_FAULTS, fail_unreadable, fail_with
from launch.workers import is_on_this_machine, worker_count
from pipeline import options
from pipeline.config import Config, config_from
from pipeline.option import Option, positive, whole

_OUTPUT = replace(
    options.OUTPUT[0],
    meaning="the backfill's output folder, to write estimate.json into; the backfill's summary"
    " then compares itself with it",
    is_required=False,
)

_OWN = (
    Option(
        name="estimate_from",
        meaning="tell it from so many messages, better 1,000 or more, drawn from all over the"
        " archives, with an interval that holds in 95 of 100 samples; by default from all",
        read=whole,
    ),
    Option(
        name="assumed_latency_ms",
        meaning="milliseconds that a call is thought to take; the service is made for less"
        " than 500",
        read=positive,
        default=500.0,
    ),
)

_COUNTING = frozenset(
    {
        "input",
        "salvage",
        "input_format",
        "facts_from_steps",
        "sample",
        "output",
        "run_id",
        "workers",
        "move_reason",
        "max_in_flight",
        "requests_per_minute",
        "cache_mb",
        "max_calls_per_answer",
        "max_facts",
        "max_fact_chars",
        "max_answer_tokens",
        "price_per_1k_chars",
    }
)
"""The flags of a backfill that make a difference to what it takes."""

_CLOSING = (
    "\nAll other flags of `groundwatch backfill` are taken, too, and make no difference: a"
    " backfill's\ncommand line can be estimated as it is.\n"
)


def estimate_options() -> tuple[Option, ...]:
    """All flags of the command: those of a backfill, whose output may be left out, and its own."""
    backfill = options_from(options.INPUT)
    return (*(_OUTPUT if option.name == "output" else option for option in backfill), *_OWN)


def run(arguments: Sequence[str]) -> int:
    """Tell what a backfill would take, without a call.

    Returns:
      0 done, 1 failed, an archive is damaged, or nothing could be read.

    Raises:
      UsageError: the flags make no sense, or name what is not there.
    """
    known = estimate_options()
    if wants_help(arguments):
        shown = [option for option in known if option.name in _COUNTING or option in _OWN]
        return write_help("estimate", shown, _CLOSING)
    values, beam_options, problems = read_job_flags(arguments, known)
    inputs = find_inputs("input", values["input"], problems)
    if values["output"]:
        try_output(estimate_destination(values["output"]), problems)
    if problems:
        raise UsageError(problems)
    workers = worker_count(beam_options, values["workers"]) or 1
    config = _config(values, inputs, workers, is_local=is_on_this_machine(beam_options))
    return _tell(values, config, workers)


def _tell(values: Mapping[str, Any], config: Config, workers: int) -> int:
    try:
        estimated = estimate_backfill(config, _terms(values, workers), values["estimate_from"])
        show_estimate(estimated.estimate)
        if values["output"]:
            sys.stdout.write(f"  {write_estimate(values['output'], estimated.estimate)}\n\n")
    except (OSError, KeyboardInterrupt) as error:
        return fail(f"the estimate failed: {str(error) or 'interrupted'}")
    if estimated.damaged:
        sentence = f"archives that are damaged: {len(estimated.damaged)}"
        return fail_with(sentence, estimated.damaged[:SHOWN_FAULTS])
    if estimated.is_unreadable:
        return fail_unreadable(estimated.faults, config.inputs)
    return DONE


def _config(
    values: Mapping[str, Any], inputs: Sequence[str], workers: int, *, is_local: bool
) -> Config:
    """The settings that the backfill would have; nothing is written where it would write."""
    run_id = values["run_id"] or default_run_id(values["input"])
    given = {**values, "output": values["output"] or "."}
    return config_from(given, inputs, run_id, "." if is_local else None, workers, replays=False)


def _terms(values: Mapping[str, Any], workers: int) -> Terms:
    return Terms(
        price_per_1k_chars=values["price_per_1k_chars"],
        requests_per_minute=values["requests_per_minute"],
        workers=workers,
        assumed_latency_ms=values["assumed_latency_ms"],
    )
