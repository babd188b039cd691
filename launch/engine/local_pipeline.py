"""Run the pipeline inside this process: build it once, run it for every batch."""

from collections.abc import Callable, Iterable
from functools import cache
from shutil import rmtree
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner.execution import FnApiRunnerExecutionContext
from apache_beam.runners.portability.fn_api_runner.fn_runner import (
    ExtendedProvisionInfo,
    FnApiRunner,
    RunnerResult,
)
from apache_beam.runners.portability.fn_api_runner.worker_handlers import WorkerHandlerManager
from apache_beam.runners.runner import PipelineState
from apache_beam.runners.worker.statesampler import StateSampler
from apache_beam.transforms import userstate
from apache_beam.transforms.environments import EmbeddedPythonEnvironment

from pipeline.build import build_pipeline
from pipeline.settings.config import Config
from pipeline.sinks.outcomes import Outcome
from pipeline.sinks.sink import Sink
from pipeline.sources.read_archives import MessageRange
from pipeline.sources.read_batch import Batch, BatchHandle, ReadBatch
from schemas.summary import RunCounts
from transforms.runtime.counters import counts_from

_SAMPLING_PERIOD_MS = 10
"""Beam's own, 200, is also for how long the end of a bundle may wait for its sampling thread."""

_find_specs = userstate.get_dofn_specs
_specs: dict[type, Any] = {}


class LocalPipeline:
    """Run batches of messages through one pipeline, one after the other.

    The steps are set up by the first batch, and torn down by `close`.
    """

    def __init__(
        self,
        config: Config,
        options: PipelineOptions,
        sink: Callable[[Config, BatchHandle], Sink],
    ) -> None:
        StateSampler.__init__.__defaults__ = (_SAMPLING_PERIOD_MS,)
        userstate.get_dofn_specs = _specs_of
        self._batches = BatchHandle()
        # Named, since DirectRunner would try to download another: apache_beam's prism_runner.py.
        self._runner = FnApiRunner()
        # Beam asks for views 300 times, and each would parse the flags: half of the time here.
        vars(options)["view_as"] = cache(options.view_as)
        pipeline = beam.Pipeline(runner=self._runner, options=options)
        build_pipeline(pipeline, ReadBatch(self._batches), sink(config, self._batches), config)
        here = EmbeddedPythonEnvironment.default()
        self._graph = pipeline.to_runner_api(default_environment=here)
        # Only `Pipeline.run` would remove it.
        rmtree(pipeline.local_tempdir)
        self._steps: _Steps | None = None

    def run(self, ranges: Iterable[MessageRange]) -> tuple[Outcome, RunCounts]:
        """Run one batch to its end; raise what a step has raised."""
        self._steps = self._steps or _Steps(self._runner, self._graph)
        batch = Batch(ranges)
        try:
            with self._batches.holding(batch):
                result = self._steps.run()
        except BaseException as error:  # noqa: BLE001 - Beam wraps what a step raises
            raise cause_of(error) from None
        collected = {name: tuple(rows) for name, rows in batch.collected.items()}
        return Outcome(**collected), counts_from(result)

    def close(self) -> None:
        """Tear down the steps; another batch sets them up again."""
        if self._steps:
            self._steps.close()
            self._steps = None


class _Steps:
    """The steps of a graph, which run one bundle after the other.

    `FnApiRunner.run` unpickles and sets up all steps for every bundle, which takes 30 ms.
    """

    def __init__(self, runner: FnApiRunner, graph: Any) -> None:
        context, stages = runner.create_stages(graph)
        # Without a shuffle all steps are fused.
        [self._stage] = stages
        self._runner = runner
        components = context.components
        self._workers = WorkerHandlerManager(components.environments, ExtendedProvisionInfo())
        self._context = FnApiRunnerExecutionContext(
            stages,
            self._workers,
            components,
            context.safe_coders,
            context.data_channel_coders,
            num_workers=1,
        )
        self._context.setup()
        _, self._impulse = self._context.queues.ready_inputs.deque()

    def run(self) -> RunnerResult:
        """Run a bundle; if it fails, Beam sets up the steps of the next one again."""
        bundles = self._context.bundle_manager_for(self._stage)
        done = self._runner._execute_bundle(self._context, bundles, self._impulse)  # noqa: SLF001
        infos = {self._stage.name: done.process_bundle.monitoring_infos}
        return RunnerResult(PipelineState.DONE, infos)

    def close(self) -> None:
        """Tear down the steps."""
        self._workers.close_all()


def _specs_of(step: beam.DoFn) -> Any:
    """Return the states and timers of a step: Beam asks 200 times, and inspects each method."""
    kind = type(step)
    if kind not in _specs:
        _specs[kind] = _find_specs(step)
    return _specs[kind]


def cause_of(error: BaseException) -> BaseException:
    """Return the exception that a step raised, which Beam wraps, or an interrupt before it."""
    context: BaseException | None = error
    while context is not None:
        if isinstance(context, KeyboardInterrupt):
            return context
        context = context.__context__
    while getattr(error, "_tagged_with_step", False) and error.__context__ is not None:
        error = error.__context__
    return error
