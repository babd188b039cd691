"""The settings of a cluster on one machine."""

from launch.flink.settings import settings_text


def test_each_line_is_one_setting_and_nothing_listens_beyond_this_machine() -> None:
    settings = dict(line.split(": ") for line in settings_text(6123, 8081).splitlines())
    assert settings["jobmanager.rpc.port"] == "6123"
    assert settings["rest.port"] == "8081"
    addresses = {value for name, value in settings.items() if name.endswith(("address", "host"))}
    assert addresses == {"localhost"}


def test_a_job_is_started_again_when_a_part_of_it_fails() -> None:
    assert "restart-strategy.type: fixed-delay\n" in settings_text(1, 2)
