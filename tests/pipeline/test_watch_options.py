"""What the flags of continuous monitoring are read as."""

import pytest

from launch.flags import read_flags
from pipeline.watch_options import HEALTH_ADDRESS, NO_DATA, silence_rule_from
from transforms.rules.no_data import NoDataRule


def test_silence_is_judged_by_the_rule_itself_unless_told_otherwise() -> None:
    values, _, _ = read_flags([], NO_DATA)
    assert values["no_data_after_s"] == 1800.0
    assert silence_rule_from(values) == NoDataRule()


def test_a_silence_may_be_told_sooner_and_of_busier_engines() -> None:
    values, _, problems = read_flags(["--no_data_after_s=2.5", "--no_data_min_answers=99"], NO_DATA)
    assert problems == []
    assert silence_rule_from(values) == NoDataRule(after_us=2_500_000, min_answers=99)


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
    values, _, problems = read_flags(["--health_address", text], [HEALTH_ADDRESS])
    assert problems == []
    assert values["health_address"] == address


@pytest.mark.parametrize("text", ["", ":80", "host:", "host", "::1:80", "a b:1", "1:65536", "1:²"])
def test_what_is_no_address_is_refused(text: str) -> None:
    values, _, problems = read_flags([f"--health_address={text}"], [HEALTH_ADDRESS])
    assert values["health_address"] is None
    assert len(problems) == 1
    assert "HOST:PORT" in problems[0]
