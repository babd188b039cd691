"""Candidates, alone and in the responses of generateAnswer and generateContent."""

import pytest

from groundwatch.schemas.answer import Citation, Fact, GroundingSupport
from tests.support.answer_messages import parsed


def candidate(*parts: dict[str, object], **fields: object) -> dict[str, object]:
    return {"content": {"parts": parts}} | fields


YES = candidate({"text": "Yes."})


def test_text_parts_are_joined_and_thoughts_dropped() -> None:
    answer = parsed(
        candidate(
            {"text": "In 3"},
            {"text": "Hm.", "thought": True},
            {"text": " days.\n"},
            {"inlineData": {"mimeType": "image/png"}},
            {"text": "So it is."},
        )
    )
    assert answer.answer_text == "In 3 days.\n\n\nSo it is."


PASSAGES = {
    "passages": [
        {"id": "p1", "content": {"parts": [{"text": "One."}, {"text": "Two."}]}},
        {"id": "p2", "content": {"parts": [{"text": " \n"}]}},
        {"id": "p3", "content": {"parts": [{"text": "One.\nTwo."}]}},
    ]
}
QUOTED = candidate(
    {"text": "Yes."},
    groundingAttributions=[
        {
            "content": {"parts": [{"text": "Attributed."}]},
            "sourceId": {"groundingPassage": {"passageId": "p9"}},
        }
    ],
    groundingMetadata={
        "groundingChunks": [
            {"web": {"uri": "w", "title": "no text"}},
            {"retrievedContext": {"uri": "u", "title": "t", "text": "Retrieved."}},
            {
                "retrievedContext": {
                    "documentName": "d",
                    "ragChunk": {"text": "Rag.", "pageSpan": {"firstPage": 4}},
                }
            },
            {"retrievedContext": {"text": "Paged.", "pageNumber": 7}},
            {"image": {"sourceUri": "i"}},
            "not a chunk",
            {"maps": {"text": "Attributed.", "uri": "m"}},
        ],
        "groundingSupports": [
            {"segment": {"endIndex": 4}, "groundingChunkIndices": [6, 1, 0, 99, -1]}
        ],
    },
)


def test_inline_passages_are_the_only_facts_if_there_are_any() -> None:
    answer = parsed({"request": {"inlinePassages": PASSAGES}, "response": {"answer": QUOTED}})
    assert answer.facts == (Fact(text="One.\nTwo.", document="p1"),)
    assert answer.supports == (GroundingSupport(start=0, end=4),)


@pytest.mark.parametrize(
    "value",
    [
        QUOTED,
        {"answer": QUOTED},
        {"candidates": [QUOTED]},
        {"request": {"inlinePassages": {}}, "response": {"answer": QUOTED}},
    ],
    ids=["candidate", "generateAnswer", "generateContent", "empty passages"],
)
def test_without_passages_all_quoted_texts_are_facts(value: object) -> None:
    answer = parsed(value)
    assert answer.facts == (
        Fact(text="Attributed.", document="p9"),
        Fact(text="Retrieved.", uri="u", title="t"),
        Fact(text="Rag.", document="d", attributes={"page": "4"}),
        Fact(text="Paged.", attributes={"page": "7"}),
    )
    assert answer.citations == (Citation(start=0, end=4, facts=(0, 1)),)


SEGMENTS = {
    "first part": ({"endIndex": 4}, (0, 4)),
    "second part": ({"partIndex": 2, "startIndex": 1, "endIndex": 3}, (5, 7)),
    "as strings": ({"partIndex": "2", "startIndex": "0", "endIndex": "3"}, (4, 7)),
    "thought": ({"partIndex": 1, "endIndex": 1}, None),
    "no such part": ({"partIndex": 3, "endIndex": 1}, None),
    "negative part": ({"partIndex": -1, "endIndex": 1}, None),
    "before its part": ({"partIndex": 2, "startIndex": -1, "endIndex": 1}, None),
    "beyond its part": ({"endIndex": 5}, None),
    "into the next part": ({"startIndex": 2, "endIndex": 7}, None),
    "after its part": ({"startIndex": 5, "endIndex": 7}, None),
    "all of its part": ({"partIndex": 2, "endIndex": 3}, (4, 7)),
    "end before start": ({"startIndex": 3, "endIndex": 2}, None),
    "beyond the answer": ({"partIndex": 2, "endIndex": 9}, None),
    "within a character": ({"partIndex": 2, "endIndex": 2}, None),
    "no number": ({"endIndex": "last"}, None),
}


@pytest.mark.parametrize(("segment", "span"), SEGMENTS.values(), ids=SEGMENTS)
def test_offsets_of_segments_become_offsets_into_the_answer(
    segment: dict[str, object], span: tuple[int, int] | None
) -> None:
    answer = parsed(
        candidate(
            {"text": "Ja, "},
            {"text": "Hm.", "thought": True},
            {"text": "aß"},
            groundingMetadata={"groundingSupports": [{"segment": segment}]},
        )
    )
    assert [(support.start, support.end) for support in answer.supports] == ([span] if span else [])
    assert answer.tags == (() if span else ("BAD_OFFSETS",))


@pytest.mark.parametrize(
    ("scores", "best"), [([0.25, 0.5], 0.5), ([], None), ([0.0], 0.0), (["NaN", 7, "0.5", []], 0.5)]
)
def test_a_supports_score_is_the_best_of_its_chunks(
    scores: list[object], best: float | None
) -> None:
    support = {"segment": {"endIndex": 4}, "confidenceScores": scores}
    answer = parsed(candidate({"text": "Yes."}, groundingMetadata={"groundingSupports": [support]}))
    assert answer.supports[0].score == best


EDGES: dict[str, tuple[list[dict[str, str]], dict[str, int], tuple[int, int]]] = {
    "no parts": ([], {"startIndex": 0, "endIndex": 0}, (0, 0)),
    "nothing at the end": ([{"text": "Yes."}], {"startIndex": 4, "endIndex": 4}, (4, 4)),
    "the whole": ([{"text": "Yes."}], {"startIndex": 0, "endIndex": 4}, (0, 4)),
}


@pytest.mark.parametrize(("parts", "source", "span"), EDGES.values(), ids=EDGES)
def test_an_empty_recitation_is_one(
    parts: list[dict[str, str]], source: dict[str, int], span: tuple[int, int]
) -> None:
    answer = parsed(candidate(*parts, citationMetadata={"citationSources": [source]}))
    assert answer.citations == (Citation(start=span[0], end=span[1]),)


@pytest.mark.parametrize("field", ["citationSources", "citations"])
def test_recitations_are_citations_without_facts(field: str) -> None:
    sources = [
        {"startIndex": 0, "endIndex": 3, "uri": "u"},
        {"endIndex": 1},
        {"uri": "no span"},
        {"endIndex": 9},
    ]
    answer = parsed(candidate({"text": "Yes."}, citationMetadata={field: sources}))
    assert answer.citations == (Citation(start=0, end=3), Citation(start=0, end=1))
    assert answer.tags == ("BAD_OFFSETS",)


def test_ratings_of_candidate_and_prompt_are_joined_by_geminis_numbers() -> None:
    value = {
        "candidates": [YES | {"safetyRatings": [{"category": 8, "probability": 2}]}],
        "promptFeedback": {
            "safetyRatings": [{"category": "HARM_CATEGORY_TOXICITY", "blocked": True}]
        },
    }
    ratings = parsed(value).safety_ratings
    assert [(r.category, r.probability, r.blocked) for r in ratings] == [
        ("HATE_SPEECH", "LOW", False),
        ("TOXICITY", None, True),
    ]


def test_the_first_candidate_is_read_and_more_are_tagged() -> None:
    answer = parsed({"candidates": [YES, candidate({"text": "No."})]})
    assert (answer.answer_text, answer.tags) == ("Yes.", ("MULTIPLE_CANDIDATES",))
    assert parsed({"candidates": [YES]}).tags == ()


CONTENTS = [
    {"role": "user", "parts": [{"text": "First?"}]},
    {"role": "model", "parts": [{"text": "Yes."}]},
    {"parts": [{"text": "And "}, {"text": "then?"}]},
    {"role": "model", "parts": [{"text": "Well,"}]},
    "not a content",
]
SEARCH = {"query": {"parts": [{"text": "searched"}]}}


@pytest.mark.parametrize(
    ("request_body", "query"),
    [
        ({"contents": CONTENTS, "semanticRetriever": SEARCH}, "And then?"),
        ({"semanticRetriever": SEARCH}, "searched"),
        ({}, None),
    ],
    ids=["contents", "search", "nothing"],
)
def test_the_query_is_the_last_text_of_the_user(
    request_body: dict[str, object], query: str | None
) -> None:
    assert parsed({"request": request_body, "response": {"answer": YES}}).query == query


def test_generate_content_may_have_a_time() -> None:
    value = {"candidates": [YES], "createTime": "2026-03-02T08:00:00Z"}
    assert parsed(value).event_time_us == 1_772_438_400_000_000
    assert parsed(value | {"createTime": "noon"}).tags == ("BAD_TIMESTAMP",)
