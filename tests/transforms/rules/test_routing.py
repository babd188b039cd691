"""The answers that are decided before any check, and by what."""

from typing import Any

import pytest

from groundwatch.schemas.answer import Answer, Fact, SafetyRating
from groundwatch.schemas.checked_answer import Decision
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.rules.routing import policy_reasons, route, routing_tags
from tests.support.builders import a_fact, an_answer

POLICY_SKIPS = (
    "ADVERSARIAL_QUERY_IGNORED",
    "POTENTIAL_POLICY_VIOLATION",
    "JAIL_BREAKING_QUERY_IGNORED",
    "CUSTOMER_POLICY_VIOLATION",
    "USER_DEFINED_CLASSIFICATION_QUERY_IGNORED",
)
OTHER_SKIPS = (
    "NON_ANSWER_SEEKING_QUERY_IGNORED",
    "NON_ANSWER_SEEKING_QUERY_IGNORED_V2",
    "OUT_OF_DOMAIN_QUERY_IGNORED",
    "NO_RELEVANT_CONTENT",
    "UNHELPFUL_ANSWER",
)
POLICY_FINISHES = (
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MODEL_ARMOR",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
)
ABNORMAL_FINISHES = (
    "OTHER",
    "LANGUAGE",
    "MALFORMED_FUNCTION_CALL",
    "MALFORMED_RESPONSE",
    "CONTINUATION",
    "NO_IMAGE",
    "REASON_OF_TOMORROW",
)
BLOCKED = SafetyRating(category="HARASSMENT", probability="HIGH", blocked=True)


def decided(verdict: str, reason: str) -> Decision:
    return Decision(verdict=Verdict(verdict), reason=reason)


def candidate(text: str = "Lamps glow.", **fields: Any) -> Answer:
    return an_answer(text, source_format="gemini.candidate", **fields)


@pytest.mark.parametrize("state", [None, "SUCCEEDED", "STATE_OF_TOMORROW", "47"])
def test_an_answer_in_any_other_state_but_failed_is_taken_as_succeeded(state: str | None) -> None:
    assert route(an_answer(state=state)) is None


@pytest.mark.parametrize("reason", POLICY_SKIPS)
def test_a_policy_skip_is_policy_skipped(reason: str) -> None:
    assert route(an_answer(skip_reasons=(reason,))) == decided("POLICY_SKIPPED", reason)


@pytest.mark.parametrize("reason", OTHER_SKIPS)
def test_a_skip_for_want_of_an_answer_is_not_answered(reason: str) -> None:
    assert route(an_answer(skip_reasons=(reason,))) == decided("NOT_ANSWERED", reason)


@pytest.mark.parametrize("reason", ["REASON_OF_TOMORROW", "47"])
def test_an_unknown_skip_is_not_answered_and_tagged(reason: str) -> None:
    answer = an_answer(skip_reasons=(reason,))
    assert route(answer) == decided("NOT_ANSWERED", reason)
    assert list(routing_tags(answer)) == [Tag.UNKNOWN_SKIP_REASON]


def test_the_generators_own_low_score_is_low_grounded_without_a_call() -> None:
    answer = an_answer(skip_reasons=("LOW_GROUNDED_ANSWER",))
    assert route(answer) == decided("LOW_GROUNDED", "LOW_GROUNDED_ANSWER")


def test_a_skipped_answer_is_decided_by_its_reason_though_it_succeeded_with_text() -> None:
    boilerplate = "A summary could not be generated for your search query."
    answer = an_answer(boilerplate, state="SUCCEEDED", skip_reasons=("NO_RELEVANT_CONTENT",))
    assert route(answer) == decided("NOT_ANSWERED", "NO_RELEVANT_CONTENT")


@pytest.mark.parametrize("text", ["Lamps glow.", ""], ids=["text", "no text"])
@pytest.mark.parametrize("reason", POLICY_FINISHES)
def test_a_policy_finish_is_policy_skipped_with_and_without_text(reason: str, text: str) -> None:
    answer = candidate(text, finish_reason=reason)
    assert route(answer) == decided("POLICY_SKIPPED", reason)
    assert list(policy_reasons(answer)) == [reason]
    assert list(routing_tags(answer)) == []


@pytest.mark.parametrize("reason", ["SAFETY", "OTHER", "MODEL_ARMOR", "47"])
def test_any_block_of_the_prompt_is_policy_skipped(reason: str) -> None:
    assert route(candidate("", block_reason=reason)) == decided("POLICY_SKIPPED", reason)


def test_a_blocked_rating_is_policy_skipped_and_not_merely_rated() -> None:
    answer = an_answer(safety_ratings=(SafetyRating(probability="LOW"), BLOCKED))
    assert route(answer) == decided("POLICY_SKIPPED", "BLOCKED_RATING")
    assert list(routing_tags(answer)) == []


@pytest.mark.parametrize("reason", ABNORMAL_FINISHES)
def test_an_abnormal_finish_is_checked_where_there_is_text(reason: str) -> None:
    answer = candidate(finish_reason=reason)
    assert route(answer) is None
    assert list(routing_tags(answer)) == [Tag.ABNORMAL_FINISH]


@pytest.mark.parametrize("text", ["", " \n\t"])
@pytest.mark.parametrize("reason", ABNORMAL_FINISHES)
def test_an_abnormal_finish_without_text_is_a_failed_generation(reason: str, text: str) -> None:
    answer = candidate(text, finish_reason=reason)
    assert route(answer) == decided("GENERATION_FAILED", reason)
    assert list(routing_tags(answer)) == [Tag.ABNORMAL_FINISH]


def test_a_finish_or_block_reason_that_is_an_unknown_number_is_tagged() -> None:
    finished = candidate(finish_reason="47")
    assert route(finished) is None
    assert list(routing_tags(finished)) == [Tag.UNKNOWN_SKIP_REASON, Tag.ABNORMAL_FINISH]
    blocked = candidate("", block_reason="47")
    assert list(routing_tags(blocked)) == [Tag.UNKNOWN_SKIP_REASON]


FINISHES = {
    "stopped": ({"finish_reason": "STOP"}, None, []),
    "stopped, no text": (
        {"finish_reason": "STOP", "text": ""},
        decided("UNSCORABLE", "NO_TEXT"),
        [],
    ),
    "cut": ({"finish_reason": "MAX_TOKENS"}, None, [Tag.TRUNCATED]),
    "cut, no text": (
        {"finish_reason": "MAX_TOKENS", "text": ""},
        decided("UNSCORABLE", "NO_TEXT"),
        [Tag.TRUNCATED],
    ),
    "no end": ({}, None, [Tag.UNFINISHED]),
    "no end, no text": ({"text": ""}, decided("INCOMPLETE", "UNFINISHED"), [Tag.UNFINISHED]),
    "no candidate, blocked prompt": (
        {"text": "", "block_reason": "SAFETY"},
        decided("POLICY_SKIPPED", "SAFETY"),
        [],
    ),
    "no end, blocked prompt": (
        {"block_reason": "SAFETY"},
        decided("POLICY_SKIPPED", "SAFETY"),
        [Tag.UNFINISHED],
    ),
    "no end, no text, blocked rating": (
        {"text": "", "safety_ratings": (BLOCKED,)},
        decided("POLICY_SKIPPED", "BLOCKED_RATING"),
        [Tag.UNFINISHED],
    ),
    "no end, no facts": ({"facts": ()}, decided("UNSCORABLE", "NO_FACTS"), [Tag.UNFINISHED]),
}


@pytest.mark.parametrize(("fields", "decision", "tags"), FINISHES.values(), ids=FINISHES)
def test_how_a_candidate_ended_decides_only_where_it_says_something(
    fields: dict[str, Any], decision: Decision | None, tags: list[Tag]
) -> None:
    answer = candidate(**fields)
    assert route(answer) == decision
    assert list(routing_tags(answer)) == tags


def test_the_state_failed_is_a_failed_generation() -> None:
    assert route(an_answer("", state="FAILED")) == decided("GENERATION_FAILED", "FAILED")


def test_a_stream_that_broke_off_names_the_errors_status() -> None:
    answer = an_answer("", state="FAILED", error_status="RESOURCE_EXHAUSTED")
    assert route(answer) == decided("GENERATION_FAILED", "RESOURCE_EXHAUSTED")


NOTHING_TO_SCORE = {
    "no text": ("", (), "NO_TEXT"),
    "white space": (" \u3000\n", (), "NO_TEXT"),
    "reasoning": ("<think>It takes 9 days.</think>\n", (a_fact("Lamps glow."),), "NO_TEXT"),
    "no facts": ("Lamps glow.", (), "NO_FACTS"),
}


@pytest.mark.parametrize(
    ("text", "facts", "reason"), NOTHING_TO_SCORE.values(), ids=NOTHING_TO_SCORE
)
def test_without_text_or_facts_there_is_nothing_to_score(
    text: str, facts: tuple[Fact, ...], reason: str
) -> None:
    assert route(an_answer(text, facts=facts)) == decided("UNSCORABLE", reason)


def test_a_text_with_a_fact_needs_a_check() -> None:
    assert route(an_answer()) is None


PRECEDENCE = {
    "unfinished before policy": (
        {"state": "STREAMING", "skip_reasons": ("JAIL_BREAKING_QUERY_IGNORED",)},
        decided("INCOMPLETE", "STREAMING"),
    ),
    "unfinished before a blocked rating": (
        {"state": "IN_PROGRESS", "safety_ratings": (BLOCKED,)},
        decided("INCOMPLETE", "IN_PROGRESS"),
    ),
    "policy before low grounded": (
        {"skip_reasons": ("LOW_GROUNDED_ANSWER", "CUSTOMER_POLICY_VIOLATION")},
        decided("POLICY_SKIPPED", "CUSTOMER_POLICY_VIOLATION"),
    ),
    "policy before any other skip": (
        {"skip_reasons": ("NO_RELEVANT_CONTENT", "ADVERSARIAL_QUERY_IGNORED")},
        decided("POLICY_SKIPPED", "ADVERSARIAL_QUERY_IGNORED"),
    ),
    "a finish reason before low grounded": (
        {"skip_reasons": ("LOW_GROUNDED_ANSWER",), "finish_reason": "SAFETY"},
        decided("POLICY_SKIPPED", "SAFETY"),
    ),
    "a blocked rating before low grounded": (
        {"skip_reasons": ("LOW_GROUNDED_ANSWER",), "safety_ratings": (BLOCKED,)},
        decided("POLICY_SKIPPED", "BLOCKED_RATING"),
    ),
    "policy before failed": (
        {"state": "FAILED", "block_reason": "OTHER"},
        decided("POLICY_SKIPPED", "OTHER"),
    ),
    "low grounded before any other skip": (
        {"skip_reasons": ("UNHELPFUL_ANSWER", "LOW_GROUNDED_ANSWER")},
        decided("LOW_GROUNDED", "LOW_GROUNDED_ANSWER"),
    ),
    "low grounded before failed": (
        {"state": "FAILED", "skip_reasons": ("LOW_GROUNDED_ANSWER",)},
        decided("LOW_GROUNDED", "LOW_GROUNDED_ANSWER"),
    ),
    "a skip before failed": (
        {"state": "FAILED", "skip_reasons": ("UNHELPFUL_ANSWER",)},
        decided("NOT_ANSWERED", "UNHELPFUL_ANSWER"),
    ),
    "failed before nothing to score": (
        {"state": "FAILED", "facts": ()},
        decided("GENERATION_FAILED", "FAILED"),
    ),
    "the first of two policy skips": (
        {"skip_reasons": ("POTENTIAL_POLICY_VIOLATION", "ADVERSARIAL_QUERY_IGNORED")},
        decided("POLICY_SKIPPED", "POTENTIAL_POLICY_VIOLATION"),
    ),
    "the first of two other skips": (
        {"skip_reasons": ("TOMORROW", "NO_RELEVANT_CONTENT")},
        decided("NOT_ANSWERED", "TOMORROW"),
    ),
    "skip, finish, block and rating in this order": (
        {
            "safety_ratings": (BLOCKED,),
            "block_reason": "OTHER",
            "finish_reason": "SAFETY",
            "skip_reasons": ("CUSTOMER_POLICY_VIOLATION",),
        },
        decided("POLICY_SKIPPED", "CUSTOMER_POLICY_VIOLATION"),
    ),
    "finish before block": (
        {"block_reason": "OTHER", "finish_reason": "SPII"},
        decided("POLICY_SKIPPED", "SPII"),
    ),
    "block before rating": (
        {"safety_ratings": (BLOCKED,), "block_reason": "OTHER"},
        decided("POLICY_SKIPPED", "OTHER"),
    ),
}


@pytest.mark.parametrize(("fields", "decision"), PRECEDENCE.values(), ids=PRECEDENCE)
def test_of_several_reasons_the_first_in_order_decides(
    fields: dict[str, Any], decision: Decision
) -> None:
    assert route(an_answer(**fields)) == decision


MOVED = {
    "a skip": ({"skip_reasons": ("UNHELPFUL_ANSWER",)}, "UNHELPFUL_ANSWER", "LOW_GROUNDED"),
    "an unknown skip": ({"skip_reasons": ("TOMORROW",)}, "TOMORROW", "POLICY_SKIPPED"),
    "a finish": ({"finish_reason": "RECITATION"}, "RECITATION", "NOT_ANSWERED"),
    "a block": ({"block_reason": "OTHER"}, "OTHER", "NOT_ANSWERED"),
    "a blocked rating": ({"safety_ratings": (BLOCKED,)}, "BLOCKED_RATING", "NOT_ANSWERED"),
    "a state": ({"state": "FAILED"}, "FAILED", "INCOMPLETE"),
}


@pytest.mark.parametrize(("fields", "reason", "verdict"), MOVED.values(), ids=MOVED)
def test_a_reason_can_be_moved_to_another_verdict(
    fields: dict[str, Any], reason: str, verdict: str
) -> None:
    answer = an_answer(**fields)
    assert route(answer, {reason: Verdict(verdict)}) == decided(verdict, reason)


def test_a_moved_reason_takes_its_new_verdicts_place_in_the_order() -> None:
    answer = an_answer(skip_reasons=("LOW_GROUNDED_ANSWER", "NO_RELEVANT_CONTENT"))
    moved = {"NO_RELEVANT_CONTENT": Verdict.POLICY_SKIPPED}
    assert route(answer, moved) == decided("POLICY_SKIPPED", "NO_RELEVANT_CONTENT")
