"""Integer enums of candidates: the Gemini API and Vertex AI number some of them differently."""

import pytest

from groundwatch.schemas.checked_answer import Decision
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.rules.routing import route, routing_tags
from tests.support.answer_messages import parsed

SAID = {"content": {"parts": [{"text": "Yes."}]}}

FINISH_REASONS = {
    # number: shared shape, gemini.generate_content, vertex.generate_content
    1: ("STOP", "STOP", "STOP"),
    5: ("OTHER", "OTHER", "OTHER"),
    6: ("6", "LANGUAGE", "BLOCKLIST"),
    7: ("7", "BLOCKLIST", "PROHIBITED_CONTENT"),
    8: ("8", "PROHIBITED_CONTENT", "SPII"),
    9: ("9", "SPII", "MALFORMED_FUNCTION_CALL"),
    10: ("10", "MALFORMED_FUNCTION_CALL", "MODEL_ARMOR"),
    11: ("IMAGE_SAFETY", "IMAGE_SAFETY", "11"),
    "7": ("7", "BLOCKLIST", "PROHIBITED_CONTENT"),
    "MODEL_ARMOR": ("MODEL_ARMOR",) * 3,
}
CATEGORIES = {
    1: ("1", "DEROGATORY", "HATE_SPEECH"),
    6: ("6", "DANGEROUS", "JAILBREAK"),
    7: ("HARASSMENT", "HARASSMENT", "7"),
    "HARM_CATEGORY_HATE_SPEECH": ("HATE_SPEECH",) * 3,
}
BLOCK_REASONS = {
    0: (None, None, None),
    1: ("SAFETY", "SAFETY", "SAFETY"),
    4: ("PROHIBITED_CONTENT",) * 3,
    5: ("5", "IMAGE_SAFETY", "MODEL_ARMOR"),
    6: ("JAILBREAK", "6", "JAILBREAK"),
    "BLOCKED_REASON_UNSPECIFIED": (None, None, None),
    "BLOCK_REASON_UNSPECIFIED": (None, None, None),
}


def formats(names: tuple[str | None, ...]) -> list[tuple[dict[str, str], str | None]]:
    return [
        ({}, names[0]),
        ({"format": "gemini.generate_content"}, names[1]),
        ({"format": "gemini"}, names[1]),
        ({"format": "vertex.generate_content"}, names[2]),
        ({"format": "vertex"}, names[2]),
    ]


@pytest.mark.parametrize("number", FINISH_REASONS)
def test_the_named_api_decides_the_number_of_a_finish_reason(number: int | str) -> None:
    value = {"candidates": [SAID | {"finishReason": number}]}
    for attributes, name in formats(FINISH_REASONS[number]):
        assert parsed(value, **attributes).finish_reason == name


@pytest.mark.parametrize("number", CATEGORIES)
def test_the_named_api_decides_the_number_of_a_category(number: int | str) -> None:
    value = {"candidates": [SAID | {"safetyRatings": [{"category": number}]}]}
    for attributes, name in formats(CATEGORIES[number]):
        assert parsed(value, **attributes).safety_ratings[0].category == name


@pytest.mark.parametrize("number", BLOCK_REASONS)
def test_the_named_api_decides_the_number_of_a_block_reason(number: int | str) -> None:
    value = {"promptFeedback": {"blockReason": number}}
    for attributes, name in formats(BLOCK_REASONS[number]):
        assert parsed(value, **attributes).block_reason == name


def test_the_source_format_is_the_named_one() -> None:
    value = {"candidates": [SAID]}
    assert parsed(value).source_format == "gemini.generate_content"
    assert parsed(value, format="vertex").source_format == "vertex.generate_content"


VERTEX = {
    "the response's time": {"createTime": "2026-03-02T08:00:00Z"},
    "a rating's severity": {"candidates": [{"safetyRatings": [{"severity": 1}]}]},
    "a rating's score": {"candidates": [{"safetyRatings": [{"probabilityScore": 0.1}]}]},
    "the citations' name": {"candidates": [{"citationMetadata": {"citations": []}}]},
    "the prompt's rating": {"promptFeedback": {"safetyRatings": [{"severityScore": 0.1}]}},
}
GEMINI = {
    "attributions": {"candidates": [{"groundingAttributions": []}]},
    "a token count": {"candidates": [{"tokenCount": 4}]},
    "the citations' name": {"candidates": [{"citationMetadata": {"citationSources": []}}]},
}


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        *(pytest.param(fields, "SPII", id=f"vertex by {by}") for by, fields in VERTEX.items()),
        *(
            pytest.param(fields, "PROHIBITED_CONTENT", id=f"gemini by {by}")
            for by, fields in GEMINI.items()
        ),
    ],
)
def test_a_field_that_only_one_api_writes_decides_the_number(
    fields: dict[str, object], name: str
) -> None:
    [own] = fields.get("candidates", [{}])
    value = fields | {"candidates": [SAID | {"finishReason": 8} | own]}
    assert parsed(value).finish_reason == name


def test_a_bare_candidate_is_of_either_api() -> None:
    assert parsed(SAID | {"finishReason": {}}).finish_reason is None
    assert parsed(SAID | {"finishReason": 7}).finish_reason == "7"
    assert parsed(SAID | {"finishReason": 7, "tokenCount": 4}).finish_reason == "BLOCKLIST"


def test_generate_answer_has_the_numbers_of_the_gemini_api() -> None:
    assert parsed({"answer": SAID | {"finishReason": 7}}).finish_reason == "BLOCKLIST"


def test_an_ambiguous_number_is_tagged_unknown() -> None:
    finished = parsed({"candidates": [SAID | {"finishReason": 7}]})
    assert set(routing_tags(finished)) == {Tag.ABNORMAL_FINISH, Tag.UNKNOWN_SKIP_REASON}
    blocked = parsed({"promptFeedback": {"blockReason": 5}})
    assert set(routing_tags(blocked)) == {Tag.UNKNOWN_SKIP_REASON}
    assert route(blocked) == Decision(verdict=Verdict.POLICY_SKIPPED, reason="5")
