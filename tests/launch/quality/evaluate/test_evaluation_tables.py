"""An evaluation on a terminal."""

import pytest
from msgspec.structs import replace

from groundwatch.launch.quality.evaluate.evaluate_answers import show_evaluation
from groundwatch.launch.quality.evaluate.evaluation import Evaluation
from groundwatch.schemas.answer import LabelSpan
from tests.support.evaluations import a_labelled, measured


@pytest.mark.parametrize("checker", ["[bold]", "[/red]"])
def test_a_checker_that_looks_like_markup_is_printed_unchanged(
    checker: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_evaluation(measured(replace(a_labelled(0.25), checker=checker)))
    assert f"checked by {checker} (1)" in capsys.readouterr().out


def test_the_precision_among_the_worst_scored_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    span = (LabelSpan(0, 5),)
    low = [replace(a_labelled(0.1, support=0.2, spans=span), cluster=f"a{n}") for n in range(12)]
    high = [replace(a_labelled(0.8), cluster=f"b{n}") for n in range(108)]
    show_evaluation(found := measured(*low, *high))
    printed = capsys.readouterr().out
    table = printed.partition("worst scored")[2].partition("\n\n")[0]
    rows = [" ".join(line.split()) for line in table.splitlines()[1:]]
    assert rows == [
        f"answers by {score} {cells}"
        for score in ("lowest claim", "support score")
        for cells in (
            "5 % 6 6 of 6",
            "10 % 12 1.000 (0.699 to 1.000)",
            f"20 % 24 {interval_of(found, 2)}",
        )
    ]


def interval_of(found: Evaluation, number: int) -> str:
    precision = found.answers_by_claim.worst[number].precision
    return f"{precision.value:.3f} ({precision.low:.3f} to {precision.high:.3f})"


def test_without_a_score_there_are_no_worst_scored(capsys: pytest.CaptureFixture[str]) -> None:
    show_evaluation(measured(a_labelled(is_unsupported=True)))
    assert "worst scored" not in capsys.readouterr().out
