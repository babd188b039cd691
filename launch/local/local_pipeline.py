"""Run the pipeline inside this process: build it once, run it for every batch."""

import gc
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms import core
from apache_beam.transforms.environments import EmbeddedPythonEnvironment

from launch.job.pipeline_counts import counts_from
from pipeline.build import build_pipeline
from pipeline.settings.config import Config
from pipeline.sinks.batch_results import BatchResults, read_results
from pipeline.sinks.sink import Sink
from pipeline.sources.read_archives import MessageRange
from pipeline.sources.read_batch import Batch, BatchHandle, ReadBatch
from schemas.summary import RunCounts

_GC_THRESHOLDS = 50_000, 20, 100
"""Python's own (700, 10, 10) spend an eighth of the processor time, and find hardly a cycle."""


class LocalPipeline:
    """Run batches of messages through one pipeline, one after the other."""

    def __init__(
        self,
        config: Config,
        options: PipelineOptions,
        sink: Callable[[Config, BatchHandle], Sink],
    ) -> None:
        gc.set_threshold(*_GC_THRESHOLDS)
        _inspect_methods_once()
        self._batches = BatchHandle()
        # Named, since DirectRunner would try to download another: apache_beam's prism_runner.py.
        self._runner = FnApiRunner()
        pipeline = beam.Pipeline(runner=self._runner, options=options)
        build_pipeline(pipeline, ReadBatch(self._batches), sink(config, self._batches), config)
        self._options = pipeline.options
        here = EmbeddedPythonEnvironment.default()
        self._graph = pipeline.to_runner_api(default_environment=here)

    def run(self, ranges: Iterable[MessageRange], folder: str) -> tuple[BatchResults, RunCounts]:
        """Run one batch to its end, with an empty local folder for its files."""
        with self._batches.holding(Batch(ranges, folder)):
            result = self._runner.run_via_runner_api(self._graph, self._options)
            result.wait_until_finish()
        return read_results(folder), counts_from(result)


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


@cache
def _inspect_methods_once() -> None:
    """Let Beam inspect the signature of each method once, not twice a batch (`get_dofn_specs`).

    That is a third of the processor time of an empty batch.
    """
    inspect_method = core.get_function_args_defaults
    inspected: dict[object, Any] = {}

    def inspect_once(method: Any) -> Any:
        function = getattr(method, "__func__", None)
        if function is None:
            return inspect_method(method)
        if function not in inspected:
            inspected[function] = inspect_method(method)
        return inspected[function]

    core.get_function_args_defaults = inspect_once
