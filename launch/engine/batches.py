"""Run batches through the pipeline in this process, and commit the outcome of each."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from shutil import rmtree

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import EmbeddedPythonEnvironment
from msgspec.structs import replace

from groundwatch.pipeline.build import build_pipeline
from groundwatch.pipeline.errors import cause_of
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.outcomes import Outcome
from groundwatch.pipeline.sinks.sink import engine_sink
from groundwatch.pipeline.sources.read_batch import Batch, BatchHandle, MessageRange, ReadBatch
from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.message import Message
from groundwatch.schemas.summary import RunCounts
from groundwatch.transforms.grounding.check_session import CheckSession
from groundwatch.transforms.persistence.seen_ids import SeenIds
from groundwatch.transforms.runtime.counters import counts_from
from .journal import Journal


class Work(Record, frozen=True):
    """A batch of messages; `is_retry` if an earlier attempt at it may have ended without a commit.

    `finished_answers` of its messages have ended in earlier batches, and are not counted again.
    """

    number: int
    ranges: Iterable[MessageRange]
    is_retry: bool = True
    messages: Sequence[Message] = ()
    finished_answers: int = 0


class LocalPipeline:
    """Run batches of messages through one graph, one after the other.

    Beam sets up the steps for each batch, and tears them down. Hold what they share open meanwhile:
    `checks_open` and `seen_ids_open`.
    """

    def __init__(self, config: Config) -> None:
        # The steps' types are the same at each start: the tests check them, which takes .05 s.
        self._options = PipelineOptions([*config.beam_arguments, "--no_pipeline_type_check"])
        self._batches = BatchHandle()
        # Named, since DirectRunner would try to download another: apache_beam's prism_runner.py.
        self._runner = FnApiRunner()
        pipeline = beam.Pipeline(runner=self._runner, options=self._options)
        sink = engine_sink(config, self._batches)
        build_pipeline(pipeline, ReadBatch(self._batches), sink, config)
        here = EmbeddedPythonEnvironment.default()
        self._graph = pipeline.to_runner_api(default_environment=here)
        # Only `Pipeline.run` would remove it.
        rmtree(pipeline.local_tempdir)

    def run(self, ranges: Iterable[MessageRange]) -> tuple[Outcome, RunCounts]:
        """Run one batch to its end; raise what a step has raised."""
        batch = Batch(ranges)
        try:
            with self._batches.holding(batch):
                result = self._runner.run_via_runner_api(self._graph, self._options)
        except BaseException as error:  # noqa: BLE001 - Beam wraps what a step raises
            raise cause_of(error) from None
        collected = {name: tuple(rows) for name, rows in batch.collected.items()}
        return Outcome(**collected), counts_from(result)


class Batches(Record, frozen=True):
    """Run batches; when `run` returns, the outcome is durable."""

    pipeline: LocalPipeline
    journal: Journal
    seen: SeenIds
    checks: CheckSession

    def run(
        self,
        work: Work,
        *,
        read: Callable[[], None] | None = None,
        advance: Callable[[Outcome], None] = lambda _: None,
    ) -> tuple[Outcome, RunCounts]:
        """Run a batch, and commit its outcome.

        `read` is called when all messages are read and their ids are claimed, `advance` as part of
        the transaction. After an error or a crash before that nothing is committed. The error is
        `TooManyAnswers`, `RunFailed`, `RunStopped`, an OSError, or a bug. Messages of a committed
        batch that are delivered again are found to be duplicates.
        """
        self.seen.start_batch(work.number, is_retry=work.is_retry, on_all_claimed=read)
        self.checks.start_batch(work.number, is_retry=work.is_retry)
        outcome, counts = self.pipeline.run(work.ranges)
        self.checks.flush()
        outcome, counts = self._without_repeated(work, outcome, counts)
        self.journal.commit(
            work.number, outcome, counts, messages=work.messages, advance=partial(advance, outcome)
        )
        return outcome, counts

    def fail(self, number: int, failure: Failure, alerts: Sequence[Alert] = ()) -> None:
        """Commit a failure; it is a duplicate if its message, or answer, has failed before."""
        self.seen.start_batch(number, is_retry=True)
        [is_new] = self.seen.claim([failure.record_id or unreadable_id(failure.message)])
        outcome = Outcome(alerts=tuple(alerts), failures=(failure,) if is_new else ())
        counts = RunCounts(read=1, duplicates=int(not is_new))
        self.journal.commit(number, outcome, counts, messages=[failure.message])

    def _without_repeated(
        self, work: Work, outcome: Outcome, counts: RunCounts
    ) -> tuple[Outcome, RunCounts]:
        """Drop and count failures of messages that cannot be read, and have failed before."""
        unread = [each for each in outcome.failures if each.record_id is None]
        ids = [unreadable_id(failure.message) for failure in unread]
        are_new = self.seen.claim(ids, work.number)
        repeated = {id(each) for each, is_new in zip(unread, are_new, strict=True) if not is_new}
        kept = tuple(failure for failure in outcome.failures if id(failure) not in repeated)
        # They were read again beside a deferred answer, and counted as duplicates.
        finished = work.finished_answers
        duplicates = counts.duplicates + len(repeated) - finished
        counts = replace(counts, read=counts.read - finished, duplicates=duplicates)
        return replace(outcome, failures=kept), counts


def unreadable_id(message: Message) -> str:
    """Identify a message without an answer by its place, in the form of a record id.

    A Pub/Sub server may begin its message ids again: publish time and payload belong to them.
    """
    place = f"message {message.answer_place} {message.publish_time_us}".encode()
    if message.publish_time_us is not None:
        place += hashlib.sha256(message.payload).digest()
    return hashlib.sha256(place).hexdigest()
