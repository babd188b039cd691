"""Parse the settings of the worker, and describe those of all commands."""

import shlex

import pytest

from groundwatch.launch.cli.commands import all_commands, documented_commands
from groundwatch.launch.cli.commands.watch import WorkerSettings
from groundwatch.pipeline.settings.definition import Settings, settings_of
from groundwatch.pipeline.settings.load import load
from groundwatch.transforms.rules.no_data import NoDataRule


def test_the_default_rule_of_no_data_is_that_of_the_monitor() -> None:
    settings = load(WorkerSettings, [], {}).settings
    assert settings.no_data_after_s == 1800.0
    assert settings.no_data == NoDataRule()


def test_no_data_may_alert_sooner() -> None:
    loaded = load(WorkerSettings, ["--no_data_after_s=2.5"], {})
    assert loaded.problems == []
    assert loaded.settings.no_data == NoDataRule(after_us=2_500_000)


ADDRESSES = {
    "8080": ("127.0.0.1", 8080),
    "0": ("127.0.0.1", 0),
    "10.0.0.1:9464": ("10.0.0.1", 9464),
    "localhost:65535": ("localhost", 65_535),
    "[::1]:80": ("::1", 80),
}


@pytest.mark.parametrize(("text", "address"), ADDRESSES.items(), ids=ADDRESSES)
def test_an_address_is_a_host_and_a_port_or_a_port_of_this_machine(
    text: str, address: tuple[str, int]
) -> None:
    loaded = load(WorkerSettings, ["--health_address", text], {})
    assert loaded.problems == []
    assert loaded.settings.health_address == address


@pytest.mark.parametrize("text", ["", ":80", "host:", "host", "::1:80", "a b:1", "1:65536", "1:²"])
def test_an_invalid_address_is_refused(text: str) -> None:
    loaded = load(WorkerSettings, [f"--health_address={text}"], {})
    assert loaded.settings.health_address is None
    [problem] = loaded.problems
    assert "HOST:PORT" in problem


def test_every_setting_has_a_help_of_whole_sentences() -> None:
    settings = {setting for _, taken in documented_commands() for setting in settings_of(taken)}
    assert len(settings) > 80
    assert [each.key for each in settings if not each.help.endswith(".")] == []


REVIEW = ("folders", "labels")
REPORT = ("folder", "other_folder", "claim_threshold")
SEVERAL_VALUES = [
    ("review out --labels a b", REVIEW, (("out",), ("a", "b"))),
    ("review out live --labels a b --labels c --open", REVIEW, (("out", "live"), ("a", "b", "c"))),
    ("review out --labels a --open live", REVIEW, (("out", "live"), ("a",))),
    ("review --labels a out", REVIEW, (("out",), ("a",))),
    ("review out --port 0 live", REVIEW, (("out", "live"), ("labels.jsonl",))),
    ("report out --claim_threshold .3 x=.4", REPORT, ("out", None, ((None, 0.3), ("x", 0.4)))),
    ("evaluate --answers a b --gold c d", ("answers", "gold"), (("a", "b"), ("c", "d"))),
    ("backfill --input a b --output out", ("input",), (("a", "b"),)),
    ("replay --failures a b --output out", ("failures",), (("a", "b"),)),
]


@pytest.mark.parametrize(("line", "keys", "values"), SEVERAL_VALUES)
def test_a_flag_of_several_values_takes_all_behind_it(
    line: str, keys: tuple[str, ...], values: tuple[object, ...]
) -> None:
    name, *arguments = shlex.split(line)
    loaded = all_commands()[name].load(arguments)
    assert loaded.problems == []
    groups = [loaded.settings, *(getattr(loaded.settings, key) for key in _groups(loaded.settings))]
    found = {key: getattr(each, key) for each in groups for key in keys if hasattr(each, key)}
    assert tuple(found[key] for key in keys) == values


def _groups(settings: Settings) -> list[str]:
    return [
        name for name in settings.__struct_fields__ if isinstance(getattr(settings, name), Settings)
    ]
