"""A language model that scores claims behind an OpenAI-compatible address."""

import asyncio
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256

import httpx
import msgspec
import pytest
from msgspec.structs import replace

from groundwatch.launch.checker.checker_server import listening
from groundwatch.launch.cli.main import main
from groundwatch.transforms.grounding.embedded_service import EmbeddedChecker
from groundwatch.transforms.grounding.errors import (
    CheckFailed,
    Misconfigured,
    Rejected,
    Unauthenticated,
    Unavailable,
)
from groundwatch.transforms.grounding.protocol import HttpReply, interpret_reply
from groundwatch.transforms.grounding.scorers import llm_judge
from groundwatch.transforms.grounding.scorers.llm_judge import LlmJudge
from tests.support.checks import CHECK_PATH, check_request
from tests.support.judgements import completion, judgements
from tests.support.recorded_service import RecordedService, recorded_service

REQUEST = replace(
    check_request("Hello! Lamps glow. Tea is hot.", "Lamps glow.", "Kettles whistle."),
    query="What glows?",
)
LAMPS = {"claim": 0, "support": 0.9, "facts": [0, 0]}
TEA = {"claim": 1, "support": 0, "facts": []}


@pytest.fixture(scope="module")
def served() -> Iterator[RecordedService]:
    with recorded_service() as server:
        yield server


@pytest.fixture
def api(served: RecordedService, monkeypatch: pytest.MonkeyPatch) -> RecordedService:
    """The API on this machine."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    served.requests.clear()
    served.reply_with(200, judgements(LAMPS, TEA))
    return served


def check(judge: LlmJudge) -> httpx.Response:
    """Check the request by a server with this judge."""

    async def ask() -> httpx.Response:
        async with (
            listening(port=0, checker=EmbeddedChecker(judge.check, judge.revision)) as address,
            httpx.AsyncClient(base_url=address, trust_env=False) as client,
        ):
            return await client.post(CHECK_PATH, content=msgspec.json.encode(REQUEST))

    return asyncio.run(ask())


def test_the_required_claims_are_scored_in_one_call(api: RecordedService) -> None:
    judge = LlmJudge(f"{api.address}/v1", "small", "secret")
    reply = check(judge).json()
    assert [claim.get("score") for claim in reply["claims"]] == [
        None,
        pytest.approx(0.9),
        pytest.approx(0, abs=1e-5),
    ]
    assert [chunk["source"] for chunk in reply["citedChunks"]] == ["0"]
    [(path, headers, body)] = api.requests
    request = json.loads(body)
    assert (path, request["model"]) == ("/v1/chat/completions", "small")
    assert headers["Authorization"] == "Bearer secret"
    assert request["response_format"]["json_schema"]["strict"] is True
    assert json.loads(request["messages"][1]["content"]) == {
        "question": "What glows?",
        "answer": "Hello! Lamps glow. Tea is hot.",
        "facts": {"0": "Lamps glow.", "1": "Kettles whistle."},
        "claims": {"0": "Lamps glow.", "1": "Tea is hot."},
    }
    assert judge.usage == {"calls": 1, "tokens_read": 120, "tokens_written": 30}


PROMPTS = {1: "5c4f8d34bccb6fb3"}
"""Of each version of the prompt, the digest of what is asked beside the texts."""


def test_a_reply_names_the_model_and_the_version_of_the_prompt(api: RecordedService) -> None:
    judge = LlmJudge(f"{api.address}/v1", "small", "secret")
    assert check(judge).headers["x-checker-revision"] == judge.revision
    model, _, version = judge.revision.partition(", prompt ")
    assert model == "small"
    [(_, _, body)] = api.requests
    asked = json.loads(body)
    said, texts = asked["messages"]
    prompt = (said["content"], list(json.loads(texts["content"])), asked["response_format"])
    digest = sha256(msgspec.json.encode(prompt)).hexdigest()[:16]
    assert PROMPTS[int(version)] == digest, "raise the version of another prompt"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        *((status, Rejected) for status in (400, 413, 422)),
        (401, Unauthenticated),
        *((status, Misconfigured) for status in (302, 402, 403, 404, 405, 407)),
        *((status, Unavailable) for status in (408, 409, 425, 429, 500, 503, 504)),
    ],
)
def test_a_refusal_has_the_status_that_the_client_resolves_or_retries(
    api: RecordedService, status: int, error: type[CheckFailed]
) -> None:
    api.reply_with(status, {"error": {"message": "Unknown key: k-1"}})
    reply = check(LlmJudge(f"{api.address}/v1", "small", "k-1"))
    assert reply.status_code == status
    with pytest.raises(error) as raised:
        interpret_reply(
            HttpReply(status, reply.content), REQUEST, datetime.now(UTC), checker="judge"
        )
    assert type(raised.value) is error
    message = f"The judge replied with status {status}. Unknown key:"
    assert reply.json()["error"]["message"] == message


def test_each_problem_is_logged_once_without_text(
    api: RecordedService, caplog: pytest.LogCaptureFixture
) -> None:
    judge = LlmJudge(f"{api.address}/v1", "small", None)
    for status in (429, 403, 429):
        api.reply_with(status, {"error": {"message": "Lamps glow."}})
        check(judge)
    assert caplog.messages == [
        "The judge replied with status 429.",
        "The judge replied with status 403.",
    ]


def test_retry_after_reaches_the_client(api: RecordedService) -> None:
    api.reply_with(429, {}, {"Retry-After": "7"})
    reply = check(LlmJudge(f"{api.address}/v1", "small", None))
    assert (reply.status_code, reply.headers["Retry-After"]) == (429, "7")


def test_a_reply_that_cannot_be_decompressed_is_unavailable(api: RecordedService) -> None:
    api.reply_with(200, "no gzip", {"Content-Encoding": "gzip"})
    assert check(LlmJudge(f"{api.address}/v1", "small", None)).status_code == 503


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("<html>", id="not JSON"),
        pytest.param({"choices": []}, id="no choice"),
        pytest.param(completion("I cannot."), id="no JSON in the message"),
        pytest.param(judgements(LAMPS), id="a claim without a score"),
        pytest.param(judgements(LAMPS, TEA | {"support": 7}), id="a score over 1"),
        pytest.param(judgements(LAMPS, TEA | {"facts": [2]}), id="a fact that was not given"),
        pytest.param(judgements(LAMPS, TEA, TEA | {"claim": 2}), id="a claim that was not given"),
    ],
)
def test_an_invalid_reply_can_be_retried_and_is_not_quoted(
    api: RecordedService, content: object
) -> None:
    api.reply_with(200, content)
    reply = check(LlmJudge(f"{api.address}/v1", "small", None))
    assert reply.status_code == 503
    assert "Lamps" not in reply.text
    assert ("a page of HTML" in reply.text) == (content == "<html>")


def test_a_service_that_sends_blank_lines_instead_of_a_reply_is_not_waited_for(
    api: RecordedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm_judge, "_TIMEOUT_S", 0.3)
    monkeypatch.setattr(api, "blanks", 400)
    started_s = time.monotonic()
    reply = check(LlmJudge(f"{api.address}/v1", "small", None))
    assert time.monotonic() - started_s < 15
    assert reply.status_code == 503
    assert "gave no reply: ReadTimeout" in reply.json()["error"]["message"]


def test_an_address_without_a_server_is_unavailable() -> None:
    assert check(LlmJudge("http://127.0.0.1:9", "small", None)).status_code == 503


@pytest.mark.parametrize(
    "arguments", [("--judge", "http://127.0.0.1:9/v1"), ("--judge_model", "small")]
)
def test_a_judge_needs_an_address_and_a_model(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve-checker", *arguments]) == 2
    assert "--judge and --judge_model belong together" in capsys.readouterr().err
