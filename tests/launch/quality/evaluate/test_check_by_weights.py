"""The same answers checked by words, by a model and by both, side by side."""

from collections.abc import Iterable, Iterator
from functools import partial
from math import inf
from pathlib import Path

import pytest

from groundwatch.launch.quality.evaluate.check_by_weights import Enriched, check_by_weights
from groundwatch.pipeline.settings.checker import CheckerSettings
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms.check_one import check_answers
from groundwatch.transforms.grounding.errors import Misconfigured, Unavailable
from groundwatch.transforms.grounding.scorers import shared_scorer
from groundwatch.transforms.grounding.scorers.onnx_model import OnnxModel
from groundwatch.transforms.lexical.scores.claim_result import ScoreClaims, ScorerFailed
from groundwatch.transforms.rules.thresholds import Thresholds
from groundwatch.transforms.step_order import Routed
from tests.support.builders import an_answer
from tests.support.entailment_models import write_model

_WEIGHTS = (0.0, 0.5, inf)
_ANSWERS = [
    CheckedAnswer(answer=an_answer(f"Lamp {n} glows red.", f"Lamp {n} glows.")) for n in range(300)
]


@pytest.fixture
def checker(tmp_path: Path) -> CheckerSettings:
    return CheckerSettings(scorer=write_model(tmp_path))


def found(
    checker: CheckerSettings, answers: Iterable[Routed], weights: tuple[float, ...] = _WEIGHTS
) -> Iterator[tuple[Enriched, dict[float, EnrichedAnswer]]]:
    check = partial(check_answers, settings=checker.check())
    return check_by_weights(answers, checker, weights, check, Thresholds())


def test_a_model_that_checks_four_times_scores_each_answer_once(
    monkeypatch: pytest.MonkeyPatch, checker: CheckerSettings
) -> None:
    runs = 0

    def counted(model: OnnxModel) -> ScoreClaims:
        score = shared_scorer.EntailmentModel(model).score

        def count(*asked: object) -> object:
            nonlocal runs
            runs += 1
            return score(*asked)  # type: ignore[arg-type]

        return count  # type: ignore[return-value]

    monkeypatch.setattr(shared_scorer, "score_by", counted)
    outcomes = list(found(checker, _ANSWERS, (0.25, 0.5, inf)))
    assert len(outcomes) == runs == len(_ANSWERS)
    for outcome, by_weight in outcomes:
        assert isinstance(outcome, EnrichedAnswer)
        assert {each.record_id for each in by_weight.values()} == {outcome.record_id}
        scores = [by_weight[weight].min_claim_score for weight in (0.25, 0.5, inf)]
        assert len(set(scores)) == 3


def test_an_answer_that_one_check_fails_on_is_compared_by_none(
    monkeypatch: pytest.MonkeyPatch, checker: CheckerSettings
) -> None:
    def failing(_: OnnxModel) -> ScoreClaims:
        def fail(*_: object) -> object:
            raise ScorerFailed(400, "too long")

        return fail  # type: ignore[return-value]

    monkeypatch.setattr(shared_scorer, "score_by", failing)
    by_words = CheckerSettings()
    check = partial(check_answers, settings=by_words.check())
    [(outcome, by_weight)] = check_by_weights(_ANSWERS[:1], checker, _WEIGHTS, check, Thresholds())
    assert isinstance(outcome, EnrichedAnswer)
    assert by_weight == {}


def test_without_weights_nothing_else_is_checked() -> None:
    checker = CheckerSettings(checker="http://127.0.0.1:9")
    failed = Unavailable("away")
    outcomes = check_by_weights(
        _ANSWERS[:1], checker, (), lambda routed: [failed for _ in routed], Thresholds()
    )
    assert list(outcomes) == [(failed, {})]


def test_a_model_that_cannot_be_used_ends_the_comparison(tmp_path: Path) -> None:
    checker = CheckerSettings(scorer=write_model(tmp_path, labels=None))
    with pytest.raises(Misconfigured):
        list(found(checker, _ANSWERS))
