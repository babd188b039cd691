"""Start a job that ends: a backfill, a replay of failures, or the demo; or raise UsageError.

What runs the job is imported when all settings are valid: an import of Beam takes a second.
"""

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec.structs import asdict, replace

from groundwatch.launch.cli.commands.backfill import BackfillSettings
from groundwatch.launch.cli.commands.demo import DemoSettings
from groundwatch.launch.cli.commands.replay import ReplaySettings
from groundwatch.launch.cli.paths import (
    STANDARD_INPUT,
    KeptInput,
    default_run_id,
    default_work_folder,
    find_inputs,
    standard_input_kept,
    try_output,
)
from groundwatch.launch.cli.placement import place_job
from groundwatch.launch.cli.samples import sample_paths
from groundwatch.launch.cli.terminal.exit_status import fail
from groundwatch.launch.engine.engine_database import may_hold
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config, Destination, job_config, settings_to_note
from groundwatch.pipeline.settings.definition import build
from groundwatch.pipeline.settings.job import JobSettings
from groundwatch.pipeline.settings.load import Loaded, UsageError, flag_names
from groundwatch.pipeline.sinks.summary_file import read_summaries
from groundwatch.schemas.summary import Summary
from .replayed_failures import free_run_id, move_replayed, unfinished_replay
from .same_run import planned_inputs, repeated_replay, run_of_files

_FILE_NUMBER = re.compile(r"-(batch-0-)?\d+\.jsonl$")  # what follows a run's name in that of a file


def backfill(loaded: Loaded[BackfillSettings]) -> int:
    """Check an archive."""
    patterns, job = loaded.settings.input.input, loaded.settings.job
    if STANDARD_INPUT not in patterns:
        return _run(*prepare(loaded, "input", patterns), job)
    if not place_job(loaded, job, loaded.problems).is_local:
        loaded.problems.append("--input -: standard input can only be read on this machine")
    loaded.raise_problems()
    destination = Destination(root=job.output.output, run=default_run_id(patterns))
    try:
        with standard_input_kept(destination) as kept:
            return _run(*prepare(loaded, "input", patterns, kept), job)
    except OSError as error:
        return fail(f"the run failed: {error}")


def replay(loaded: Loaded[ReplaySettings]) -> int:
    """Check failures of an earlier run again."""
    job = loaded.settings.job
    if output := job.output.output:
        try:
            # An interrupted replay may have moved only some.
            move_replayed(output, read_summaries(output))
        except OSError as error:
            loaded.problems.append(f"--output {output}: {error}")
    return _run(*prepare(loaded, "failures", loaded.settings.failures.failures), job)


def find_inherited(
    given: Mapping[str, tuple[str, ...]],
    arguments: Collection[str],
    problems: list[str],
    notes: list[str],
) -> dict[str, tuple[str, ...]]:
    """Return what the run of the failures has noted of its settings, by key (see `load`).

    Runs that differ in a setting are a problem, unless the arguments have it.
    """
    patterns, [output] = given.get("failures", ()), given.get("output", ("",))[-1:]
    try:
        paths = find_inputs("--failures", patterns, [])
        runs = list(_runs_of(paths)) if paths else _finished_replay(patterns, output)
    except OSError:
        return {}  # The command meets it again, and says so.
    noted = [run.settings for run in runs if run and run.settings is not None]
    if len(noted) < len(runs):
        notes.append(
            "the settings of a run of these failures are unknown, since it is of an earlier"
            " release or its folder runs/ is not beside them: those of this command count"
        )
    accepted = set(flag_names(ReplaySettings)).difference(arguments)
    found: dict[str, tuple[str, ...]] = {}
    for key in sorted(accepted & set().union(*noted)):
        first, *others = {settings.get(key, ()) for settings in noted}
        if others:
            problems.append(
                f"--failures: their runs have different settings of --{key}: give --{key}, or the"
                " failures of one run at a time"
            )
        else:
            found[key] = first
    if found:
        flags = (shlex.join([f"--{key}", *texts]) for key, texts in found.items())
        notes.append(f"settings of the failures' run: {' '.join(flags)}")
    return found


def _runs_of(paths: Sequence[str]) -> Iterator[Summary | None]:
    """Find the run that has written each of the files, None if it is unknown; each run once."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder.rpartition("/")[0] or ".", []).append(name)
    for root, names in folders.items():
        runs = {run.name: run for run in read_summaries(root)}
        yield from map(runs.get, {_FILE_NUMBER.sub("", name) for name in names})


def _finished_replay(patterns: Sequence[str], output: str) -> list[Summary]:
    """Find the last replay of the failures, which has moved them."""
    source = default_run_id(patterns)
    runs = (run for run in read_summaries(output) if run.source == source and run.settings)
    return sorted(runs, key=lambda run: run.finished_at_us)[-1:]


def demo(loaded: Loaded[DemoSettings]) -> int:
    """Check the bundled sample answers: with the embedded checker seconds, and no network."""
    destination = Destination(root=loaded.settings.demo_output, run="demo")
    try_output(destination, loaded.problems)
    loaded.raise_problems()
    work_folder = default_work_folder(destination)
    config = Config(
        inputs=tuple(sample_paths()),
        output=destination.root,
        run=destination.run,
        work_folder=work_folder,
        check=loaded.settings.checker.check(reply_folder=work_folder),
        settings=settings_to_note(loaded.given),
    )
    # The samples of another release are others.
    return _run(config, 1, build(JobSettings, {"again": True}))


def prepare(
    loaded: Loaded[BackfillSettings] | Loaded[ReplaySettings],
    flag: str,
    patterns: tuple[str, ...],
    kept: KeptInput | None = None,
) -> tuple[Config, int | None]:
    """Derive a job's configuration, and the number of processes that run it, if the user says.

    `kept` is what came from standard input.
    """
    job, problems = loaded.settings.job, loaded.problems
    replays = isinstance(loaded.settings, ReplaySettings)
    placement = place_job(loaded, job, problems)
    if not placement.is_local:
        problems += _local_flags(job)
    # Failures are in an output folder.
    output = None if replays else job.output.output
    # A finished replay has moved them.
    not_found: list[str] = [] if replays else problems
    paths = [kept.path if kept and each == STANDARD_INPUT else each for each in patterns]
    found = find_inputs(f"--{flag}", paths, not_found, output)
    inputs = tuple(map(storage.resolve, found))
    run_id = job.output.run_id or (kept.run if kept else default_run_id(patterns))
    destination = Destination(root=job.output.output, run=run_id)
    if destination.root:
        try_output(destination, problems)
    if replays and (inputs or problems):
        problems += not_found
    loaded.raise_problems()
    placement.warn_of_unused_flags()

    def configured(run: str, inputs: tuple[str, ...], source: str | None) -> Config:
        folder = None
        if placement.is_local:
            folder = job.local.work_folder or default_work_folder(replace(destination, run=run))
        return job_config(
            job,
            run=run,
            given=loaded.given,
            inputs=inputs,
            source=source,
            replays=replays,
            workers=placement.processes or 1,
            work_folder=folder,
            reply_folder=folder,
            beam_arguments=placement.beam_arguments,
        )

    config = configured(run_id, inputs, default_run_id(patterns))
    is_named = job.output.run_id is not None
    try:
        earlier = None if kept else run_of_files(config, is_named=is_named)
    except OSError as error:
        raise UsageError([f"--output {config.output}: {error}"]) from None
    if earlier:
        config, is_named = configured(earlier.run, inputs, earlier.source), True
    if replays:
        config = _resumed_or_repeated(config, configured, is_named=is_named)
        _refuse_beside_unfinished(config)
        if not config.inputs:
            raise UsageError(not_found)
    return config, placement.processes


def _resumed_or_repeated(
    config: Config,
    configured: Callable[[str, tuple[str, ...], str | None], Config],
    *,
    is_named: bool,
) -> Config:
    """Find the replay that this one resumes or repeats, or choose a new id for it."""

    def is_active(run: str) -> bool:
        folder = configured(run, (), None).work_folder
        return folder is not None and may_hold(folder, run)

    if repeated := repeated_replay(config, is_active, is_named=is_named):
        return configured(repeated.run, config.inputs or planned_inputs(repeated), repeated.source)
    if is_named:
        return config
    run = free_run_id(config.output, config.run, is_active)
    return configured(run, config.inputs, config.source)


def _refuse_beside_unfinished(config: Config) -> None:
    if other := unfinished_replay(config):
        problem = (
            f"the replay {other.run} into {config.output} was interrupted, or still runs, and may"
            " have answers of these failures that are in no file yet: give its command again to"
            f" finish it (--run_id {other.run} --failures {shlex.quote(planned_inputs(other)[0])})"
        )
        raise UsageError([problem])


def _local_flags(job: JobSettings) -> Iterator[str]:
    given = asdict(job.local) | asdict(job.costs)
    for name in ("work_folder", "forget_replies", "max_calls", "max_cost"):
        if given[name]:
            yield f"--{name}: is only for a run on this machine, without --runner"


def _run(config: Config, processes: int | None, job: JobSettings) -> int:
    from .run_job import run_job  # noqa: PLC0415 - it imports Beam

    return run_job(config, processes, job)
