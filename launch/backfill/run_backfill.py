"""Run a bounded job on this machine: run its batches, publish, clean up."""

import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType

from msgspec.structs import replace

from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.cli.terminal.progress import Progress, read_gauges
from groundwatch.launch.engine.engine_database import EngineDatabase, folder_held
from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.plan import Plan
from groundwatch.launch.engine.process_count import default_processes
from groundwatch.launch.engine.publisher import Publisher
from groundwatch.launch.engine.run_summary import summary_of_journal
from groundwatch.pipeline import storage
from groundwatch.pipeline.errors import RunFailed
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.settings.job import LocalRunSettings
from groundwatch.pipeline.sinks.summary_file import refuse_other_source, write_summary
from groundwatch.pipeline.storage.output_lock import LOCK_WAIT_S, lock_output
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.quantities import to_rfc3339
from groundwatch.schemas.summary import Summary
from groundwatch.transforms.grounding.errors import CheckFailed
from groundwatch.transforms.grounding.reply_cache import read_spent
from groundwatch.transforms.grounding.try_connection import try_connection
from groundwatch.transforms.rules.rate_incidents import RateEvaluator
from groundwatch.transforms.runtime import clock
from groundwatch.transforms.runtime.errors import InvalidEnvironment
from groundwatch.transforms.runtime.signals import written_beside
from .archive_source import AnyEvent
from .begin_run import ENDED, as_begun, begin_or_resume, look_back
from .earlier_runs import publish_summary, remove_left_behind
from .processes import Processes, run_batches
from .replayed_failures import claim_resolved, resolve_replayed
from .same_run import EndedRun, WouldReplace, finished_run

_PUBLISH_EVERY_S = 1.0
_RATES_EVALUATED = "rates_evaluated"


@contextmanager
def local_run(config: Config, processes: int | None, flags: LocalRunSettings) -> Iterator[EndedRun]:
    """Run a job on this machine to its end, or to its limit; yield its summary.

    An interrupted run is resumed; after a change of flags or input, only its paid replies stay. A
    finished run is not run again, unless with `again`. The state of a run that has ended is removed
    when the `with` block ends without an error; its paid replies stay if its budget left answers to
    the first of two checkers.

    Raises:
      WouldReplace: the run would replace the results of a finished one.
    """
    started_at_us = clock.now_us()
    folder = str(config.work_folder)
    with ExitStack() as opened:
        opened.enter_context(folder_held(folder))
        database = EngineDatabase.owned(folder)
        opened.callback(database.close)
        lock = opened.enter_context(lock_output(config.lock, LOCK_WAIT_S, owner=database.identity))
        refuse_other_source(config.destination, config.source)
        config = as_begun(config, database)
        try:
            ended, change = look_back(config, database, again=flags.again)
            if ended is None:
                # Each call would try for minutes before the run gives up.
                try_connection(config.check)
        except (CheckFailed, InvalidEnvironment, WouldReplace):
            _remove_unused(config, database)
            raise
        if ended is None:
            is_resumed = begin_or_resume(config, processes, flags, database, change)
            if config.replays:
                # Also where it is resumed: another replay may have ended meanwhile.
                claim_resolved(config, database.path)
            run = _Run(config, database, started_at_us)
            run.process(processes, is_resumed=is_resumed)
            lock.check()
            ended = EndedRun(run.publish())
        yield ended
        if ended.is_earlier:
            _remove_unused(config, database)
        elif ended.summary.over_budget:
            # With a larger budget, it is run again, and pays only for what is left.
            database.reset()
        elif not ended.summary.deferred:
            _remove_state(config, database)
    remove_left_behind(config)


def _remove_unused(config: Config, database: EngineDatabase) -> None:
    """Remove the state of a run that was not begun, unless it has paid replies of another."""
    if not Plan(database).planned() and not read_spent(database.path).calls:
        _remove_state(config, database)


def _remove_state(config: Config, database: EngineDatabase) -> None:
    database.remove()
    storage.remove_folder(config.destination.temporary_folder)
    # A folder that the user named may hold other files.
    with suppress(OSError):
        Path(database.folder).rmdir()


class _Run:
    """One attempt at a run."""

    def __init__(self, config: Config, database: EngineDatabase, started_at_us: int) -> None:
        self._config = config
        self._database = database
        self._plan = Plan(database)
        planned = self._plan.planned()
        assert planned is not None  # noqa: S101 - made before
        self._planned = planned
        self._journal = Journal(database, config)
        self._publisher = Publisher(database, config)
        self._started_at_us = started_at_us
        self._publish_at_s = 0.0
        # Its results are replaced all at once, so that no reader sees answers of both runs.
        self._replaced = None if config.replays else finished_run(config)

    def process(self, processes: int | None, *, is_resumed: bool) -> None:
        """Run the batches that wait, and publish files as they fill; None chooses the processes."""
        self._publisher.recover()
        self._plan.resume()
        if not self._replaced:
            write_summary(self._config.destination, self._summary(ended=False))
        waiting, total = self._plan.waiting(), self._planned.messages
        if is_resumed:
            done, calls = total - waiting, read_spent(self._database.path).calls
            made = f", and {counted(calls, 'call')} made" if calls else ""
            sys.stderr.write(
                f"groundwatch: going on: {done:,} of {total:,} messages are done{made}\n"
            )
        if self._plan.is_done():
            return
        attempt = secrets.token_hex(4)
        count = processes or default_processes(self._config.check, waiting)
        if count > 1:
            config = self._config if processes else _shared(self._config, count)
            pool = Processes(config, attempt, count)
            with _interruptible(pool.stop) as check, Progress(total, total - waiting, pool.gauges):
                pool.run(self._publish_full)
        else:
            stop = threading.Event()
            with _interruptible(stop) as check, Progress(total, total - waiting, read_gauges):
                run_batches(self._config, attempt, stop, self._publish_full)
        if check():
            done = total - self._plan.waiting()
            raise RunFailed(
                f"interrupted: {max(done, 0):,} of {total:,} messages are done; give the same"
                " command again to finish it"
            )

    def publish(self) -> Summary:
        """Publish everything, and write the summary, unless it could not replace all of a run."""
        if self._replaced:
            if not self._plan.is_done():
                sys.stderr.write(
                    f"groundwatch: {self._config.output} keeps the results of the run that finished"
                    f" at {to_rfc3339(self._replaced.finished_at_us)} until this one has ended: its"
                    f" own wait in {self._database.folder}\n"
                )
                return self._summary(ended=True)
            write_summary(self._config.destination, self._summary(ended=False))
        if self._plan.is_done() and not self._database.note(_RATES_EVALUATED, bool):
            alerts: list[Alert] = []
            for name, counts in self._journal.rates().items():
                alerts += RateEvaluator(name, self._config.rates).evaluate(counts)
            self._journal.raise_alerts(alerts, {_RATES_EVALUATED: True})
        self._publisher.publish(everything=True)
        summary = self._summary(ended=True)
        published = self._publisher.rows_published()
        for kind in ("enriched", "failures", "alerts"):
            if getattr(summary, kind) != published.get(kind, 0):
                raise RunFailed(
                    f"{getattr(summary, kind)} rows of {kind} were written, and"
                    f" {published.get(kind, 0)} are in files: the output is not complete"
                )
        if summary.is_complete:
            self._database.keep_note(ENDED, summary)
            # What follows cannot be done twice with less than this.
            self._database.checkpoint()
        return publish_summary(self._config, summary)

    def _summary(self, *, ended: bool) -> Summary:
        summary = summary_of_journal(
            self._config,
            self._journal,
            started_at_us=self._started_at_us,
            deferred=self._plan.waiting(),
        )
        summary = replace(summary, unfinished=not ended, planned=self._planned)
        return resolve_replayed(self._config, summary, self._plan.waiting_ranges())

    def _publish_full(self) -> None:
        """Publish files that are full, once a second, unless they replace those of a run."""
        if time.monotonic() >= self._publish_at_s:
            if not self._replaced:
                self._publisher.publish()
            self._database.checkpoint()
            self._publish_at_s = time.monotonic() + _PUBLISH_EVERY_S


def _shared(config: Config, processes: int) -> Config:
    """Divide the calls at a time that one process would have among several."""
    in_flight = max(1, config.check.max_in_flight // processes)
    return replace(config, check=replace(config.check, max_in_flight=in_flight))


@contextmanager
def _interruptible(stop: AnyEvent) -> Iterator[Callable[[], bool]]:
    """Let a first interrupt end the calls in flight, and a second one end everything."""
    interrupted = threading.Event()
    is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # behind a shell's `&`
    if is_ignored or threading.current_thread() is not threading.main_thread():
        yield interrupted.is_set
        return
    sentence = "ending when the calls in flight have ended; interrupt again to end now"
    with written_beside(partial(sys.stderr.write, f"groundwatch: {sentence}\n")) as announce:

        def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
            if interrupted.is_set():
                raise KeyboardInterrupt
            interrupted.set()
            stop.set()
            announce()

        earlier = signal.signal(signal.SIGINT, interrupt)
        try:
            yield interrupted.is_set
        finally:
            signal.signal(signal.SIGINT, earlier)
