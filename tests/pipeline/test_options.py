"""What stands behind a flag, and what it is read as."""

import pytest

from launch.flags import read_flags
from pipeline import options
from pipeline.config import sampling_from
from transforms.rules.sampling import SamplingRule


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        pytest.param([], SamplingRule(), id="all by default"),
        pytest.param(["--sample", "0.25"], SamplingRule(share=0.25), id="a share of all"),
        pytest.param(
            ["--sample", "shop=0", "help=1"],
            SamplingRule(engine_shares={"shop": 0.0, "help": 1.0}),
            id="shares by engine",
        ),
        pytest.param(
            ["--sample", "shop=0.5", "--sample", "0.1"],
            SamplingRule(share=0.1, engine_shares={"shop": 0.5}),
            id="both, in any order",
        ),
        pytest.param(
            ["--sample", "0.1", "0.2", "shop=0.3", "shop=0.4"],
            SamplingRule(share=0.2, engine_shares={"shop": 0.4}),
            id="the last of several for the same",
        ),
        pytest.param(
            ["--sample", "a=b=0.5"],
            SamplingRule(engine_shares={"a=b": 0.5}),
            id="an equals sign in an engine's name",
        ),
    ],
)
def test_shares_are_read_by_engine(arguments: list[str], rule: SamplingRule) -> None:
    values, _, problems = read_flags(arguments, [options.SAMPLE])
    assert problems == []
    assert sampling_from(values) == rule


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("2", "must be a number from 0 to 1", id="too much"),
        pytest.param("10%", "must be a number from 0 to 1", id="a percentage"),
        pytest.param("shop=", "must be a number from 0 to 1", id="no share"),
        pytest.param("=0.5", "must have the form SHARE or ENGINE=SHARE", id="no engine"),
    ],
)
def test_what_is_no_share_is_refused(text: str, problem: str) -> None:
    _, _, problems = read_flags(["--sample", text], [options.SAMPLE])
    assert problems == [f"--sample {text}: {problem}"]
