"""Estimate a backfill, print the estimate, and write it to the backfill's output folder."""

import sys
from collections.abc import Iterator
from contextlib import closing

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from groundwatch.launch.cli.archive_messages import ArchiveMessages
from groundwatch.launch.cli.commands.estimate import EstimateSettings
from groundwatch.launch.cli.paths import default_run_id, find_inputs, try_output
from groundwatch.launch.cli.placement import place_job
from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.cli.terminal.unreadable_input import fail_unreadable, fail_with
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config, Destination, job_config
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.schemas.cost_estimate import Estimate
from groundwatch.schemas.quantities import indented_json, with_rfc3339_times
from groundwatch.transforms.grounding.errors import CheckFailed
from groundwatch.transforms.grounding.try_connection import try_connection
from groundwatch.transforms.runtime import clock
from .planned_answers import EstimateCounts, count_outcomes, plan_answers

_ESTIMATE_FILE = "estimate.json"
_MS_A_MINUTE = 60_000
_SERVICE_MS = 500.0
_MODEL_MS = 100.0
"""Of an answer with three uncertain claims by the model that comes with groundwatch."""

_COUNTED = ("duplicates", "sampled_out", "to_check", "planned_calls", "calls", "characters")
_COUNTED_OF_TWO = ("escalated", "audited", "screen_calls")
_INDENT = (0, 0, 1, 2)
_WIDTH = 92
_SHORT_MINUTES = 0.1
_LONG_MINUTES = 10

_Row = tuple[str, str, str]  # a name, a number and a note


def estimate(loaded: Loaded[EstimateSettings]) -> int:
    """Estimate what a backfill takes, without a paid call; return 1 if its input is damaged."""
    settings = loaded.settings
    output = settings.estimate.output
    # A quota that cannot be divided is a problem of the backfill.
    placement = place_job(loaded, settings.job, [])
    # Several by default make as many calls at a time as one.
    workers = placement.processes or 1
    inputs = find_inputs("--input", settings.input.input, loaded.problems, output)
    if output:
        # No run can have this name.
        try_output(Destination(root=output, run=_ESTIMATE_FILE), loaded.problems)
    loaded.raise_problems()
    folder = "." if placement.is_local else None
    config = job_config(
        settings.job,
        run=settings.job.output.run_id or default_run_id(settings.input.input),
        inputs=tuple(inputs),
        workers=workers,
        work_folder=folder,
        reply_folder=folder,
    )
    messages = ArchiveMessages(config.inputs)
    try:
        screen = config.check.screen
        if screen:
            try_connection(screen.first)
        estimated, counts = _estimate_backfill(messages, config, settings, workers)
        show_estimate(estimated, pays_first=bool(screen and screen.pays_first))
        if output:
            path = storage.join(output, _ESTIMATE_FILE)
            storage.write_whole(path, indented_json(with_rfc3339_times(estimated)))
            sys.stdout.write(f"  {path}\n\n")
    except (CheckFailed, OSError) as error:
        return fail(f"the estimate failed: {error}")
    if messages.damaged:
        return fail_with(f"damaged archives: {len(messages.damaged)}", messages.damaged)
    if not (counts.to_check or counts.decided or counts.sampled_out):
        return fail_unreadable(counts.faults, config.inputs)
    return DONE


def _estimate_backfill(
    messages: ArchiveMessages, config: Config, settings: EstimateSettings, workers: int
) -> tuple[Estimate, EstimateCounts]:
    price, quota = settings.job.costs.price_per_1k_chars, settings.job.checker.requests_per_minute
    usual_ms = _MODEL_MS if config.check.scorer else _SERVICE_MS
    latency_ms = settings.estimate.assumed_latency_ms or usual_ms
    with closing(plan_answers(messages, config)) as planned:
        counts = count_outcomes(planned, pays_once=config.check.pays_once)
    damaged = len(messages.damaged)
    counted = _COUNTED + _COUNTED_OF_TWO if config.check.screen else _COUNTED
    minutes = counts.calls * latency_ms / (config.check.max_in_flight * workers) / _MS_A_MINUTE
    estimated = Estimate(
        run=config.run,
        read=counts.read + damaged,
        failures=counts.failures + damaged,
        damaged_archives=damaged,
        decided=dict(sorted(counts.decided.items())),
        **{name: getattr(counts, name) for name in counted},
        checkers=config.check.names,
        cost=None if price is None else counts.characters / 1000 * price,
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


def show_estimate(estimate: Estimate, *, pays_first: bool = False) -> None:
    """Print an estimate; `pays_first` says whether the first of two checkers is paid, too."""
    console = Console(highlight=False)
    console.width = min(console.width, _WIDTH)
    read = (counted(estimate.read, "message"), "bold")
    made = "no call made" if estimate.screen_calls is None else "no paid call made"
    if pays_first:
        made = "calls made to the first checker alone"
    console.print(Text.assemble("\n", read, f", {made}\n"))
    for rows in (_message_rows(estimate, pays_first), _call_rows(estimate, pays_first)):
        table = Table.grid(padding=(0, 2))
        table.add_column(min_width=22)
        table.add_column(justify="right", min_width=12)
        for row in rows:
            table.add_row(*row)
        console.print(Padding(table, _INDENT))


def _message_rows(estimate: Estimate, pays_first: bool) -> Iterator[_Row]:
    verdicts = ", ".join(f"{count:,} {name}" for name, count in estimate.decided.items())
    cause = "read" if estimate.screen_calls is None else "read, or checked by the first checker"
    yield "failures", f"{estimate.failures:,}", f"that cannot be {cause}"
    yield "duplicates", f"{estimate.duplicates:,}", ""
    if estimate.sampled_out:
        yield "sampled out", f"{estimate.sampled_out:,}", ""
    yield "decided without a call", f"{sum(estimate.decided.values()):,}", verdicts
    if estimate.escalated is None or estimate.audited is None:
        yield "to be checked", f"{estimate.to_check:,}", ""
        return
    yield "to be checked", f"{estimate.to_check:,}", estimate.checkers
    both = estimate.escalated + estimate.audited
    note = f"{estimate.escalated:,} escalated, {estimate.audited:,} audited"
    yield "by the second checker", f"{both:,}", note
    if not pays_first:
        yield "calls of the first", f"{estimate.screen_calls:,}", "which are not paid"


def _call_rows(estimate: Estimate, pays_first: bool) -> Iterator[_Row]:
    is_of_second = estimate.screen_calls is not None and not pays_first
    name = "calls of the second" if is_of_second else "calls"
    are_repeated = estimate.planned_calls > estimate.calls
    note = f"of {estimate.planned_calls:,}: identical ones are paid once" if are_repeated else ""
    yield name, f"{estimate.calls:,}", note
    yield "characters", f"{estimate.characters:,}", ""
    if estimate.cost is not None:
        price = f"at {estimate.price_per_1k_chars:g} for 1,000 characters"
        yield "cost", f"{estimate.cost:,.2f}", price
    if estimate.minutes_at_quota is not None:
        note = f"at {estimate.requests_per_minute:g} requests a minute"
        yield "minutes", _minutes(estimate.minutes_at_quota), note
    in_flight = estimate.max_in_flight * estimate.workers
    latency = f"{estimate.assumed_latency_ms:g} ms a call (assumed), {in_flight:,} in flight"
    yield "minutes without quota", _minutes(estimate.minutes_without_quota), latency


def _minutes(minutes: float) -> str:
    if minutes < _SHORT_MINUTES:
        return f"under {_SHORT_MINUTES}"
    return f"{minutes:,.1f}" if minutes < _LONG_MINUTES else f"{minutes:,.0f}"
