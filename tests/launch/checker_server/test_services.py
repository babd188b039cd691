"""Services behind `serve-checker`, by the exchanges in ../../data/services/."""

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.__main__ import main
from launch.checker_server.aws_signature import AwsKey, sign_post
from launch.checker_server.azure_groundedness import AzureGroundedness
from launch.checker_server.bedrock_guardrail import BedrockGuardrail
from launch.checker_server.remote_service import RemoteService
from launch.checker_server.server import listening
from launch.checker_server.vertex_corroboration import (
    VertexCorroboration,
    _byte_spans,
    _Claim,
)
from schemas.wire.grounding_check import CheckedClaim, CheckResponse
from tests.support.checks import CHECK_PATH, check_request
from tests.support.google_accounts import TokenServer, token_server, write_key_file
from tests.support.recorded_service import RecordedService, SentRequest, recorded_service
from transforms.grounding.local.embedded_check import unscored_claims
from transforms.grounding.local.service import answer, decode_request
from transforms.grounding.protocol import interpret_reply

DATA = Path(__file__).parents[2] / "data" / "services"
EXCHANGES = [
    pytest.param(path.stem, exchange, id=f"{path.stem}: {exchange['name']}")
    for path in sorted(DATA.glob("*.json"))
    for exchange in json.loads(path.read_bytes())["exchanges"]
]
SECRET_OF_THE_EXAMPLES = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"  # noqa: S105
KEY = AwsKey(key_id="AKIDEXAMPLE", secret=SECRET_OF_THE_EXAMPLES)
OPEN: dict[str, Callable[[str], RemoteService]] = {
    "bedrock": lambda address: BedrockGuardrail("guardrail/abc123/version/1", "eu-west-1", address),
    "azure": AzureGroundedness,
    "vertex": lambda address: VertexCorroboration("projects/p/locations/us-central1", address),
}


@pytest.fixture(scope="module")
def recorded() -> Iterator[RecordedService]:
    with recorded_service() as server:
        yield server


@pytest.fixture(scope="module")
def google(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TokenServer, str]]:
    """Give out access tokens, for a key file."""
    with token_server() as server:
        yield server, write_key_file(tmp_path_factory.mktemp("google") / "key.json", server.address)


@pytest.fixture
def service(
    recorded: RecordedService, google: tuple[TokenServer, str], monkeypatch: pytest.MonkeyPatch
) -> RecordedService:
    """The service, and the credentials for each."""
    recorded.requests.clear()
    tokens, key_file = google
    tokens.refreshes, tokens.status = 0, 200
    for name, value in {
        "NO_PROXY": "127.0.0.1",
        "AWS_ACCESS_KEY_ID": KEY.key_id,
        "AWS_SECRET_ACCESS_KEY": KEY.secret,
        "CONTENT_SAFETY_KEY": "azure-key",
        "GOOGLE_APPLICATION_CREDENTIALS": key_file,
    }.items():
        monkeypatch.setenv(name, value)
    return recorded


def checked(exchange: dict[str, Any]) -> bytes:
    spec = {"enableClaimLevelScore": True}
    fields = {"facts": exchange["facts"], "groundingSpec": spec}
    return json.dumps({"answerCandidate": exchange["answer"], **fields}).encode()


@cache
def opened(name: str, address: str) -> RemoteService:
    return OPEN[name](address)


ANY = checked({"answer": "A.", "facts": []})


def assert_is_signed(request: SentRequest) -> None:
    """Compute the signature again from what came."""
    names = ("content-type", "host")
    time = datetime.strptime(request.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    expected = sign_post(
        KEY,
        ("eu-west-1", "bedrock"),
        request.path,
        request.body,
        headers={name: request.headers[name] for name in names},
        now=time,
    )
    assert request.headers["Authorization"] == expected["authorization"]


@pytest.mark.parametrize(("name", "exchange"), EXCHANGES)
def test_a_recorded_exchange(service: RecordedService, name: str, exchange: dict[str, Any]) -> None:
    replied, expected = exchange["reply"], exchange["request"]
    service.reply_with(replied["status"], replied["body"], replied.get("headers", {}))
    body = checked(exchange)
    reply = answer("POST", CHECK_PATH, body, opened(name, service.address).check)
    sent = service.requests[0]
    assert (sent.path, json.loads(sent.body)) == (expected["path"], expected["body"])
    assert {each: sent.headers[each] for each in expected.get("headers", {})} == expected.get(
        "headers", {}
    )
    if name == "bedrock":
        assert_is_signed(sent)
    assert (reply.status, reply.retry_after) == (exchange["status"], exchange.get("retryAfter"))
    if reply.status == 200:
        expected_reply = msgspec.convert(exchange["response"], CheckResponse)
        assert msgspec.json.decode(reply.body, type=CheckResponse) == expected_reply
        interpret_reply(200, None, reply.body, decode_request(body), datetime.now(UTC))
    else:
        assert exchange["answer"] not in json.loads(reply.body)["error"]["message"]


def test_a_rejected_token_is_renewed_once(
    service: RecordedService, google: tuple[TokenServer, str]
) -> None:
    service.reply_with(200, {"corroborationScore": 0.5})
    vertex = OPEN["vertex"](service.address)
    service.first_statuses = [401]
    assert answer("POST", CHECK_PATH, ANY, vertex.check).status == 200
    tokens = [each.headers["Authorization"] for each in service.requests]
    assert tokens == ["Bearer token-1", "Bearer token-2"]
    assert vertex.usage == {"calls": 2}
    google[0].status = 400
    service.reply_with(401, {})
    assert answer("POST", CHECK_PATH, ANY, vertex.check).status == 401


@given(
    st.lists(st.text("aé灯 ,9", min_size=1, max_size=8).filter(str.strip), min_size=1, max_size=4),
    st.booleans(),
)
def test_the_unit_of_vertex_s_indexes_is_found(parts: list[str], counts_bytes: bool) -> None:
    """For claims that are the sentences of an answer, in any script."""
    request = check_request(" ".join(f"{part.strip()}." for part in parts), "A fact.")
    answer_text = request.answer_candidate
    sentences = unscored_claims(request)
    claims = [
        _Claim(
            *((each.start_pos, each.end_pos) if counts_bytes else characters_of(each, answer_text)),
            score=0.5,
        )
        for each in sentences
    ]
    spans = [(each.start_pos, each.end_pos) for each in sentences]
    assert _byte_spans(claims, answer_text, sentences) == spans


def characters_of(claim: CheckedClaim, text: str) -> tuple[int, int]:
    encoded = text.encode()
    return len(encoded[: claim.start_pos].decode()), len(encoded[: claim.end_pos].decode())


def test_each_problem_is_logged_once_without_text(
    service: RecordedService, caplog: pytest.LogCaptureFixture
) -> None:
    azure = OPEN["azure"](service.address)
    for status in (429, 403, 429):
        service.reply_with(status, {"error": {"message": "A."}})
        answer("POST", CHECK_PATH, ANY, azure.check)
    assert caplog.messages == [
        "Azure AI Content Safety replied with status 429.",
        "Azure AI Content Safety replied with status 403.",
    ]


def test_temporary_keys_and_an_api_key_of_bedrock(
    service: RecordedService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tmp_path / "token"
    token.write_text("first\n")
    monkeypatch.setenv("AWS_SESSION_TOKEN_FILE", str(token))
    arn = "arn:aws:bedrock:eu-west-1:123456789012:guardrail/abc123"
    bedrock = BedrockGuardrail(f"guardrail/{arn}/version/DRAFT", "eu-west-1", service.address)
    answer("POST", CHECK_PATH, ANY, bedrock.check)
    token.write_text("second")
    answer("POST", CHECK_PATH, ANY, bedrock.check)
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "an-api-key")
    answer("POST", CHECK_PATH, ANY, bedrock.check)
    first, second, third = [each.headers for each in service.requests]
    assert (first["x-amz-security-token"], second["x-amz-security-token"]) == ("first", "second")
    assert third["Authorization"] == "Bearer an-api-key"
    assert service.requests[0].path == (
        "/guardrail/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Aguardrail%2Fabc123"
        "/version/DRAFT/apply"
    )


def test_retry_after_reaches_the_client(service: RecordedService) -> None:
    async def ask() -> httpx.Response:
        async with (
            listening(port=0, checker=OPEN["azure"](service.address).check) as address,
            httpx.AsyncClient(base_url=address, trust_env=False) as client,
        ):
            return await client.post(CHECK_PATH, content=ANY)

    service.reply_with(429, {}, {"Retry-After": "7"})
    reply = asyncio.run(ask())
    assert (reply.status_code, reply.headers["Retry-After"]) == (429, "7")


def test_a_reply_that_cannot_be_decompressed_is_unavailable(service: RecordedService) -> None:
    service.reply_with(200, "no gzip", {"Content-Encoding": "gzip"})
    assert answer("POST", CHECK_PATH, ANY, OPEN["azure"](service.address).check).status == 503


@pytest.mark.usefixtures("service")
def test_no_connection_is_unavailable() -> None:
    azure = AzureGroundedness("http://127.0.0.1:9")
    reply = answer("POST", CHECK_PATH, ANY, azure.check)
    assert reply.status == 503


SESSION = (
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPf"
    "IeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7W"
    "Z0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8F"
    "DrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
)
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    ("token", "headers", "body", "signature"),
    [
        pytest.param(
            None,
            {},
            b"",
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            id="vanilla",
        ),
        pytest.param(
            None,
            FORM,
            b"Param1=value1",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            id="form",
        ),
        pytest.param(
            SESSION,
            {},
            b"",
            "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
            id="token",
        ),
    ],
)
def test_the_signatures_of_the_test_suite_of_aws(
    token: str | None, headers: dict[str, str], body: bytes, signature: str
) -> None:
    """aws-sig-v4-test-suite: post-vanilla, post-x-www-form-urlencoded, post-sts-header-before."""
    key = AwsKey(key_id=KEY.key_id, secret=KEY.secret, session_token=token)
    signed = sign_post(
        key,
        ("us-east-1", "service"),
        "/",
        body,
        headers={"host": "example.amazonaws.com", **headers},
        now=datetime(2015, 8, 30, 12, 36, tzinfo=UTC),
    )
    assert signed["authorization"].endswith(f"Signature={signature}")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            "--behind bedrock",
            "--behind bedrock: needs --behind_resource guardrail/ID/version/VERSION",
        ),
        ("--behind bedrock --behind_resource abc", "--behind bedrock: needs --behind_resource"),
        ("--behind vertex", "needs --behind_resource projects/PROJECT/locations/LOCATION"),
        ("--behind azure", "--behind azure: needs --behind_address https://NAME.cog"),
        ("--behind_resource a", "--behind is missing: takes no --behind_resource"),
        (
            "--behind azure --judge http://a --judge_model m",
            "--judge and --behind all score claims",
        ),
    ],
)
def test_settings_that_do_not_fit(
    arguments: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve-checker", *arguments.split()]) == 2
    assert problem in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ("--behind bedrock --behind_resource guardrail/a/version/1", "AWS_REGION"),
        ("--behind azure --behind_address http://127.0.0.1:9", "CONTENT_SAFETY_KEY"),
    ],
)
def test_missing_credentials_are_named_before_the_start(
    arguments: str,
    missing: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(missing, raising=False)
    assert main(["serve-checker", "--port", "0", *arguments.split()]) == 1
    assert f"{missing} is missing: set this environment variable" in capsys.readouterr().err
