"""The client: tokens, identical checks, quota, and when it gives up."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import httpx
import pytest
import stamina

from groundwatch.schemas.wire.grounding_check import CheckRequest
from groundwatch.transforms.grounding import client as client_module
from groundwatch.transforms.grounding import credentials
from groundwatch.transforms.grounding.client import CALLS_IN_FLIGHT, GroundingClient
from groundwatch.transforms.grounding.embedded_service import answer
from groundwatch.transforms.grounding.errors import (
    GaveUp,
    Misconfigured,
    Rejected,
    RunStopped,
    Unauthenticated,
    Unavailable,
)
from groundwatch.transforms.grounding.rate_limiter import AdaptiveThrottle
from groundwatch.transforms.grounding.settings import CheckSettings, GoogleAccount, RetrySettings
from tests.support.checks import check_request
from tests.support.google_accounts import Expiring
from tests.support.interleaving import run_interleaved

REQUEST = check_request("The valve opens at noon.", "The valve opens at noon.")


def remote(requests_per_minute: int | None = None, **retries: float) -> CheckSettings:
    """Settings of a checker of one's own."""
    return CheckSettings(
        checker="http://checker",
        endpoint="http://checker",
        requests_per_minute=requests_per_minute,
        retries=RetrySettings(**retries),
    )


REMOTE = remote()


@pytest.fixture(autouse=True)
def without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=5, cap=True):
        yield


class Service(httpx.MockTransport):
    """A checker that answers with these statuses, in order, then with 200; it keeps requests."""

    def __init__(self, *statuses: int, refused: str | None = None) -> None:
        super().__init__(self._answer)
        self.requests: list[httpx.Request] = []
        self._refused = f"Bearer {refused}"
        self._statuses = list(statuses)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        await asyncio.sleep(0)
        status = self._statuses.pop(0) if self._statuses else 200
        if request.headers.get("Authorization") == self._refused:
            status = 401
        body = answer("POST", request.url.path, request.content).body if status == 200 else b"{}"
        return httpx.Response(status, content=body)


@pytest.fixture
def tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client find credentials of the test in place of Google's."""
    monkeypatch.setattr(credentials, "find_credentials", lambda _: Expiring())


async def check(
    service: Service, settings: CheckSettings, *requests: CheckRequest
) -> list[client_module.CheckReply]:
    async with aclosing(GroundingClient(settings, transport=service)) as client:
        return await asyncio.gather(*(client.check(request) for request in requests))


def google(account: GoogleAccount | None = None) -> CheckSettings:
    return CheckSettings(
        checker="discoveryengine",
        endpoint="https://discoveryengine.googleapis.com",
        account=account or GoogleAccount(),
    )


@pytest.mark.usefixtures("tokens")
def test_a_refused_token_is_refreshed_once_and_the_call_repeated() -> None:
    service = Service(401)
    [reply] = asyncio.run(check(service, google(), REQUEST))
    assert reply.response.support_score is not None
    sent = [request.headers["Authorization"] for request in service.requests]
    assert sent == ["Bearer token-1", "Bearer token-2"]


@pytest.mark.usefixtures("tokens")
def test_a_token_that_is_refused_twice_stops_the_run() -> None:
    service = Service(401, 401)
    with pytest.raises(Unauthenticated) as raised:
        asyncio.run(check(service, google(), REQUEST))
    sent = [request.headers["Authorization"] for request in service.requests]
    assert sent == ["Bearer token-1", "Bearer token-2"]
    assert isinstance(raised.value, RunStopped)


@pytest.mark.usefixtures("tokens")
@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (403, "discoveryengine.groundingConfigs.check"),
        (404, "the location and the grounding configuration"),
    ],
)
def test_a_missing_permission_stops_the_run_at_once(status: int, advice: str) -> None:
    service = Service(status)
    with pytest.raises(Misconfigured, match=advice):
        asyncio.run(check(service, google(), REQUEST))
    assert len(service.requests) == 1


def test_another_checker_gets_no_credentials() -> None:
    service = Service()
    asyncio.run(check(service, REMOTE, REQUEST))
    assert "Authorization" not in service.requests[0].headers


@pytest.mark.usefixtures("tokens")
def test_the_call_names_the_configuration_and_the_quota_project() -> None:
    service = Service()
    asyncio.run(check(service, google(GoogleAccount(quota_project="payer")), REQUEST))
    [request] = service.requests
    assert request.url.path.startswith("/v1beta/projects/-/locations/global/groundingConfigs/")
    assert request.headers["X-Goog-User-Project"] == "payer"


def test_identical_checks_at_the_same_time_cost_one_call() -> None:
    service = Service()
    replies = asyncio.run(check(service, REMOTE, *[REQUEST] * 10))
    assert len(service.requests) == 1
    assert sum(reply.attempts for reply in replies) == 1
    assert all(reply.response == replies[0].response for reply in replies)


def test_a_failing_service_is_retried_without_a_log_line_and_attempts_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    service = Service(503, 500)
    [reply] = asyncio.run(check(service, REMOTE, REQUEST))
    assert reply.attempts == 3
    assert caplog.records == []


def test_the_client_gives_up_when_nothing_succeeds_for_too_long() -> None:
    settings = remote(give_up_after_s=0.0)
    with pytest.raises(GaveUp, match="nothing has succeeded for 0 s"):
        asyncio.run(check(Service(*[503] * 9), settings, REQUEST))


def test_a_success_in_between_keeps_the_client_from_giving_up() -> None:
    settings = remote(give_up_after_s=0.0, max_attempts=2)

    async def one_after_another() -> None:
        service = Service(503, 200, 503, 200)
        async with aclosing(GroundingClient(settings, transport=service)) as client:
            for number in range(2):
                await client.check(check_request(f"The valve opens at {number}.", "A fact."))

    asyncio.run(one_after_another())


def test_a_refused_request_shows_that_the_service_is_there() -> None:
    settings = remote(give_up_after_s=0.0, max_attempts=1)

    async def scenario() -> list[type[BaseException]]:
        async with aclosing(GroundingClient(settings, transport=Service(503, 400, 503))) as client:
            requests = [check_request(f"The valve opens at {n}.", "A fact.") for n in range(3)]
            outcomes = [
                await asyncio.gather(client.check(request), return_exceptions=True)
                for request in requests
            ]
        return [type(outcome) for [outcome] in outcomes]

    assert asyncio.run(scenario()) == [Unavailable, Rejected, Unavailable]


def test_waiting_for_the_quota_fails_no_call_and_uses_up_no_time() -> None:
    settings = remote(requests_per_minute=60 * 10, total_s=0.1)
    requests = [check_request(f"The valve opens at {n}.", "A fact.") for n in range(15)]
    replies = asyncio.run(check(Service(), settings, *requests))
    assert [reply.attempts for reply in replies] == [1] * 15


class Closed(AdaptiveThrottle):
    """A throttle that lets nothing through."""

    def must_wait(self, *, is_retry: bool) -> bool:  # noqa: ARG002 - the base's way
        return True


def test_a_call_that_is_throttled_until_its_deadline_fails_unsent() -> None:
    settings = remote(total_s=0.05)
    service = Service()

    async def held_back() -> None:
        async with aclosing(GroundingClient(settings, Closed(), service)) as client:
            await client.check(REQUEST)

    with pytest.raises(Unavailable, match="throttled"):
        asyncio.run(held_back())
    assert service.requests == []


def test_calls_of_several_event_loops_are_counted_while_they_wait() -> None:
    seen: list[int] = []

    class Counting(Service):
        async def _answer(self, request: httpx.Request) -> httpx.Response:
            seen.append(len(CALLS_IN_FLIGHT))
            return await super()._answer(request)

    before = len(CALLS_IN_FLIGHT)
    run_interleaved(lambda: asyncio.run(check(Counting(), REMOTE, REQUEST)))
    assert min(seen) > before
    assert len(CALLS_IN_FLIGHT) == before
