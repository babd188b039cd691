"""The main page as a machine inside this process: built once, run for every batch."""

import gc
import uuid
from collections.abc import Iterable

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import EmbeddedPythonEnvironment
from msgspec.structs import replace

from launch.local.run_counts import counts_from
from pipeline.build import build_pipeline
from pipeline.settings.config import Config
from pipeline.sources.read_batch import Batch, Source, under_way
from schemas.summary import RunCounts

_ALLOCATIONS, _YOUNG, _OLD = 50_000, 20, 100
"""When Python looks for cycles of objects: at 700, 10 and 10, its own choice, an eighth of a run's
processor time went into looking, and there is hardly one to be found."""


class LocalPipeline:
    """Runs batches of messages through the pipeline, one after the other.

    Args:
      config: the run's settings.
      options: Beam's own.
    """

    def __init__(self, config: Config, options: PipelineOptions) -> None:
        gc.set_threshold(_ALLOCATIONS, _YOUNG, _OLD)
        self._key = uuid.uuid4().hex
        # Named, since DirectRunner would try to download another: apache_beam's prism_runner.py.
        self._runner = FnApiRunner()
        pipeline = beam.Pipeline(runner=self._runner, options=options)
        build_pipeline(pipeline, replace(config, batch=self._key))
        self._options = pipeline.options
        here = EmbeddedPythonEnvironment.default()
        self._graph = pipeline.to_runner_api(default_environment=here)

    def run(self, sources: Iterable[Source], folder: str) -> tuple[Batch, RunCounts]:
        """Run one batch to its end.

        Args:
          sources: the messages.
          folder: a local folder for the files of the batch.

        Returns:
          What was written, and what was counted.

        Raises:
          Exception: whatever ended the batch early; what it wrote is worth nothing then.
        """
        batch = Batch(sources, folder)
        with under_way(self._key, batch):
            result = self._runner.run_via_runner_api(self._graph, self._options)
            result.wait_until_finish()
        return batch, counts_from(result)
