"""An evaluation on a terminal."""

import pytest

from groundwatch.launch.results.evaluate.evaluate_answers import show_evaluation
from groundwatch.schemas.answer import LabelSpan
from tests.support.evaluations import a_labelled, measured


def test_shares_are_printed_if_the_most_frequent_kind_has_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    unchecked = [LabelSpan(place, place + 5, "Unchecked") for place in (40, 50)]
    show_evaluation(measured(a_labelled(0.25, spans=(LabelSpan(0, 5, "Conflict"), *unchecked))))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["Unchecked", "2", "2", "0", "—", "—", "—", "—", "—"] in lines
    assert ["Conflict", "1", "0", "1", "—", "0.0%", "100.0%", "100.0%", "100.0%"] in lines


@pytest.mark.parametrize("kind", ["[bold]", "[/red]"])
def test_a_kind_that_looks_like_markup_is_printed_unchanged(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_evaluation(measured(a_labelled(0.25, spans=(LabelSpan(0, 5, kind),))))
    assert f"\n{kind} " in capsys.readouterr().out
