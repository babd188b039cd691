"""The settings of a cluster on one machine."""

import pytest

from launch.flink.settings import cluster_settings, job_server_settings


def test_each_line_is_one_setting_and_nothing_listens_beyond_this_machine() -> None:
    settings = dict(line.split(": ") for line in cluster_settings(6123, 8081).splitlines())
    assert settings["jobmanager.rpc.port"] == "6123"
    assert settings["rest.port"] == "8081"
    addresses = {value for name, value in settings.items() if name.endswith(("address", "host"))}
    assert addresses == {"localhost"}


@pytest.mark.parametrize("settings", [job_server_settings(), cluster_settings(1, 2)])
def test_a_job_is_started_again_when_a_part_of_it_fails(settings: str) -> None:
    assert "restart-strategy.type: exponential-delay\n" in settings


def test_a_job_server_by_itself_may_carry_out_several_jobs_at_once() -> None:
    assert "port" not in job_server_settings()
