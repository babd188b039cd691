"""Answer requests as the service does."""

import asyncio

import httpx
import msgspec
import pytest

from groundwatch.schemas.wire.grounding_check import (
    CheckRequest,
    CheckResponse,
    GroundingFact,
    GroundingSpec,
)
from groundwatch.transforms.grounding.embedded_service import (
    InvalidArgumentError,
    LocalTransport,
    answer,
    decode_request,
)
from groundwatch.transforms.lexical.check_claims import check_grounding
from tests.support.checks import CHECK_PATH, check_request

TEXT = "Xyzzy"


def decode(**fields: object) -> CheckRequest:
    return decode_request(msgspec.json.encode({"answerCandidate": "Lamps glow.", **fields}))


EXPECTED = CheckRequest(
    answer_candidate="Lamps glow.",
    facts=(GroundingFact(fact_text="Lamps.", attributes={"page_number": "3"}),),
    grounding_spec=GroundingSpec(citation_threshold=0.5, enable_claim_level_score=True),
)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            b"""{"answerCandidate": "Lamps glow.", "userLabels": {"team_name": "a"},
            "facts": [{"factText": "Lamps.", "attributes": {"page_number": "3"}}],
            "groundingSpec": {"citationThreshold": 0.5, "enableClaimLevelScore": true}}""",
            id="camelCase",
        ),
        pytest.param(
            b"""{"answer_candidate": "Lamps glow.", "user_labels": {"team_name": "a"},
            "facts": [{"fact_text": "Lamps.", "attributes": {"page_number": "3"}}],
            "grounding_spec": {"citation_threshold": 0.5, "enable_claim_level_score": true}}""",
            id="snake_case",
        ),
        pytest.param(
            b"""{"answerCandidate": "Lamps glow.", "user_labels": {"team_name": "a"},
            "facts": [{"factText": "Lamps.", "attributes": {"page_number": "3"}, "new": 1}],
            "groundingSpec": {"citationThreshold": "0.5", "enableClaimLevelScore": "true"},
            "groundingConfig": null, "prompt": "unknown"}""",
            id="strings, null and unknown fields",
        ),
    ],
)
def test_a_request_is_read_in_every_spelling(body: bytes) -> None:
    assert decode_request(body) == EXPECTED


def test_only_the_answer_is_required() -> None:
    assert decode_request(b'{"answerCandidate": "x", "facts": null, "groundingSpec": null}') == (
        CheckRequest(answer_candidate="x")
    )


@pytest.mark.parametrize("threshold", [0, 1, 0.6, "1", "0.25"])
def test_a_threshold_of_zero_to_one_is_accepted(threshold: float | str) -> None:
    request = decode(groundingSpec={"citationThreshold": threshold})
    assert request.grounding_spec.citation_threshold == float(threshold)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"facts": [{"factText": "x"}] * 200}, id="facts"),
        pytest.param({"facts": [{"factText": "é" * 10_000}]}, id="fact characters"),
        pytest.param({"answerCandidate": "word " * 4_096}, id="tokens"),
    ],
)
def test_a_request_at_a_limit_is_accepted(fields: dict[str, object]) -> None:
    assert decode(**fields).answer_candidate


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        pytest.param({"answerCandidate": None}, "answerCandidate", id="no answer"),
        pytest.param({"answerCandidate": ""}, "answerCandidate", id="empty answer"),
        pytest.param({"answerCandidate": 5}, "answerCandidate", id="answer of a wrong type"),
        pytest.param({"answerCandidate": f"{TEXT} " * 4_097}, "4097 tokens", id="tokens"),
        pytest.param({"facts": [{"factText": TEXT}] * 201}, "201", id="facts"),
        pytest.param({"facts": [{}, {"factText": TEXT * 2_001}]}, "facts", id="no fact text"),
        pytest.param({"facts": [{"factText": "x" * 10_001}]}, "facts[0]", id="fact characters"),
        pytest.param({"facts": [TEXT]}, "facts", id="fact as a string"),
        pytest.param({"facts": {"factText": TEXT}}, "facts", id="facts as an object"),
        pytest.param({"groundingSpec": {"citationThreshold": 1.1}}, "1.1", id="above 1"),
        pytest.param({"groundingSpec": {"citationThreshold": "-0.1"}}, "-0.1", id="below 0"),
        pytest.param({"groundingSpec": {"citationThreshold": "NaN"}}, "nan", id="NaN"),
        pytest.param({"groundingSpec": {"citationThreshold": TEXT}}, "citation", id="a word"),
        pytest.param({"groundingSpec": [TEXT]}, "groundingSpec", id="spec as a list"),
    ],
)
def test_what_the_service_refuses_is_refused_without_its_text(
    fields: dict[str, object], named: str
) -> None:
    with pytest.raises(InvalidArgumentError) as raised:
        decode(**fields)
    assert named in str(raised.value)
    assert TEXT not in str(raised.value)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut"),
        pytest.param(b'["Xyzzy"]', id="a list"),
        pytest.param(b'"Xyzzy"', id="a string"),
        pytest.param(b'{"answerCandidate": Xyzzy}', id="a bare word"),
        pytest.param(b'{"answerCandidate": "Xyzzy\xff"}', id="not UTF-8"),
        pytest.param(b'{"answerCandidate": "Xyzzy\\ud800"}', id="a lone surrogate"),
        pytest.param(b'{"answerCandidate": "Xyzzy"} x', id="text behind it"),
        pytest.param(b'{"a":' * 100_000, id="a bomb"),
        pytest.param(b'{"groundingSpec": {"citationThreshold": NaN}}', id="a bare NaN"),
    ],
)
def test_a_body_that_is_not_a_json_object_is_refused_without_its_text(body: bytes) -> None:
    with pytest.raises(InvalidArgumentError) as raised:
        decode_request(body)
    assert TEXT not in str(raised.value)


REQUEST = check_request("Lamps glow.", "Lamps glow red.")
BODY = msgspec.json.encode(REQUEST)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/projects/p/locations/global/groundingConfigs/c:check",
        "/v1beta/projects/p/locations/eu/groundingConfigs/c:check",
        "/v1alpha/projects/1/locations/us/groundingConfigs/c-1:check?alt=json&x=y",
    ],
)
def test_every_version_and_location_is_served(path: str) -> None:
    reply = answer("POST", path, BODY)
    assert reply.status == 200
    assert msgspec.json.decode(reply.body, type=CheckResponse) == check_grounding(REQUEST)


def test_what_is_absent_is_not_written() -> None:
    reply = answer("POST", CHECK_PATH, b'{"answerCandidate": "Hello!"}')
    assert msgspec.json.decode(reply.body) == {
        "claims": [{"endPos": 6, "claimText": "Hello!", "groundingCheckRequired": False}]
    }


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "name"),
    [
        pytest.param("POST", "/", BODY, 404, "NOT_FOUND", id="root"),
        pytest.param("POST", CHECK_PATH[:-6], BODY, 404, "NOT_FOUND", id="no verb"),
        pytest.param("POST", f"/v2{CHECK_PATH[7:]}", BODY, 404, "NOT_FOUND", id="version"),
        pytest.param("POST", f"{CHECK_PATH}/x", BODY, 404, "NOT_FOUND", id="longer path"),
        pytest.param("GET", CHECK_PATH, b"", 405, "UNIMPLEMENTED", id="method"),
        pytest.param("POST", CHECK_PATH, b"{", 400, "INVALID_ARGUMENT", id="cut JSON"),
        pytest.param("POST", CHECK_PATH, b"{}", 400, "INVALID_ARGUMENT", id="no answer"),
    ],
)
def test_refusals_are_written_as_google_writes_them(
    method: str, path: str, body: bytes, status: int, name: str
) -> None:
    reply = answer(method, path, body)
    error = msgspec.json.decode(reply.body)["error"]
    assert (reply.status, error["code"], error["status"]) == (status, status, name)
    assert error["message"]


def test_a_client_is_refused_as_the_service_would_refuse_it() -> None:
    async def post() -> httpx.Response:
        async with httpx.AsyncClient(transport=LocalTransport(), base_url="http://local") as client:
            return await client.post("/v1/elsewhere", content=b"{}")

    reply = asyncio.run(post())
    assert reply.status_code == 404
    assert reply.json()["error"]["status"] == "NOT_FOUND"
