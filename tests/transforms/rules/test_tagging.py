"""From an answer and its check to the record: verdict, scores and tags."""

from typing import Any

import pytest
from msgspec.structs import replace

from groundwatch.schemas.answer import Citation, GroundingSupport, SafetyRating
from groundwatch.schemas.checked_answer import (
    CheckedAnswer,
    Claim,
    Contradiction,
    Decision,
    Grounding,
    VerdictThresholds,
)
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.rules.tagging import tag_answer
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.builders import a_check, a_claim, a_fact, an_answer


def checked(support_score: float | None, *claims: Claim, **answer: Any) -> CheckedAnswer:
    return CheckedAnswer(
        answer=an_answer(**answer),
        grounding=Grounding(support_score=support_score, claims=claims),
        check=a_check(),
    )


def tagged(support_score: float | None, *claims: Claim, **answer: Any) -> EnrichedAnswer:
    return tag_answer(checked(support_score, *claims, **answer), Thresholds())


def scored(*scores: float | None) -> list[Claim]:
    return [a_claim(start=12 * place, score=score) for place, score in enumerate(scores)]


SCORES = {
    "both above": (0.9, [0.8, 0.7], "GROUNDED", "ABOVE_THRESHOLDS"),
    "support equal to its threshold": (0.6, [0.8], "GROUNDED", "ABOVE_THRESHOLDS"),
    "claim equal to its threshold": (0.9, [0.4], "GROUNDED", "ABOVE_THRESHOLDS"),
    "support just below": (0.5999, [0.8], "LOW_GROUNDED", "SUPPORT_SCORE"),
    "one claim just below": (0.9, [0.8, 0.3999], "LOW_GROUNDED", "CLAIM_SCORE"),
    "both below": (0.1, [0.1], "LOW_GROUNDED", "CLAIM_SCORE"),
    "support 0": (0.0, [], "LOW_GROUNDED", "SUPPORT_SCORE"),
    "support without claim scores": (0.7, [None], "GROUNDED", "ABOVE_THRESHOLDS"),
    "claim scores without support": (None, [0.5], "GROUNDED", "ABOVE_THRESHOLDS"),
    "a low claim without support": (None, [0.1], "LOW_GROUNDED", "CLAIM_SCORE"),
    "no score at all": (None, [None], "UNSCORABLE", "NO_CLAIMS"),
    "no claim at all": (None, [], "UNSCORABLE", "NO_CLAIMS"),
}


@pytest.mark.parametrize(("support", "scores", "verdict", "reason"), SCORES.values(), ids=SCORES)
def test_both_scores_decide_the_verdict_of_a_checked_answer(
    support: float | None, scores: list[float | None], verdict: str, reason: str
) -> None:
    enriched = tagged(support, *scored(*scores))
    assert (enriched.verdict, enriched.verdict_reason) == (verdict, reason)


def test_without_a_claim_to_check_no_score_is_made_up() -> None:
    enriched = tagged(None, a_claim(grounding_check_required=False))
    assert enriched.support_score is None
    assert enriched.min_claim_score is None


def test_the_thresholds_are_those_that_the_documentation_names() -> None:
    assert Thresholds() == Thresholds(low_grounded=0.6, claim=0.4, drift=0.3)


def test_the_thresholds_are_those_that_were_set() -> None:
    strict = Thresholds(low_grounded=0.95, claim=0.0)
    enriched = tag_answer(checked(0.9, *scored(0.1)), strict)
    assert (enriched.verdict, enriched.verdict_reason) == ("LOW_GROUNDED", "SUPPORT_SCORE")


@pytest.mark.parametrize(
    ("engine", "verdict"), [("shop", "GROUNDED"), ("tea", "LOW_GROUNDED"), (None, "LOW_GROUNDED")]
)
def test_an_engine_may_have_thresholds_of_its_own(engine: str | None, verdict: str) -> None:
    given = {"claim": [(None, 0.5), ("shop", 0.2), ("shop", 0.1)], "low_grounded": [("shop", 0.0)]}
    thresholds = Thresholds().replaced(given)
    assert thresholds.of_engine("shop") == Thresholds(claim=0.1, low_grounded=0.0)
    enriched = tag_answer(checked(0.9, *scored(0.3), engine=engine), thresholds)
    assert enriched.verdict == verdict
    assert enriched.check
    decided = VerdictThresholds(low_grounded=0.6, claim=0.5)
    if engine == "shop":
        decided = VerdictThresholds(low_grounded=0.0, claim=0.1)
    assert enriched.check.thresholds == decided
    assert (Tag.UNSUPPORTED_CLAIM in enriched.tags) == (verdict == "LOW_GROUNDED")


def test_the_least_score_is_that_of_the_claims_that_required_a_check() -> None:
    greeting = a_claim("Hi!", score=0.01, grounding_check_required=False)
    unsaid = a_claim(score=0.7, grounding_check_required=None)
    enriched = tagged(0.9, greeting, unsaid, *scored(0.8, None))
    assert enriched.min_claim_score == 0.7
    assert enriched.verdict is Verdict.GROUNDED
    assert Tag.UNSUPPORTED_CLAIM not in enriched.tags


DRIFTS = {
    "no score of the generator": (None, 0.9, None, False),
    "no score of the check": (0.9, None, None, False),
    "equal": (0.75, 0.75, 0.0, False),
    "at the threshold": (1.0, 0.75, 0.25, False),
    "above": (1.0, 0.625, 0.375, True),
    "below": (0.5, 0.875, -0.375, True),
}


@pytest.mark.parametrize(
    ("generator", "support", "drift", "is_tagged"), DRIFTS.values(), ids=DRIFTS
)
def test_drift_is_how_far_the_generators_own_score_is_off(
    generator: float | None, support: float | None, drift: float | None, is_tagged: bool
) -> None:
    given = checked(support, *scored(0.9), generator_grounding_score=generator)
    enriched = tag_answer(given, Thresholds(drift=0.25))
    assert enriched.score_drift == drift
    assert (Tag.SCORE_DRIFT in enriched.tags) is is_tagged


@pytest.mark.parametrize(("cited", "is_tagged"), [(0, True), (1, False)])
def test_a_mismatch_is_a_claim_that_only_facts_it_does_not_cite_support(
    cited: int, is_tagged: bool
) -> None:
    claim = a_claim(score=0.9, citations=(1,), citation_starts=(0,))
    enriched = tagged(0.9, claim, citations=(Citation(start=0, end=11, facts=(cited,)),))
    assert (Tag.CITATION_MISMATCH in enriched.tags) is is_tagged


def test_a_low_claim_is_tagged_also_where_its_verdict_is_another() -> None:
    assert tagged(0.9, *scored(0.4)).tags == ()
    assert tagged(0.9, *scored(0.39)).tags == (Tag.UNSUPPORTED_CLAIM,)


def test_tags_of_all_steps_stand_sorted_and_once_each() -> None:
    given = CheckedAnswer(
        answer=an_answer(
            tags=(Tag.STREAM_ERROR, Tag.BAD_OFFSETS, Tag.BAD_OFFSETS), answerable_probability=0.2
        ),
        grounding=Grounding(
            support_score=0.2,
            claims=tuple(scored(0.1)),
            recombined=True,
            unread_language=True,
            partly_compared=True,
        ),
        check=a_check(),
    )
    assert tag_answer(given, Thresholds()).tags == (
        "BAD_OFFSETS",
        "LOW_ANSWERABLE_PROBABILITY",
        "PARTLY_COMPARED",
        "RECOMBINED",
        "STREAM_ERROR",
        "UNREAD_LANGUAGE",
        "UNSUPPORTED_CLAIM",
    )


def test_a_decided_answer_keeps_its_decision_and_everything_that_came_with_it() -> None:
    answer = an_answer(
        answer_name="a1",
        engine="shop",
        session="s1",
        event_time_us=5,
        query="Why?",
        generator_grounding_score=0.2,
        answerable_probability=0.7,
        safety_ratings=(SafetyRating(category="HARASSMENT", probability="LOW"),),
        skip_reasons=("NO_RELEVANT_CONTENT", "TOMORROW"),
        finish_reason="SAFETY",
        block_reason="OTHER",
    )
    decision = Decision(verdict=Verdict.POLICY_SKIPPED, reason="SAFETY")
    enriched = tag_answer(CheckedAnswer(answer=answer, decision=decision), Thresholds())
    assert (enriched.verdict, enriched.verdict_reason) == ("POLICY_SKIPPED", "SAFETY")
    assert enriched.skip_reasons == ("NO_RELEVANT_CONTENT", "TOMORROW", "SAFETY", "OTHER")
    assert enriched.tags == (Tag.UNKNOWN_SKIP_REASON,)
    assert (enriched.support_score, enriched.min_claim_score, enriched.score_drift) == (None,) * 3
    assert (enriched.claims, enriched.check) == ((), None)
    same = ("record_id", "answer_name", "source_format", "engine", "session", "event_time_us")
    same += ("query", "answer_text", "facts", "generator_grounding_score", "answerable_probability")
    same += ("safety_ratings",)
    assert {name: getattr(enriched, name) for name in same} == {
        name: getattr(answer, name) for name in same
    }


def test_a_check_and_its_claims_stand_in_the_record() -> None:
    claims = tuple(scored(0.9, 0.8))
    enriched = tagged(0.9, *claims)
    assert (enriched.support_score, enriched.min_claim_score) == (0.9, 0.8)
    assert enriched.claims == claims
    deciding = VerdictThresholds(low_grounded=0.6, claim=0.4)
    assert enriched.check == replace(a_check(), thresholds=deciding)


def test_the_generators_own_view_stands_beside_the_checks() -> None:
    citation = Citation(start=0, end=11, facts=(0, 1))
    support = GroundingSupport(start=0, end=11, score=0.7, facts=(0,))
    claim = a_claim(score=0.9, citations=(1, 2, 3), citation_starts=(0, 0, 0))
    enriched = tagged(0.9, claim, citations=(citation,), supports=(support,))
    assert enriched.claims == (replace(claim, generator_score=0.7),)
    assert enriched.citation_precision == 1 / 2
    assert enriched.citation_recall == 1 / 3
    assert enriched.generator_citations == (citation,)
    assert enriched.generator_supports == (support,)


LAMP_HOURS = a_fact("Lamps of this shop glow for 12 hours.")


@pytest.mark.parametrize(
    ("text", "score", "expected"),
    [
        ("Lamps of this shop glow for 12 hours.", 0.2, []),
        ("Lamps of this shop glow for 13 hours.", 0.2, ["13 hours"]),
        ("Lamps of this shop glow for 13 hours.", 0.5, []),
        ("Lamps of this shop glow for 13 hours.", None, []),
    ],
)
def test_behind_another_checker_contradictions_explain_low_claims(
    text: str, score: float | None, expected: list[str]
) -> None:
    claim = a_claim(
        text=text, end=len(text), score=score, grounding_check_required=score is not None
    )
    enriched = tagged(0.9, claim, facts=(LAMP_HOURS,))
    assert [each.claim_value for each in enriched.mismatches if each.fact == 0] == expected
    assert (Tag.NUMBER_MISMATCH in enriched.tags) is bool(expected)
    assert enriched.verdict_reason != "CONTRADICTION"


def test_a_contradiction_that_the_checker_found_decides() -> None:
    claim = a_claim(score=0.2)
    found = Contradiction(claim=0, kind="NUMBER", claim_value="13", fact_value="12", fact=0)
    grounding = Grounding(support_score=0.1, claims=(claim,), contradictions=(found,))
    checked = CheckedAnswer(
        answer=an_answer(facts=(LAMP_HOURS,)), grounding=grounding, check=a_check()
    )
    enriched = tag_answer(checked, Thresholds(claim=0.1))
    assert (enriched.verdict, enriched.verdict_reason) == (Verdict.LOW_GROUNDED, "CONTRADICTION")
    assert enriched.mismatches == (found,)
    assert Tag.NUMBER_MISMATCH in enriched.tags
    none_found = replace(grounding, contradictions=())
    enriched = tag_answer(replace(checked, grounding=none_found), Thresholds())
    assert (enriched.verdict_reason, enriched.mismatches) == ("CLAIM_SCORE", ())


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (a_claim(score=0.55), ["9 hours"]),
        (a_claim(score=0.9), ["9 hours"]),
        (a_claim(score=0.9, citations=(0,), citation_starts=(0,)), []),
        (a_claim(score=0.1, grounding_check_required=False), []),
        (a_claim(score=None), []),
    ],
)
def test_a_value_that_no_fact_has_is_named_and_tagged_and_changes_no_score_of_a_checker(
    claim: Claim, expected: list[str]
) -> None:
    text = "Some are said to shine 9 hours."
    claim = replace(claim, text=text, end=len(text))
    named = tagged(0.9, claim, facts=(LAMP_HOURS,))
    plain = tagged(0.9, claim, facts=(a_fact("Lamps of this shop glow for 9 hours."),))
    assert [(each.kind, each.claim_value) for each in named.mismatches] == [
        ("NUMBER", value) for value in expected
    ]
    assert all(each.fact is None and each.fact_value is None for each in named.mismatches)
    assert plain.mismatches == ()
    same = ("verdict", "verdict_reason", "support_score", "claims")
    assert all(getattr(named, name) == getattr(plain, name) for name in same)
    assert named.tags == (*plain.tags, *([Tag.UNSEEN_VALUE] if expected else []))


def test_a_value_of_the_question_is_named_in_no_claim() -> None:
    text = "Some are said to shine 9 hours."
    claim = a_claim(text, end=len(text), score=0.2)
    answer = an_answer(facts=(LAMP_HOURS,), query="Do they shine for 9 hours?")
    checked = CheckedAnswer(answer=answer, grounding=Grounding(support_score=0.2, claims=(claim,)))
    assert tag_answer(checked, Thresholds()).mismatches == ()


def test_of_a_claim_that_contradicts_a_fact_only_that_is_named() -> None:
    text = "Lamps of this shop glow for 13 hours."
    enriched = tagged(0.9, a_claim(text, end=len(text), score=0.2), facts=(LAMP_HOURS,))
    assert [(each.claim_value, each.fact) for each in enriched.mismatches] == [("13 hours", 0)]
