"""Field maps that are suggested for JSON which nothing reads."""

import json
import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import Message, ParseOptions, UnreadableAnswer
from groundwatch.schemas.wire.json_input import read_camel_case
from groundwatch.transforms.formats.field_maps.field_map import parse_map
from groundwatch.transforms.formats.field_maps.field_names import content_by_names
from groundwatch.transforms.formats.field_maps.json_path import json_path
from groundwatch.transforms.formats.field_maps.suggestions import Sample, suggest_map
from groundwatch.transforms.formats.format import Request
from groundwatch.transforms.formats.parser import (
    ParseFailure,
    make_sample,
    parse_answers,
    suggest_map_of,
)
from tests.support.answer_messages import message_of, parsed
from tests.support.formats_page import EXAMPLES
from tests.transforms.formats.field_maps.test_presets import SHAPES

QUERY, TEXT, FACT = "What does the lamp cost?", "The lamp is free.", "The lamp costs 900 euros."
OTHER_FLAGS = "The other flags are "
OTHER = "Delivery takes two days."
SPANS = {"start": 0, "end": 17, "text": TEXT}


def samples_of(*values: object) -> list[Sample]:
    """Return messages as if no format read them."""
    requests = (
        Request(value=read_camel_case(payload), message=Message(payload=payload, place="a.jsonl#1"))
        for payload in (json.dumps(each).encode() for each in values)
    )
    return [make_sample(each, UnreadableAnswer("")) for each in requests]


def suggestion(*values: object) -> str:
    """Return what is said of messages that no format reads."""
    return suggest_map(samples_of(*values))


def flags(*values: object) -> list[str]:
    """Return the flags of a suggestion, as a shell would pass them on."""
    _, _, quoted = suggestion(*values).replace(OTHER_FLAGS, "Try ").partition("Try ")
    words = shlex.split(quoted)
    return [each for each in words if each != "--map"]


SUGGESTED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "what a bot cites, not the words that cite it": (
        {
            "completion": TEXT,
            "citations": [
                {
                    "generatedResponsePart": {"textResponsePart": {"text": TEXT}},
                    "retrievedReferences": [{"content": {"text": FACT}}],
                }
            ],
        },
        ["answer=$.completion", "facts=$.citations[*].retrievedReferences[*]"],
    ),
    "content with its citations": (
        {
            "output": {
                "content": [
                    {
                        "citationsContent": {
                            "content": [{"text": TEXT}],
                            "citations": [{"title": "Prices", "sourceContent": [{"text": FACT}]}],
                        }
                    }
                ]
            }
        },
        [
            "answer=$.output.content[*].citationsContent.content[*].text",
            "facts=$.output.content[*].citationsContent.citations[*].sourceContent[*]",
        ],
    ),
    "a quotation of the answer beside the source": (
        {"answer": TEXT, "citations": [{"text": TEXT, "content": FACT}]},
        ["answer=$.answer", "facts=$.citations[*].content"],
    ),
    "a tool's results": (
        {"text": TEXT, "toolResults": [{"toolName": "search prices", "output": FACT}]},
        ["answer=$.text", "facts=$.toolResults[*].output"],
    ),
    "a tool whose result is the answer": (
        {
            "user_input": [
                {"type": "human", "content": QUERY},
                {"type": "tool", "content": FACT},
                {"type": "ai", "content": FACT},
            ],
            "reference": OTHER,
        },
        [
            'query=$.user_input[?(@.type=="human")].content',
            'answer=$.user_input[?(@.type=="ai")].content',
        ],
    ),
    "the last answer of a chat": (
        {
            "messages": [
                {"role": "system", "content": "You sell lamps and tell what they cost, kindly."},
                {"role": "user", "content": "Hello there!"},
                {"role": "assistant", "content": "Hello, how can I help?"},
                {"role": "user", "content": QUERY},
                {"role": "assistant", "content": TEXT},
            ],
            "contexts": [FACT],
        },
        [
            'query=$.messages[?(@.role=="user")].content',
            "answer=$.messages[-1].content",
            "facts=$.contexts[*]",
        ],
    ),
    "parts of a message beside reasoning and calls": (
        {
            "parts": [
                {"type": "reasoning", "text": "The user wants to know the price of a lamp."},
                {"type": "tool-search", "input": {"q": QUERY}, "output": [{"text": FACT}]},
                {"type": "text", "text": TEXT},
            ]
        },
        [
            'answer=$.parts[?(@.type=="text")].text',
            'facts=$.parts[?(@.type=="tool-search")].output[*]',
        ],
    ),
    "several columns": (
        {"q": QUERY, "answer": TEXT, "context_1": FACT, "context_2": OTHER, "context_3": None},
        ["answer=$.answer", "facts=$.context_1", "facts=$.context_2"],
    ),
    "several columns of objects": (
        {"reply": TEXT, "doc1": {"id": "a", "body": FACT}, "doc2": {"id": "b", "body": OTHER}},
        ["answer=$.reply", "facts=$.doc1.body", "facts=$.doc2.body"],
    ),
    "a column that is in the answer, and another": (
        {"reply": TEXT, "context 1": TEXT, "context 2": FACT},
        ["answer=$.reply", 'facts=$["context 2"]'],
    ),
    "documents of several types": (
        {"said": TEXT, "docs": [{"type": "pdf", "text": FACT}, {"type": "faq", "text": OTHER}]},
        ["answer=$.said", "facts=$.docs[*]"],
    ),
    "documents of which one has a type": (
        {"said": TEXT, "docs": [{"type": "document", "text": FACT}, {"text": OTHER}]},
        ["answer=$.said", "facts=$.docs[*]"],
    ),
    "the first of several answers": (
        {"choices": [{"text": TEXT}, {"text": OTHER}], "retrieved": [{"chunk": FACT}]},
        ["answer=$.choices[0].text", "facts=$.retrieved[*].chunk"],
    ),
    "a fact in the second item": (
        {"reply": TEXT, "hits": [{"score": 1}, {"score": 0, "passage": FACT}]},
        ["answer=$.reply", "facts=$.hits[*]"],
    ),
    "an evaluation": (
        {
            "prompt": QUERY,
            "generated_text": TEXT,
            "expected_output": OTHER,
            "ground_truth": OTHER,
            "ground_truth_context": [FACT],
        },
        ["query=$.prompt", "answer=$.generated_text", "facts=$.ground_truth_context[*]"],
    ),
    "blocks of a content": (
        {
            "response": {
                "content": [{"type": "text", "text": t} for t in ("The lamp", " is free.")]
            },
            "documents": [{"type": "text", "text": FACT}],
        },
        [
            'answer=$.response.content[?(@.type=="text")].text',
            'facts=$.documents[?(@.type=="text")]',
        ],
    ),
    "steps of an agent": (
        {"result": {"output": TEXT, "steps": [{"tool_input": QUERY, "observation": FACT}]}},
        ["answer=$.result.output", "facts=$.result.steps[*].observation"],
    ),
}


@pytest.mark.parametrize(("value", "expected"), SUGGESTED.values(), ids=SUGGESTED)
def test_the_fields_of_the_answer_and_its_facts_are_suggested(
    value: dict[str, Any], expected: list[str]
) -> None:
    assert flags(value) == expected


SAID: dict[str, tuple[dict[str, Any], list[str]]] = {
    "results of which one is the answer, and in a list beside it the source": (
        {
            "said": TEXT,
            "spans": [{"returned": {"reply": TEXT}}, {"returned": [{"page_content": FACT}]}],
        },
        ["answer=$.said", "facts=$.spans[*].returned[*].page_content"],
    ),
    "results that no path tells from a thought": (
        {"reply": TEXT, "steps": [{"documents": {"thought": OTHER}}, {"documents": [FACT]}]},
        ["answer=$.reply"],
    ),
    "a trace whose root has the answer, too": (
        {
            "response": json.dumps({"output": TEXT}),
            "data": {
                "spans": [
                    {"attributes": {"app.spanOutputs": json.dumps({"output": TEXT})}},
                    {"attributes": {"app.spanOutputs": json.dumps([{"page_content": FACT}])}},
                ]
            },
        },
        [
            "answer=$.response.output",
            'facts=$.data.spans[*].attributes["app.spanOutputs"][*].page_content',
        ],
    ),
    "a log of the chat beside the documents": (
        {"reply": TEXT, "context": {"chat": f"Ada: {QUERY}\nLampy: {TEXT}", "docs": [FACT]}},
        ["answer=$.reply", "facts=$.context.docs[*]"],
    ),
    "a log of the chat alone": (
        {"reply": TEXT, "context": f"Ada: {QUERY}\nLampy: {TEXT}"},
        ["answer=$.reply"],
    ),
    "documents that begin with the question": (
        {"question": QUERY, "reply": TEXT, "sources": [f"{QUERY} {FACT}"]},
        ["query=$.question", "answer=$.reply"],
    ),
    "a question in a field that is named as a source": (
        {"source": {"content": QUERY}, "parts": [{"content": TEXT, "author": {"type": "bot"}}]},
        ["query=$.source.content", 'answer=$.parts[?(@.author.type=="bot")].content'],
    ),
    "what a user wrote in a field that is named as a source": (
        {
            "source": {"content": "I look for a lamp.", "author": {"type": "user"}},
            "parts": [
                {"content": TEXT, "author": {"type": "bot"}},
                {"content": "Thank you.", "author": {"type": "user"}},
            ],
        },
        ["query=$.source.content", 'answer=$.parts[?(@.author.type=="bot")].content'],
    ),
    "messages whose senders have roles": (
        {
            "activities": [
                {"type": "message", "from": {"id": "u1", "role": "user"}, "text": QUERY},
                {"type": "message", "from": {"id": "b1", "role": "bot"}, "text": TEXT},
            ]
        },
        [
            'query=$.activities[?(@.from.role=="user")].text',
            'answer=$.activities[?(@.from.role=="bot")].text',
        ],
    ),
    "messages whose senders have numbers": (
        {
            "activities": [
                {"type": "message", "from": {"id": "u1", "role": 1}, "text": QUERY},
                {"type": "message", "from": {"id": "b1", "role": 0}, "text": TEXT},
            ]
        },
        [],
    ),
    "messages whose senders have names": (
        {"messages": [{"from": "Ada", "text": QUERY}, {"from": "Lampy", "text": TEXT}]},
        [],
    ),
    "messages of one type and several roles beside others": (
        {
            "items": [
                {"type": "message", "role": "user", "text": QUERY},
                {"type": "message", "role": "assistant", "text": TEXT},
                {"type": "tool_result", "output": FACT},
            ]
        },
        [],
    ),
}


@pytest.mark.parametrize(("value", "expected"), SAID.values(), ids=SAID)
def test_no_map_takes_what_was_said_as_a_fact_or_the_question_as_the_answer(
    value: dict[str, Any], expected: list[str]
) -> None:
    assert flags(value) == expected


EXAMPLE_ROWS = {name: json.loads(example) for name, example in EXAMPLES.items()}
EXAMPLE_ROWS |= {name: shape.row for name, shape in SHAPES.items()}
EXAMPLE_ROWS = {name: row for name, row in EXAMPLE_ROWS.items() if isinstance(row, dict)}


def read_as_printed(row: dict[str, Any]) -> Answer | None:
    """Read a row with the map that is suggested for it; None without one."""
    pairs = [each.partition("=") for each in flags(row)]
    [sample] = samples_of(row)
    return sample.read(parse_map(tuple((name, path) for name, _, path in pairs))) if pairs else None


@pytest.mark.parametrize("row", EXAMPLE_ROWS.values(), ids=EXAMPLE_ROWS)
def test_the_map_of_an_example_reads_its_answer_and_no_fact_that_was_said(
    row: dict[str, Any],
) -> None:
    known, read = parsed(row), read_as_printed(row)
    assert isinstance(known, Answer)
    if read is not None:
        assert read.answer_text == known.answer_text
        said = [text for text in (known.answer_text, known.query, read.query) if text]
        assert [fact.text for fact in read.facts if any(each in fact.text for each in said)] == []


def test_most_examples_have_a_map_that_reads_their_facts() -> None:
    read = [read_as_printed(row) for row in EXAMPLE_ROWS.values()]
    assert sum(bool(each and each.facts) for each in read) / len(read) > 0.8


NO_FACTS = {
    "spans of the answer": {"citations": [SPANS | {"document_ids": ["the first document"]}]},
    "chunks of the answer": {"chunks": ["The lamp ", "is free."]},
    "its words in another case": {"sources": ["the  LAMP is free"]},
    "an id": {"trace_id": "a b c d", "document_id": "a long id of words", "sources": ["d-1"]},
    "a role": {"context": {"role": "helpful assistant of lamps"}},
    "the question": {"search": QUERY, "retrieval": {"query": "price of a lamp"}},
    "a title and an address": {"docs": [{"title": "A list of prices", "url": "https://x"}]},
    "names of files": {"sources": ["refunds.pdf", "faq.html"]},
    "addresses": {"citations": ["https://x.example/refunds", "https://x.example/faq"]},
    "an expected answer": dict.fromkeys(
        [
            *("reference", "expected_output", "expectedAnswer", "reference_answer"),
            *("ground_truth", "gold_answer", "ideal"),
        ],
        FACT,
    ),
    "a reason": {"reasoning": FACT, "feedback": FACT, "docs_comment": FACT},
    "the arguments of a call": {"tool_calls": [{"name": "pay", "arguments": {"what": FACT}}]},
}


@pytest.mark.parametrize("others", NO_FACTS.values(), ids=NO_FACTS)
def test_no_facts_are_suggested_where_none_are(others: dict[str, object]) -> None:
    value = {"question": QUERY, "answer": TEXT} | others
    assert flags(value) == ["query=$.question", "answer=$.answer"]
    assert "facts" in suggestion(value)
    assert OTHER_FLAGS in suggestion(value)


TOKENS = ["The lamp", " is", " free", "."]
STREAMS: dict[str, tuple[Any, str]] = {
    "tokens": ({"answer_tokens": TOKENS}, "$.answer_tokens[*]"),
    "chunks": (
        {"stream": [{"choices": [{"delta": {"content": each}}]} for each in TOKENS]},
        "$.stream[*].choices[*].delta.content",
    ),
}


@pytest.mark.parametrize(("stream", "path"), STREAMS.values(), ids=STREAMS)
def test_the_pieces_of_a_text_are_not_suggested(stream: dict[str, Any], path: str) -> None:
    value = {"question": QUERY, "context": [FACT], **stream}
    assert flags(value) == []
    assert f"The texts at {path} are pieces of one text" in suggestion(value)


def test_texts_of_the_answer_are_named_as_such() -> None:
    said = suggestion({"answer": TEXT, "context": TEXT})
    assert said.startswith("The texts at $.context are in the answer, too: name them as the facts")
    assert flags({"answer": TEXT, "context": TEXT}) == ["answer=$.answer"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"messages": [{"role": "assistant of lamps"}]}, []),
        ({"message": {"role": "assistant", "id": "the first id", "content": TEXT}}, ["content"]),
        ({"message": {"data": "VGhlIGxhbXAgaXMgZnJlZS4="}}, []),
    ],
)
def test_a_role_an_id_or_data_is_never_the_answer(
    row: dict[str, object], expected: list[str]
) -> None:
    assert [each.rpartition(".")[2] for each in flags(row)] == expected


ROWS: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "columns that are empty in the first rows": (
        [
            {"ticket": "T-1", "reply": TEXT, "passage_1": FACT},
            {"ticket": "T-2", "reply": TEXT, "passage_1": FACT, "passage_2": OTHER},
        ],
        ["answer=$.reply", "facts=$.passage_1", "facts=$.passage_2", "id=$.ticket"],
    ),
    "an id that is not each one's own": (
        [{"user_id": "u", "reply": TEXT, "docs": [FACT]}] * 2,
        ["answer=$.reply", "facts=$.docs[*]"],
    ),
    "the shortest name of an id": (
        [{"user_id": user, "id": user, "reply": TEXT, "docs": [FACT]} for user in "uv"],
        ["answer=$.reply", "facts=$.docs[*]", "id=$.id"],
    ),
    "a time by its name": (
        [{"when": "2026-11-16T08:00:00Z", "reply": TEXT, "docs": [FACT]}],
        ["answer=$.reply", "facts=$.docs[*]", "time=$.when"],
    ),
    "a number of each, and the name of the bot": (
        [{"no": no, "bot": "shop", "reply": TEXT, "docs": [FACT]} for no in (1, 2)],
        ["answer=$.reply", "facts=$.docs[*]", "id=$.no", "engine=$.bot"],
    ),
    "what the bot said in a word": (
        [{"user": QUERY, "bot": text, "docs": [FACT]} for text in ("Yes.", "No.")],
        ["query=$.user", "answer=$.bot", "facts=$.docs[*]"],
    ),
    "texts that end in a line break are no pieces": (
        [{"reply": f"{TEXT}\n", "docs": [FACT]}] * 9,
        ["answer=$.reply", "facts=$.docs[*]"],
    ),
    "a short question in a fact": (
        [{"asked": "The lamp?", "reply": TEXT, "docs": [f"Price of the lamp? {FACT}"]}],
        ["query=$.asked", "answer=$.reply", "facts=$.docs[*]"],
    ),
    "a question that one fact repeats": (
        [{"asked": QUERY, "reply": TEXT, "docs": [each]} for each in (FACT, FACT, QUERY + FACT)],
        ["query=$.asked", "answer=$.reply", "facts=$.docs[*]"],
    ),
    "the document of each fact of a list": (
        [{"reply": TEXT, "kb": [{"src": f"d-{number}", "para": FACT}]} for number in range(60)],
        ["answer=$.reply", "facts=$.kb[*].para", "document=$.kb[*].src"],
    ),
    "documents of facts that are objects with names": (
        [{"reply": TEXT, "kb": [{"source": "d-1", "text": FACT}]}],
        ["answer=$.reply", "facts=$.kb[*]"],
    ),
    "facts of which some have no document": (
        [{"reply": TEXT, "kb": [{"para": OTHER}, {"src": "d-1", "para": FACT}]}],
        ["answer=$.reply", "facts=$.kb[*].para"],
    ),
    "the most frequent place of the answer": (
        [{"text": "Hello.", "docs": [FACT]}, *([{"reply": TEXT, "docs": [FACT]}] * 2)],
        ["answer=$.reply", "facts=$.docs[*]"],
    ),
    "chats of which one ends with a question": (
        [
            {"turns": [{"role": "user", "text": QUERY}, {"role": "bot", "text": TEXT}]},
            {
                "turns": [
                    {"role": "bot", "text": TEXT},
                    {"role": "bot", "text": OTHER},
                    {"role": "user", "text": QUERY},
                ]
            },
        ],
        ['query=$.turns[?(@.role=="user")].text', 'answer=$.turns[?(@.role=="bot")].text'],
    ),
}


@pytest.mark.parametrize(("rows", "expected"), ROWS.values(), ids=ROWS)
def test_one_map_is_suggested_for_several_messages(
    rows: list[dict[str, Any]], expected: list[str]
) -> None:
    assert flags(*rows) == expected


def test_paths_of_ever_other_names_do_not_fill_the_memory() -> None:
    for number in range(1100):
        assert flags({"reply": TEXT, f"docs{number}": FACT})[1:] == [f"facts=$.docs{number}"]
    assert json_path.cache_info().currsize <= 1024
    assert parse_map.cache_info().currsize <= 256


def test_messages_of_users_are_not_answers() -> None:
    rows = [{"from": "user", "text": QUERY}, {"from": "bot", "text": TEXT}]
    assert flags(*rows) == []
    assert suggestion(*rows).startswith("The texts at $.text are of several senders, and no path")


@pytest.mark.parametrize("name", ["text", "reply", "response", "answer"])
def test_the_only_text_of_a_user_is_a_question(name: str) -> None:
    for writer in ("from", "role", "sender"):
        asked = [{writer: "user", name: text, "docs": [FACT]} for text in (QUERY, "I want a lamp.")]
        assert f"answer=$.{name}" not in flags(*asked)
        assert f"query=$.{writer}" not in flags(*asked)
        both = {writer: "user", "message": QUERY, name: TEXT, "docs": [FACT]}
        assert (f"answer=$.{name}" in flags(both)) is (name != "text")


def test_each_list_may_have_another_sender() -> None:
    rows = [{"reply": [{"author": name, "text": TEXT}], "docs": [FACT]} for name in ("m-1", "m-2")]
    assert flags(*rows) == ["answer=$.reply[*].text", "facts=$.docs[*]"]


def test_a_field_that_no_map_reads_is_not_suggested() -> None:
    said = suggestion({"answer": [TEXT, [None]], "docs": [FACT]})
    assert said.startswith("No path finds the texts at $.answer[*] alone: log them")
    assert "--map" not in said


def test_messages_that_a_map_does_not_read_are_counted() -> None:
    rows = [{"text": "Hello.", "docs": [FACT]}, *([{"reply": TEXT, "docs": [FACT]}] * 2)]
    assert suggestion(*rows).startswith("These flags read 2 of 3 messages. Try --map")


@pytest.mark.parametrize("repeating", [1, 2])
def test_each_message_is_asked_whether_it_says_what_its_sources_say(repeating: int) -> None:
    rows = [{"reply": f"{TEXT} {number}", "docs": [FACT]} for number in range(3)]
    for row in rows[:repeating]:
        row["docs"] = [f"Ada: {row['reply']}"]
    said = "The texts at $.docs[*] hold the answer or the question of 2 of 3 messages: name them as"
    assert suggestion(*rows).startswith(said if repeating > 1 else "Try --map")
    assert flags(*rows) == ["answer=$.reply", "facts=$.docs[*]"][: 3 - repeating]


def test_what_few_messages_repeat_is_suggested_as_their_answer() -> None:
    """As for the facts: the suggestion for a file and for its first message are the same."""
    trace = {"id": "t", "timestamp": "2026-03-03T12:00:00Z", "metadata": {"contexts": [FACT]}}
    replies = FACT, TEXT, TEXT
    failures = [
        each
        for reply in replies
        for each in parse_answers(message_of(trace | {"input": QUERY, "output": {"copy": reply}}))
        if isinstance(each, ParseFailure)
    ]
    assert len(failures) == len(replies)
    assert suggest_map_of(failures, ParseOptions()).startswith("Try --map 'answer=$.output.copy'")


def test_facts_are_tried_beside_the_answer_that_the_program_wrote() -> None:
    value = {"question": QUERY, "answer": OTHER, "prediction": TEXT, "docs": [FACT]}
    [failure] = parse_answers(message_of(value))
    assert isinstance(failure, ParseFailure)
    assert "Try --map 'facts=$.docs[*]'" in str(failure.error)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"docs": [{"content": FACT}]}, "Try --map 'facts=$.metadata.docs[*]'"),
        (
            {"docs": [{"content": TEXT}]},
            "The texts at $.metadata.docs[*].content are in the answer",
        ),
        (
            {"docs": [{"content": f"{QUERY} {FACT}"}]},
            "The texts at $.metadata.docs[*].content hold",
        ),
    ],
)
def test_facts_are_tried_beside_the_answer_that_the_format_reads(
    metadata: dict[str, object], expected: str
) -> None:
    trace = {"id": "t", "timestamp": "2026-03-03T12:00:00Z", "input": QUERY, "output": TEXT}
    message = message_of(trace | {"metadata": metadata})
    [failure] = parse_answers(message)
    assert isinstance(failure, ParseFailure)
    assert expected in str(failure.error)
    assert suggest_map_of([failure], ParseOptions()).startswith(expected)


def test_a_text_that_a_fact_holds_is_not_suggested_as_the_answer() -> None:
    trace = {"id": "t", "timestamp": "2026-03-03T12:00:00Z", "input": QUERY}
    rest = {"output": {"bot_copy": FACT}, "metadata": {"contexts": [FACT]}}
    [failure] = parse_answers(message_of(trace | rest))
    assert isinstance(failure, ParseFailure)
    said = str(failure.error)
    assert said.endswith(
        "are in the facts, too: name them as the answer only if the model wrote them."
    )


@pytest.mark.parametrize(
    ("names", "content"),
    [
        ("search_query", "query"),
        ("answer.documents.text", "facts"),
        ("documents.answer", "answer"),
        ("tool_results.output", "facts"),
        ("search.results", "facts"),
        ("result.text", "answer"),
        ("references", "facts"),
        ("reference", "other"),
        ("reference_contexts", "facts"),
        ("expected_output", "other"),
        ("text", None),
        ("contextual", None),
    ],
)
def test_the_last_word_of_a_name_says_what_it_holds(names: str, content: str | None) -> None:
    assert content_by_names(names) == content


NAMES = st.sampled_from(
    [
        *("answer", "output", "text", "content", "context_1", "context_2", "documents", "it's"),
        *(
            "role",
            "type",
            "from",
            "author",
            "messages",
            "citations",
            "sources",
            "reference",
            "id",
            "input",
            "a b",
        ),
    ]
)
TEXTS = st.sampled_from(
    [QUERY, TEXT, FACT, OTHER, "user", "assistant", "tool", "d-1", "", "[1]", f"{QUERY} {TEXT}"]
)
VALUES = st.recursive(
    st.none() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=5), min_size=1, max_size=3))
def test_what_is_suggested_reads_messages_and_of_most_no_fact_that_was_said(
    values: list[dict[str, object]],
) -> None:
    pairs = tuple(
        (name, path) for name, _, path in (each.partition("=") for each in flags(*values))
    )
    read = [each.read(parse_map(pairs)) for each in samples_of(*values)] if pairs else []
    answers = [each for each in read if each is not None]
    assert bool(answers) == bool(pairs)
    if len(answers) < len(values) and pairs:
        assert f"These flags read {len(answers)} of {len(values)} messages." in suggestion(*values)
    repeating = 0
    for answer in answers:
        said = {answer.answer_text, answer.query} - {None, ""}
        facts = [fact.text for fact in answer.facts]
        repeating += not said.isdisjoint(facts) or any(
            text in fact for text in (QUERY, TEXT, FACT) if text in said for fact in facts
        )
    assert 2 * repeating <= len(answers)
    assert "facts" not in dict(pairs) or any(answer.facts for answer in answers)
