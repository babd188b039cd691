"""The official clients, as oracles: they write what the sample says they write."""

import json
from collections.abc import Callable

import pytest
from google.ai import generativelanguage_v1beta as gemini_client
from google.cloud import discoveryengine_v1beta as discovery_client

from tests.support.samples import discovery, edits, gemini
from tests.support.samples.cases import Write
from tests.support.samples.events import Event
from tests.support.samples.timeline import ordinary_days

EVENTS = [planned.event(number) for number, planned in enumerate(ordinary_days(), start=1)]


def assert_the_client_writes_the_same(
    rest: Write, written: Write, message_type: type, client_writes: Callable[[object], object]
) -> None:
    for event in EVENTS:
        message = message_type.from_json(rest(event).decode())
        assert json.loads(written(event)) == client_writes(message)


def as_json(message_type: type) -> Callable[[object], object]:
    return lambda message: json.loads(message_type.to_json(message))


@pytest.mark.parametrize(
    ("written", "message_type"),
    [
        pytest.param(discovery.v1beta_to_json, discovery_client.Answer, id="Answer"),
        pytest.param(
            discovery.answer_query_to_json,
            discovery_client.AnswerQueryResponse,
            id="AnswerQueryResponse",
        ),
        pytest.param(
            gemini.content_response_to_json,
            gemini_client.GenerateContentResponse,
            id="GenerateContentResponse",
        ),
    ],
)
def test_to_json_writes_what_the_client_writes(written: Write, message_type: type) -> None:
    rest = {
        discovery.v1beta_to_json: discovery.v1beta,
        discovery.answer_query_to_json: discovery.answer_query,
        gemini.content_response_to_json: gemini.content_response,
    }[written]
    assert_the_client_writes_the_same(rest, written, message_type, as_json(message_type))


def test_to_dict_writes_what_the_client_writes() -> None:
    assert_the_client_writes_the_same(
        discovery.v1beta,
        discovery.v1beta_to_dict,
        discovery_client.Answer,
        discovery_client.Answer.to_dict,
    )


def test_a_skipped_answer_is_written_like_the_client_writes_it() -> None:
    skip = edits.skipped("JAIL_BREAKING_QUERY_IGNORED", "LOW_GROUNDED_ANSWER")
    assert_the_client_writes_the_same(
        lambda event: discovery.v1beta(event, skip),
        lambda event: discovery.v1beta_to_json(event, skip),
        discovery_client.Answer,
        as_json(discovery_client.Answer),
    )


def test_a_candidate_in_snake_case_is_one_the_client_understands_and_writes_alike() -> None:
    for event in EVENTS:
        written = json.loads(gemini.attributed_candidate(event))
        client = gemini_client.Candidate
        assert client.to_dict(client(written)) == written


def test_both_halves_of_a_generate_answer_exchange_in_snake_case_are_the_clients() -> None:
    for event in EVENTS:
        written = json.loads(gemini.inline_to_dict(event))
        for half, client in (
            ("request", gemini_client.GenerateAnswerRequest),
            ("response", gemini_client.GenerateAnswerResponse),
        ):
            assert client.to_dict(client(written[half])) == written[half]


def test_a_bare_generate_answer_response_is_the_clients() -> None:
    client = gemini_client.GenerateAnswerResponse
    for event in EVENTS:
        written = gemini.bare_response(event)
        assert json.loads(client.to_json(client.from_json(written.decode()))) == json.loads(written)


@pytest.mark.parametrize("write", [discovery.v1, discovery.v1alpha, discovery.v1beta])
def test_an_answer_over_rest_is_one_the_client_understands_whole(
    write: Callable[[Event], bytes],
) -> None:
    for event in EVENTS:
        answer = discovery_client.Answer.from_json(write(event).decode())
        assert answer.answer_text == event.conversation.answer
