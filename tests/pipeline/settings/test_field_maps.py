"""Every run of the pipeline takes a field map."""

import pytest

from groundwatch.launch.cli.commands.backfill import BackfillSettings
from groundwatch.launch.cli.commands.estimate import EstimateSettings
from groundwatch.launch.cli.commands.replay import ReplaySettings
from groundwatch.launch.cli.commands.watch import WatchSettings, WatchStreamSettings
from groundwatch.pipeline.settings.config import job_config
from groundwatch.pipeline.settings.definition import Settings
from groundwatch.pipeline.settings.load import load

MAP = (("answer", "$.reply"), ("facts", "$.docs[?(@.kind=='text')].body"))


@pytest.mark.parametrize(
    "settings",
    [BackfillSettings, ReplaySettings, EstimateSettings, WatchSettings, WatchStreamSettings],
)
def test_a_map_reaches_the_pipeline(settings: type[Settings]) -> None:
    # test_load.py sets such a mapping in a file and such a list as a variable.
    loaded = load(settings, ["--map", *(f"{field}={path}" for field, path in MAP)], {})
    assert not [problem for problem in loaded.problems if "map" in problem]
    assert job_config(loaded.settings.job, run="r").parsing.own_map == MAP
