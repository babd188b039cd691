"""The file of an estimate, and the comparison of a run with it."""

from pathlib import Path

import pytest

from groundwatch.launch.backfill.estimate.comparison import compare_with_estimate
from groundwatch.pipeline.settings.config import Destination
from groundwatch.schemas.cost_estimate import Amounts, Estimate, estimate_to_json
from tests.support.builders import an_estimate

MADE = Amounts(calls=14, characters=3_500, cost=0.7)


def test_a_run_is_compared_with_its_estimate(tmp_path: Path) -> None:
    write_estimate(tmp_path, an_estimate())
    compared = compare_with_estimate(Destination(root=str(tmp_path), run="r1"), MADE)
    assert compared is not None
    assert (compared.calls, compared.characters, compared.cost) == (7, 7_000, 0.7)
    assert compared.relative_differences == {"calls": 1, "characters": -0.5, "cost": 0}


def test_without_an_estimate_nothing_is_compared(tmp_path: Path) -> None:
    assert compare_with_estimate(Destination(root=str(tmp_path), run="r1"), MADE) is None


def test_the_estimate_of_another_run_is_ignored(tmp_path: Path) -> None:
    write_estimate(tmp_path, an_estimate(run="r2"))
    assert compare_with_estimate(Destination(root=str(tmp_path), run="r1"), MADE) is None


def test_a_damaged_estimate_is_logged_and_ignored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "estimate.json").write_bytes(b'{"run": "r1"')
    assert compare_with_estimate(Destination(root=str(tmp_path), run="r1"), MADE) is None
    assert "no comparison with" in caplog.text


def test_a_newer_estimate_replaces_the_older(tmp_path: Path) -> None:
    for calls in (1, 28):
        write_estimate(tmp_path, an_estimate(calls=calls))
    compared = compare_with_estimate(Destination(root=str(tmp_path), run="r1"), MADE)
    assert compared is not None
    assert compared.relative_differences["calls"] == -0.5


def write_estimate(folder: Path, estimate: Estimate) -> None:
    (folder / "estimate.json").write_bytes(estimate_to_json(estimate))
