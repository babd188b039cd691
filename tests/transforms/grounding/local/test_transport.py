import asyncio

import httpx
import msgspec

from tests.support.checks import CHECK_PATH, check_request
from transforms.grounding.local.transport import LocalTransport


def post(path: str, body: bytes) -> httpx.Response:
    async def send() -> httpx.Response:
        async with httpx.AsyncClient(
            transport=LocalTransport(), base_url="https://service.invalid"
        ) as client:
            return await client.post(path, content=body, params={"alt": "json"})

    return asyncio.run(send())


def test_a_client_is_answered_without_a_network() -> None:
    response = post(CHECK_PATH, msgspec.json.encode(check_request("Lamps glow.", "Lamps glow.")))
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json()["claims"][0]["citationIndices"] == [0]


def test_a_client_is_refused_as_the_service_would_refuse_it() -> None:
    response = post("/v1/elsewhere", b"{}")
    assert response.status_code == 404
    assert response.json()["error"]["status"] == "NOT_FOUND"
