"""Run the pipeline inside this process: build it once, run it for every batch."""

from collections.abc import Iterable
from shutil import rmtree

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import EmbeddedPythonEnvironment

from groundwatch.pipeline.build import build_pipeline
from groundwatch.pipeline.errors import cause_of
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.outcomes import Outcome
from groundwatch.pipeline.sinks.sink import engine_sink
from groundwatch.pipeline.sources.read_batch import Batch, BatchHandle, MessageRange, ReadBatch
from groundwatch.schemas.summary import RunCounts
from groundwatch.transforms.runtime.counters import counts_from


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
