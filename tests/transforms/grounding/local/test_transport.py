import asyncio

import httpx
import msgspec

from tests.support.checks import CHECK_PATH, check_request
from transforms.grounding.local.transport import LocalTransport


def post(path: str, body: bytes) -> httpx.Response:
    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=LocalTransport(), base_url="http://local") as client:
            return await client.post(path, content=body)

    return asyncio.run(send())


def test_a_client_is_answered_without_a_network() -> None:
    body = msgspec.json.encode(check_request("Lamps glow.", "Lamps glow."))
    reply = post(CHECK_PATH, body)
    assert reply.status_code == 200
    assert reply.json()["claims"][0]["citationIndices"] == [0]


def test_a_client_is_refused_as_the_service_would_refuse_it() -> None:
    reply = post("/v1/elsewhere", b"{}")
    assert reply.status_code == 404
    assert reply.json()["error"]["status"] == "NOT_FOUND"
