"""Resume an interrupted run, begin a new one, or find that the same one has ended."""

import sys
from contextlib import closing

from msgspec.structs import replace

from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.plan import Plan
from groundwatch.launch.engine.process_count import batch_size, default_processes
from groundwatch.launch.engine.publisher import Publisher
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.settings.job import LocalRunSettings
from groundwatch.pipeline.sources.archives import examine_file
from groundwatch.pipeline.sources.splits import Segment, split_segments
from groundwatch.schemas.planned_run import PlannedRun
from groundwatch.schemas.quantities import to_rfc3339
from groundwatch.schemas.summary import Summary
from groundwatch.transforms.grounding.reply_cache import ReplyStore, read_spent
from . import earlier_runs, replayed_failures, same_run

SEGMENT_MESSAGES = 10_000  # a run commits its progress every so many messages
ENDED = "ended"
"""The note with the summary of a run whose results are all published."""

_LARGER_BUDGET = "the budget is larger"


def make_plan(
    config: Config, processes: int | None, segment_messages: int = SEGMENT_MESSAGES
) -> tuple[PlannedRun, list[Segment]]:
    """Verify the input, count its messages, and split it into batches, some for each process."""
    files = [(path, examine_file(path, are_failures=config.replays)) for path in config.inputs]
    messages = sum(contents.messages for _, contents in files)
    processes = processes or default_processes(config.check, messages)
    size = batch_size(config.check, messages, processes, segment_messages)
    versions = [contents.version for _, contents in files]
    return same_run.planned_now(config, versions, messages), split_segments(files, size)


def as_begun(config: Config, database: EngineDatabase) -> Config:
    """Let an interrupted run end as it began.

    A replay that is resumed, or begins again, reads no failures of its own. A run of an earlier
    release, which checked by words alone unless it was given a model, goes on so.
    """
    earlier = Plan(database).planned()
    by_words = replace(config, check=config.check.by_words())
    fingerprint = same_run.fingerprint
    if earlier and fingerprint(by_words) == earlier.fingerprint != fingerprint(config):
        sys.stderr.write(
            "groundwatch: the run began without the model that comes with groundwatch, and goes on"
            " by words alone; --again checks all of it with the model\n"
        )
        config = by_words
    if not config.replays:
        return config
    # Its results may be replaced by another run.
    is_in_output = any(
        each.journal == database.identity for each in same_run.runs_like(config, config.output)
    )
    if earlier and (is_in_output or all(map(storage.exists, earlier.inputs))):
        return replace(config, inputs=earlier.inputs)
    # Its database is gone, and these files go when it has ended.
    own = earlier_runs.failures_begun(config)
    given = tuple(
        path for path in config.inputs if storage.name_below(path, config.output) not in own
    )
    return replace(config, inputs=given or config.inputs)


def _leave_out_resolved(config: Config, database: EngineDatabase) -> None:
    """Leave out the failures that others have resolved while a replay was stopped."""
    moved = replayed_failures.taken_over(config)
    if messages := Plan(database).leave_out(moved):
        left = Plan(database).waiting()
        sys.stderr.write(
            f"groundwatch: {counted(messages, 'failure')} that waited went to"
            f" {' and '.join(sorted(set(moved.values())))}, which has resolved or replaced them;"
            f" {f'{left:,} wait' if left else 'nothing is left'}\n"
        )


def look_back(
    config: Config, database: EngineDatabase, *, again: bool
) -> tuple[same_run.EndedRun | None, str | None]:
    """Find the run that has ended already, or say why no interrupted one is resumed.

    With a larger budget than the one that has left answers to the first of two checkers, a run is
    neither resumed nor ended: a new one has paid for what it has.

    Raises:
      WouldReplace: the run would replace the results of a finished one, or pay for them again.
    """
    if summary := database.note(ENDED, Summary):
        # It was killed when all of its results were published.
        earlier_runs.publish_summary(config, summary)
        if not (
            same_run.change_since_end(config, summary)
            or same_run.allows_more(config, summary.planned, summary)
        ):
            return same_run.EndedRun(summary), None
        database.reset()
    earlier = Plan(database).planned()
    change = (
        same_run.change_since(config, earlier, replayed_failures.taken_over(config))
        if earlier
        else "no plan is left"
    )
    if earlier and not change and Publisher(database, config).rows_published():
        change = same_run.change_in_files(config, earlier, *same_run.TEXTS)
    if change is None:
        counts = Journal(database, config).totals()
        change = _LARGER_BUDGET if same_run.allows_more(config, earlier, counts) else None
    finished = same_run.repeated_run(config) if change and not again else None
    if finished is None:
        return None, change
    earlier_runs.end_publication(config, finished)
    if not same_run.allows_more(config, finished.planned, finished):
        return same_run.EndedRun(finished, is_earlier=True), None
    if finished.calls and not read_spent(database.path).calls:
        raise same_run.WouldReplace(
            f"the replies that the run of {to_rfc3339(finished.finished_at_us)} has paid for are"
            f" not in {database.folder}: nothing was checked or written; give --again to pay for"
            " all of them again, or another --output to keep what it has"
        )
    return None, _LARGER_BUDGET


def begin_or_resume(
    config: Config,
    processes: int | None,
    flags: LocalRunSettings,
    database: EngineDatabase,
    change: str | None,
) -> bool:
    """Resume the plan of an interrupted run, or begin a new one; return whether it is resumed."""
    if change is None and not flags.forget_replies:
        database.assign_run(config.run)
        Plan(database).note_try(config.check.budget, same_run.in_files(config))
        _leave_out_resolved(config, database)
        return True
    if gone := [path for path in config.inputs if config.replays and not storage.exists(path)]:
        raise same_run.WouldReplace(
            f"{gone[0]} is gone, and the replay that had begun it cannot go on ({change}): nothing"
            " was checked or written; put it back, or give another --run_id to replay what is there"
        )
    planned, batches = make_plan(config, processes)
    is_interrupted = Plan(database).planned() is not None
    if is_interrupted:
        # Its published files are removed when the new run has ended.
        Publisher(database, config).recover()
        database.reset()
    earlier_runs.announce_replacement(config)
    with closing(ReplyStore(database.path)) as store:
        if flags.forget_replies:
            store.delete_replies()
        elif (replies := store.release_all()) or is_interrupted:
            kept = (
                f"; {counted(replies, 'check')} that an earlier run has paid for will not be paid"
                " for again unless with --forget_replies"
            )
            sys.stderr.write(f"groundwatch: {change}: a new run begins{kept if replies else ''}\n")
    database.assign_run(config.run)
    Plan(database).begin(planned, batches)
    return False
