"""Every run of the pipeline takes a field map, on the command line, in a file and as a variable."""

from pathlib import Path

import pytest

from groundwatch.launch.cli.commands.backfill import BackfillSettings
from groundwatch.launch.cli.commands.estimate import EstimateSettings
from groundwatch.launch.cli.commands.replay import ReplaySettings
from groundwatch.launch.cli.commands.watch import WatchSettings, WatchStreamSettings
from groundwatch.pipeline.settings.config import job_config
from groundwatch.pipeline.settings.definition import Settings
from groundwatch.pipeline.settings.load import load

MAP = (("answer", "$.reply"), ("facts", "$.docs[?(@.kind=='text')].body"))
FLAGS = [f"{field}={path}" for field, path in MAP]


@pytest.mark.parametrize(
    "settings",
    [BackfillSettings, ReplaySettings, EstimateSettings, WatchSettings, WatchStreamSettings],
)
@pytest.mark.parametrize("way", ["flags", "file", "variable"])
def test_a_map_reaches_the_pipeline(settings: type[Settings], way: str, tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    path.write_text("map:\n" + "".join(f"  {field}: {path}\n" for field, path in MAP))
    flags = {"flags": ["--map", *FLAGS], "file": ["--config", str(path)]}.get(way, [])
    variables = {"GROUNDWATCH_MAP": " ".join(FLAGS)} if way == "variable" else {}
    loaded = load(settings, flags, variables)
    assert not [problem for problem in loaded.problems if "map" in problem]
    assert job_config(loaded.settings.job, run="r").parsing.own_map == MAP
