"""What a pipeline that runs many batches in one process changes in Beam."""

from pathlib import Path

from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.transforms import core

from launch.local.local_pipeline import LocalPipeline
from pipeline.settings.config import Config
from pipeline.sinks.sink import SegmentSink


class _Example(core.DoFn):
    def process(self, element: int, timestamp: object = core.DoFn.TimestampParam) -> None:
        """Do nothing."""


def test_beam_inspects_a_method_once(tmp_path: Path) -> None:
    inspected = core.get_function_arguments(_Example(), "process")
    config = Config(inputs=(), output=str(tmp_path), run="run", work_folder=str(tmp_path))
    LocalPipeline(config, PipelineOptions([]), SegmentSink)
    first, second = (core.get_function_arguments(_Example(), "process") for _ in range(2))
    assert first is second
    assert first == inspected == (["element", "timestamp"], [core.DoFn.TimestampParam])
