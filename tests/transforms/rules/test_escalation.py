"""Which answers a second checker checks."""

from functools import partial
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.checked_answer import CheckedAnswer, Contradiction, Decision, Grounding
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.lexical.claims.claim_forms import has_hard_claim
from groundwatch.transforms.rules import escalation
from groundwatch.transforms.rules.sampling import SamplingRule, is_in_sample
from groundwatch.transforms.rules.thresholds import EscalationRule, Thresholds
from tests.support.builders import a_check, a_claim, an_answer

screen_answer = partial(escalation.screen_answer, has_hard_claim=has_hard_claim)
NONE, ALL = EscalationRule(share=0.0), EscalationRule(share=1.0)


def checked(
    support_score: float | None, *scores: float, text: str = "Lamps glow.", **answer: Any
) -> CheckedAnswer:
    contradictions = answer.pop("contradictions", ())
    claims = tuple(a_claim(score=score) for score in scores)
    return CheckedAnswer(
        answer=an_answer(text, **answer),
        grounding=Grounding(
            support_score=support_score, claims=claims, contradictions=contradictions
        ),
        check=a_check(revision="words-1", characters=99),
    )


DENIAL = Contradiction(claim=0, kind="NEGATION", claim_value="not", fact=0)
UNCERTAIN = {
    "low support": checked(0.5, 0.9),
    "a low claim": checked(0.9, 0.9, 0.3),
    "a contradiction": checked(0.9, 0.9, contradictions=(DENIAL,)),
    "a claim just below": checked(0.9, 0.9, 0.6999),
    "a short answer": checked(0.9, 0.9, text="Yes, it does.", query="Does the lamp glow?"),
}
OTHERS = {
    "all claims at the limit": checked(0.9, 0.7, 0.8),
    "no claim": checked(None),
    "a support score alone": checked(0.7),
}


@pytest.mark.parametrize("answer", UNCERTAIN.values(), ids=UNCERTAIN)
def test_an_uncertain_answer_is_escalated_whatever_the_share(answer: CheckedAnswer) -> None:
    for rule in (NONE, ALL):
        assert screen_answer(answer, rule).escalation is Tag.ESCALATED


@pytest.mark.parametrize("answer", OTHERS.values(), ids=OTHERS)
def test_of_the_others_a_share_is_audited(answer: CheckedAnswer) -> None:
    assert screen_answer(answer, NONE).escalation is None
    assert screen_answer(answer, ALL).escalation is Tag.AUDITED


def test_what_the_first_checker_found_is_kept() -> None:
    answer = checked(0.9, 0.8, 0.7)
    screened = screen_answer(answer, EscalationRule(share=0.25))
    assert (screened.answer, screened.grounding, screened.check) == (
        answer.answer,
        answer.grounding,
        answer.check,
    )
    screen = screened.screen
    assert screen
    assert (screen.checker, screen.revision, screen.characters) == ("local", "words-1", 99)
    assert (screen.verdict, screen.verdict_reason) == (Verdict.GROUNDED, "ABOVE_THRESHOLDS")
    assert (screen.support_score, screen.min_claim_score) == (0.9, 0.7)
    assert (screen.escalate_below, screen.audit_share) == (0.7, 0.25)


def test_the_thresholds_of_an_engine_decide_its_verdict() -> None:
    own = Thresholds().replaced({"low_grounded": [("shop", 0.95)]})
    rule = EscalationRule(share=0.0, thresholds=own)
    assert screen_answer(checked(0.9, 0.9, engine="shop"), rule).escalation is Tag.ESCALATED
    assert screen_answer(checked(0.9, 0.9, engine="tea"), rule).escalation is None


def test_an_answer_that_was_not_checked_stays_as_it_is() -> None:
    decided = Decision(verdict=Verdict.UNSCORABLE, reason="OVER_LIMIT")
    answer = CheckedAnswer(answer=an_answer(), decision=decided)
    assert screen_answer(answer, ALL) == answer


IDS = [sha256(str(number).encode()).hexdigest() for number in range(5_000)]


def audited(record_ids: list[str], share: float) -> set[str]:
    rule = EscalationRule(share=share)
    found = (screen_answer(checked(0.9, 0.9, record_id=each), rule) for each in record_ids)
    return {each.answer.record_id for each in found if each.escalation}


def test_a_sample_is_audited_by_the_same_share_as_the_rest() -> None:
    sampled = [each for each in IDS if is_in_sample(each, None, SamplingRule(rate=0.2))]
    # Three standard deviations of 1,000 draws.
    assert len(audited(sampled, 0.1)) / len(sampled) == pytest.approx(0.1, abs=0.03)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_higher_share_audits_what_a_lower_one_does(first: float, second: float) -> None:
    low, high = sorted((first, second))
    some = IDS[:15]
    assert audited(some, low) <= audited(some, high)
