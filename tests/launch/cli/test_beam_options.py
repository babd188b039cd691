"""Beam's pipeline options, before a job is started."""

from pathlib import Path

import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from groundwatch.launch.cli import beam_options


def test_dataflow_without_its_extra_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_options, "find_spec", lambda _: None)
    options = PipelineOptions(["--runner=DataflowRunner"])
    assert beam_options._runner_problems(options) == [
        "--runner DataflowRunner needs Beam's extra: pip install 'groundwatch[dataflow]'"
    ]


_RELEASES = "https://github.com/apache/beam/releases/"


@pytest.mark.parametrize(
    ("flag", "problem"),
    [
        ("--flink_job_server_jar=/none/x.jar", "--flink_job_server_jar /none/x.jar: no such file"),
        ("--prism_location=/none/prism", "--prism_location /none/prism: no such file"),
    ],
)
def test_an_engine_whose_program_is_missing_is_a_sentence(flag: str, problem: str) -> None:
    options = PipelineOptions(["--runner=FlinkRunner", flag])
    assert beam_options._runner_problems(options) == [problem]


@pytest.mark.parametrize("place", [f"{_RELEASES}tag/v2.77.0", "gs://bucket/prism", "a file"])
def test_an_engine_whose_program_beam_can_find_is_started(tmp_path: Path, place: str) -> None:
    program = tmp_path / "a file"
    program.touch()
    location = str(program) if place == program.name else place
    options = PipelineOptions(["--runner=PrismRunner", "--prism_location", location])
    assert beam_options._runner_problems(options) == []
