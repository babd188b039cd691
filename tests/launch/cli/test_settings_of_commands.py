"""Parse the settings of the worker, and describe those of all commands."""

import pytest

from groundwatch.launch.cli.commands import documented_commands
from groundwatch.launch.cli.commands.watch import WorkerSettings
from groundwatch.pipeline.settings.definition import settings_of
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
