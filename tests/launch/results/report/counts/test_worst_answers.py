"""The worst answers."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.report.counts.excerpts import AnswerExcerpt
from groundwatch.launch.results.report.counts.worst_answers import WorstAnswers
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from tests.support.reports import a_low, row_of


def kept_of(*answers: EnrichedAnswer, limit: int = 3) -> list[AnswerExcerpt]:
    worst = WorstAnswers(limit)
    for answer in answers:
        worst.add(row_of(answer))
    return worst.answers()[:limit]


def scored(score: float, **fields: Any) -> EnrichedAnswer:
    given = {"record_id": f"record-{score}", "min_claim_score": score} | fields
    return a_low(f"Lamps glow in {given['record_id']}.", **given)


def test_the_lowest_scores_are_kept_in_ascending_order() -> None:
    kept = kept_of(*(scored(score) for score in (0.3, 0.1, 0.35, 0.2, 0.05)))
    assert [answer.answer.min_claim_score for answer in kept] == [0.05, 0.1, 0.2]


def test_of_equal_claims_the_lower_support_score_is_first_and_then_the_earlier() -> None:
    kept = kept_of(
        scored(0.1, record_id="a", support_score=0.5),
        scored(0.1, record_id="b", support_score=0.5),
        scored(0.1, record_id="c", support_score=0.2),
        limit=2,
    )
    assert [answer.answer.record_id for answer in kept] == ["c", "a"]


def test_an_answer_that_two_runs_checked_is_kept_once() -> None:
    assert len(kept_of(scored(0.1), scored(0.1))) == 1


def test_equal_claims_are_one_answer_the_worst_of_them() -> None:
    repeated = [a_low("It votes.", record_id=f"{n}", support_score=n / 9) for n in (3, 1, 2)]
    first, *others = kept_of(
        *repeated,
        a_low("It votes.", record_id="of another engine", engine="other"),
        a_low("It glows.", record_id="of another claim"),
        a_low("It glows.", record_id="no claim", claims=(), support_score=0.9),
        limit=9,
    )
    assert (first.answer.record_id, first.records) == ("1", 3)
    assert [each.records for each in others] == [1, 1, 1]


def test_a_group_that_gets_worse_moves_up() -> None:
    kept = kept_of(
        a_low("It votes.", record_id="a", min_claim_score=0.3),
        *(scored(score) for score in (0.1, 0.2, 0.25)),
        a_low("It votes.", record_id="b", min_claim_score=0.0),
    )
    assert [each.answer.record_id for each in kept] == ["b", "record-0.1", "record-0.2"]


def test_the_worst_of_each_verdict_and_tag_are_kept_too() -> None:
    worst = WorstAnswers(1)
    for number in range(9):
        score = number / 10
        worst.add(row_of(scored(score)))
        worst.add(row_of(scored(score, record_id=f"g{number}", verdict="GROUNDED", tags=("LATE",))))
    kept = [each.answer.record_id for each in worst.answers()]
    assert kept == ["record-0.0", "record-0.1", "record-0.2", "g0", "g1", "g2"]


def test_low_scores_come_before_other_verdicts_and_grounded_answers_come_last() -> None:
    kept = kept_of(
        scored(0.9, record_id="grounded", verdict=Verdict.GROUNDED),
        scored(0.7, record_id="near", verdict=Verdict.GROUNDED),
        a_low(record_id="skipped", verdict=Verdict.POLICY_SKIPPED, min_claim_score=None),
        a_low(record_id="reported", min_claim_score=None, claims=(), check=None),
        a_low(record_id="later", verdict="A_LATER_VERDICT", min_claim_score=None),
        scored(0.3, record_id="low"),
        limit=9,
    )
    assert [answer.answer.record_id for answer in kept] == [
        *("low", "reported", "skipped", "later", "near", "grounded")
    ]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from([0.1, 0.2, 0.3]))))
def test_a_limit_keeps_the_first_of_all(answers: list[tuple[str, float]]) -> None:
    rows = [scored(score, record_id=f"{name}{score}") for name, score in answers]
    assert kept_of(*rows, limit=2) == kept_of(*rows, limit=99)[:2]
