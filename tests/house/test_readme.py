"""What the README promises is there."""

import re

import apache_beam as beam
import pytest

from groundwatch.launch.cli.commands import all_commands, documented_commands
from groundwatch.pipeline.build import build_pipeline
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.settings.definition import settings_of
from groundwatch.pipeline.sinks.sink import archive_sink
from groundwatch.pipeline.sources.read_archives import ReadArchives
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.formats.format_table import FORMATS
from tests.support.repository import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
_NO_STEPS = {"Pub", "Sub", "Avro"}
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_command_is_listed_and_no_other() -> None:
    listed = set(
        re.findall(r"^\| `([a-z-]+)` \|", README.partition("## Commands")[2], re.MULTILINE)
    )
    assert listed == set(all_commands())


def test_every_flag_that_the_readme_names_exists() -> None:
    named = set(re.findall(r"(?<![\w-])--([a-z][a-z0-9_]+)", README)) - {
        "config",
        "runner",  # of Beam
        "data",  # of curl
        "help",
    }
    known = {
        setting.name for _, settings in documented_commands() for setting in settings_of(settings)
    }
    assert named <= known


def test_the_diagram_speaks_the_words_of_the_steps() -> None:
    root = beam.Pipeline(options=beam.options.pipeline_options.PipelineOptions([]))
    config = Config(inputs=("a",), output="out", run="run")
    build_pipeline(root, ReadArchives(config.inputs), archive_sink(config), config)
    labels = {part.full_label for part in root._current_transform().parts}
    diagram = next(block for block in README.split("```") if "ReadMessages" in block)
    words = {word for word in re.findall(r"[A-Z][A-Za-z]+", diagram) if word not in _NO_STEPS}
    assert words == labels


def test_the_first_command_is_there() -> None:
    assert "make demo\n" in README.split("## ")[0]
    assert re.search("^demo:", MAKEFILE, re.MULTILINE)


@pytest.mark.parametrize("tag", Tag)
def test_every_tag_is_explained(tag: Tag) -> None:
    assert f"`{tag}`" in (ROOT / "docs" / "output.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_is_explained(verdict: Verdict) -> None:
    assert f"`{verdict}`" in README


@pytest.mark.parametrize("name", [known.name for known in FORMATS])
def test_every_format_is_explained(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
