"""Beam's pipeline options, before a job is started."""

import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from launch.job import beam_options


def test_dataflow_without_its_extra_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_options, "find_spec", lambda _: None)
    options = PipelineOptions(["--runner=DataflowRunner"])
    assert beam_options._runner_problems(options) == [
        "--runner DataflowRunner needs Beam's extra: pip install 'groundwatch[dataflow]'"
    ]
