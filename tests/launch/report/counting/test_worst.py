"""The worst answers: which are kept, and how much of them."""

from typing import Any

import pytest

from launch.report.counting.seen import answer_from_row
from launch.report.counting.shown_answer import ShownAnswer, shown_answer_from_row
from launch.report.counting.worst import WorstAnswers
from schemas.enriched_answer import EnrichedAnswer
from schemas.verdict import Verdict
from tests.support.builders import a_claim, a_fact
from tests.support.reports import a_low, row_of
from transforms.rules.redaction import TextMode, redact


def cut(enriched: EnrichedAnswer) -> ShownAnswer:
    row = row_of(enriched)
    return shown_answer_from_row(answer_from_row(row), row)


def kept_of(*answers: EnrichedAnswer, most: int = 3) -> list[ShownAnswer]:
    worst = WorstAnswers(most)
    for answer in answers:
        row = row_of(answer)
        worst.add(answer_from_row(row), row)
    return worst.answers()


def scored(score: float, **members: Any) -> EnrichedAnswer:
    given = {"record_id": f"record-{score}", "min_claim_score": score}
    return a_low(**given | members)


def test_the_least_scores_are_kept_the_worst_first() -> None:
    kept = kept_of(*(scored(score) for score in (0.3, 0.1, 0.35, 0.2, 0.05)))
    assert [answer.answer.min_claim_score for answer in kept] == [0.05, 0.1, 0.2]


def test_of_equal_claims_the_lower_support_score_is_worse_and_then_the_earlier() -> None:
    kept = kept_of(
        scored(0.1, record_id="a", support_score=0.5),
        scored(0.1, record_id="b", support_score=0.5),
        scored(0.1, record_id="c", support_score=0.2),
        most=2,
    )
    assert [answer.answer.record_id for answer in kept] == ["c", "a"]


def test_an_answer_that_two_runs_checked_is_kept_once() -> None:
    assert len(kept_of(scored(0.1), scored(0.1))) == 1


@pytest.mark.parametrize(
    "members", [{"verdict": Verdict.GROUNDED}, {"min_claim_score": None}], ids=str
)
def test_only_what_is_low_by_its_scores_is_kept(members: dict[str, Any]) -> None:
    assert kept_of(a_low(**members)) == []


def test_facts_that_the_worst_claim_cites_come_first_then_those_that_others_cite() -> None:
    claims = (
        a_claim("Lamps", score=0.9, citations=(1,), citation_starts=(0,)),
        a_claim("glow.", 6, score=0.1, citations=(3,), citation_starts=(0,)),
    )
    facts = tuple(a_fact(f"Fact {number}.") for number in range(1, 5))
    answer = cut(a_low("Lamps glow.", claims=claims, facts=facts))
    assert [(fact.number, fact.cited_by) for fact in answer.facts] == [
        (4, (2,)),
        (2, (1,)),
        (1, ()),
        (3, ()),
    ]


def test_a_long_fact_is_cut_around_what_is_cited() -> None:
    fact = a_fact("Kettles boil. " * 10_000 + "Lamps glow. " + "Kettles boil. " * 10_000)
    claim = a_claim("Lamps glow.", score=0.1, citations=(0,), citation_starts=(140_000,))
    answer = cut(a_low("Lamps glow.", claims=(claim,), facts=(fact,)))
    [shown] = answer.facts
    assert shown.text is not None
    assert "Lamps glow." in shown.text.text
    assert len(shown.text.text) < 2_000


def test_a_citation_of_a_fact_that_is_not_there_is_passed_over() -> None:
    claim = a_claim("Lamps glow.", score=0.1, citations=(7,), citation_starts=(0,))
    assert len(cut(a_low("Lamps glow.", claims=(claim,))).facts) == 1


def test_an_answer_of_megabytes_is_kept_in_kilobytes() -> None:
    answer = cut(
        a_low(
            "Lamps glow. " * 500_000,
            query="why " * 100_000,
            facts=tuple(a_fact("Kettles boil. " * 50_000) for _ in range(50)),
        )
    )
    assert len(repr(answer)) < 100_000
    assert (answer.facts_in_all, len(answer.facts)) == (50, 8)


@pytest.mark.parametrize("mode", [TextMode.NONE, TextMode.HASH])
def test_without_its_text_an_answer_keeps_scores_and_offsets(mode: TextMode) -> None:
    facts = (a_fact("Lamps glow.", title="Lamps"),)
    answer = cut(redact(a_low("Lamps glow.", query="Why?", facts=facts), mode))
    assert answer.text_mode is mode
    assert (answer.query, answer.text, answer.passages, answer.worst_claim_text) == (
        None,
        None,
        (),
        None,
    )
    assert [(each.claim.start, each.claim.end) for each in answer.claims] == [(6, 11), (0, 5)]
    assert (answer.facts[0].text, answer.facts[0].title) == (None, None)


def test_claims_that_need_no_check_come_last() -> None:
    claims = (
        a_claim("Hello.", grounding_check_required=False),
        a_claim("Lamps", 7, score=0.3),
        a_claim("glow.", 13, score=0.1),
    )
    answer = cut(a_low("Hello. Lamps glow.", claims=claims))
    assert [each.number for each in answer.claims] == [3, 2, 1]
    assert answer.worst_claim_text == "glow."
