"""The worst answers."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.report.counts.excerpts import AnswerExcerpt
from groundwatch.launch.results.report.counts.worst_answers import WorstAnswers
from groundwatch.schemas.checked_answer import Contradiction
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from tests.support.builders import a_claim
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


def test_the_worst_of_each_other_verdict_are_kept_too_and_take_no_place() -> None:
    worst = WorstAnswers(5)
    for number in range(9):
        score = number / 10
        worst.add(row_of(scored(score, record_id=f"g{number}", verdict="GROUNDED", tags=("LATE",))))
        worst.add(row_of(scored(score)))
        worst.add(row_of(scored(score, record_id=f"p{number}", verdict="POLICY_SKIPPED")))
    kept = [each.answer.record_id for each in worst.answers()]
    low = [f"record-{number / 10}" for number in range(5)]
    assert kept == [*low, "p0", "p1", "p2", "g0", "g1", "g2"]


def test_contradictions_come_first_with_the_statement_that_contradicts() -> None:
    number = Contradiction(claim=0, kind="NUMBER", claim_value="3", fact_value="2", fact=0)
    unseen = Contradiction(claim=1, kind="NUMBER", claim_value="7")
    first, second, third = kept_of(
        scored(0.0),
        scored(0.1, record_id="unseen", mismatches=(unseen,)),
        scored(0.15, record_id="contradicts", mismatches=(unseen, number)),
    )
    assert [first.answer.record_id, first.difference] == ["contradicts", number]
    assert first.lowest_text == "Lamps"
    assert (second.answer.record_id, second.difference) == ("record-0.0", None)
    assert (third.answer.record_id, third.difference) == ("unseen", unseen)


def test_all_but_the_worst_answers_are_cut_to_their_worst_statement() -> None:
    lamps = "Lamps glow. " * 500
    text = f"{lamps}Kettles vote. {lamps}"
    claim = a_claim("Kettles vote.", len(lamps), score=0.1)
    lows = [a_low(text, record_id=f"{n}", claims=(claim,), engine=f"{n}") for n in range(30)]
    kept = kept_of(*lows, limit=30)
    assert [len(each.text.text) > 5_000 for each in kept if each.text] == [True] * 20 + [False] * 10
    assert {each.lowest_text for each in kept} == {"Kettles vote."}


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
