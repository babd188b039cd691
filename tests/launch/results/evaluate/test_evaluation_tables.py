"""An evaluation on a terminal."""

import pytest
from msgspec.structs import replace

from groundwatch.launch.results.evaluate.evaluate_answers import show_evaluation
from tests.support.evaluations import a_labelled, measured


@pytest.mark.parametrize("checker", ["[bold]", "[/red]"])
def test_a_checker_that_looks_like_markup_is_printed_unchanged(
    checker: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_evaluation(measured(replace(a_labelled(0.25), checker=checker)))
    assert f"checked by {checker} (1)" in capsys.readouterr().out
